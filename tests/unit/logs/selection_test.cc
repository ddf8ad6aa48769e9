// A log that is a selection says so; the traffic of a server does not.
#include "logs/selection.h"

#include <apf/logs.h>

#include "catch.h"

using namespace apf;

namespace {

struct SelectedLog {
  std::uint64_t requests = 40;
  std::uint32_t clients = 8, users = 4;
  bool ends = true, served = true;
  apf::Nanos shortest = 3 * kMillisecond;
  std::vector<std::string> verbs = {"get", "list", "update"};

  std::vector<Remark> remarks(std::vector<Remark> known = {}) const {
    Selection log;
    for (std::uint64_t i = 0; i < requests; ++i) {
      log.add(static_cast<std::uint32_t>(i) % clients, ends, !served || i == 3,
              ends ? shortest + static_cast<Nanos>(i) * kSecond : kNoTime);
      log.note_verbs(verb_bit(verbs[i % verbs.size()]));
    }
    log.remark([&](std::uint32_t client) { return users == 0 ? "" : "user-" + std::to_string(client % users); }, known);
    return known;
  }
};

std::vector<RemarkKind> kinds_of(const std::vector<Remark>& remarks) {
  std::vector<RemarkKind> out;
  for (const Remark& remark : remarks) out.push_back(remark.kind);
  return out;
}

using Kinds = std::vector<RemarkKind>;

}  // namespace

TEST_CASE("The traffic of a server is no selection", "[selection]") {
  CHECK(SelectedLog().remarks().empty());
  CHECK(SelectedLog{.requests = 0}.remarks().empty());
  CHECK(SelectedLog{.users = 0}.remarks().empty());  // nobody knows whose requests they are
  CHECK(SelectedLog{.verbs = {"update", "watch"}}.remarks().empty());
  CHECK(SelectedLog{.verbs = {"approve"}}.remarks().size() ==
        1);  // nobody reads; verbs that are unknown may be several
}

TEST_CASE("Each selection is named, with its size", "[selection]") {
  const SelectedLog no_ends{.ends = false}, refused{.served = false}, user{.users = 1}, verb{.verbs = {"LIST"}};
  const SelectedLog slow{.shortest = kSecond};
  CHECK(kinds_of(no_ends.remarks()) == Kinds{RemarkKind::no_request_ends});
  CHECK(kinds_of(refused.remarks()) == Kinds{RemarkKind::only_refusals});
  CHECK(user.remarks().front() == Remark{.kind = RemarkKind::one_user, .count = 40, .name = "user-0"});
  CHECK(verb.remarks().front() == Remark{.kind = RemarkKind::one_verb, .count = 40, .name = "list"});
  CHECK(slow.remarks() == std::vector{Remark{.kind = RemarkKind::only_slow, .count = 40, .duration = kSecond}});
  CHECK(SelectedLog{.shortest = kSecond - 1}.remarks().empty());
  CHECK(kinds_of(SelectedLog{.verbs = {"update", "create"}}.remarks()) == Kinds{RemarkKind::reads_missing});
  for (const SelectedLog& log : {no_ends, refused, user, verb, slow})
    for (const Remark& remark : log.remarks()) CHECK(is_of_selection(remark));
  CHECK(!is_of_selection({.kind = RemarkKind::nodes_missing}));
}

TEST_CASE("A few requests of one user or verb may be all there were", "[selection]") {
  CHECK(SelectedLog{.requests = 19, .users = 1}.remarks().empty());
  CHECK(SelectedLog{.requests = 19, .verbs = {"update"}}.remarks().empty());
  CHECK(SelectedLog{.requests = 19, .shortest = kSecond}.remarks().empty());
  CHECK(kinds_of(SelectedLog{.requests = 2, .served = false}.remarks()) == Kinds{RemarkKind::only_refusals});
  CHECK(kinds_of(SelectedLog{.requests = 1, .ends = false}.remarks()) == Kinds{RemarkKind::no_request_ends});
}

TEST_CASE("A selection comes before what else a log lacks, and is not said twice", "[selection]") {
  const SelectedLog writes{.verbs = {"update", "create"}};
  CHECK(kinds_of(writes.remarks({{.kind = RemarkKind::reads_missing}})) == Kinds{RemarkKind::reads_missing});
  CHECK(kinds_of(SelectedLog{.users = 1}.remarks({{.kind = RemarkKind::nodes_missing}})) ==
        Kinds{RemarkKind::one_user, RemarkKind::nodes_missing});
}
