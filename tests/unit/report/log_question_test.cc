// What a question to a log answers, and whether the log decides it.
#include <apf/log_question.h>

#include <list>

#include <fmt/format.h>

#include "catch.h"
#include "report/advise/contradiction_hint.h"
#include "support/times.h"

using namespace apf;
using namespace apf::test;

namespace {

// A minute of ten requests a second, which run for 0.1 to 1 s; `refused`: of ten. By three clients in turn, or
// one.
std::string audit_log(int refused, bool of_one = false) {
  constexpr const char* kClients[] = {"cart", "search", "mail"};
  std::string out;
  for (int i = 0; i < 600; ++i) {
    const Nanos begin = kNoon + i * 100 * kMillisecond;
    const bool is_refused = i % 10 < refused;
    out += fmt::format(
        R"({{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"id-{0}","stage":"ResponseComplete",)"
        R"("requestURI":"/api/v1/namespaces/shop-{2}/pods/p","verb":"{3}","user":{{"username":"system:serviceaccount:shop:{1}",)"
        R"("groups":["system:serviceaccounts","system:authenticated"]}},"objectRef":{{"resource":"pods","namespace":"shop-{2}",)"
        R"("name":"p","apiVersion":"v1"}},"responseStatus":{{"code":{4}}},"requestReceivedTimestamp":"{5}","stageTimestamp":"{6}",)"
        R"("annotations":{{"apf_pl":"workload-low","apf_fs":"service-accounts"}}}})"
        "\n",
        i, of_one ? kClients[0] : kClients[i % 3], i % 4, i % 3 == 0 ? "update" : "get", is_refused ? 429 : 200,
        format_rfc3339(begin), format_rfc3339(begin + (is_refused ? kMillisecond : (1 + i % 10) * 100 * kMillisecond)));
  }
  return out;
}

ReplayOptions options_of(const std::string& log, int seats) {
  static std::list<std::string> kept;  // options have a view of it
  ReplayOptions options;
  options.config = bootstrap_config(kNewestKubeVersion);
  options.server_concurrency_limit = seats;
  options.logs = {"audit.log"};
  options.texts["audit.log"] = kept.emplace_back(log);
  return options;
}

bool assumes_seats(const ReplayReport& report) {
  return find_remark(report.warnings, RemarkKind::seats_assumed) != nullptr;
}

}  // namespace

TEST_CASE("A log without refusals decides what a replay says, on seats that are said to be assumed", "[log-question]") {
  LogQuestion question;
  LogAnswer answer = question.ask(options_of(audit_log(0), 600));
  CHECK(answer.why_undecided == "");
  CHECK(assumes_seats(answer.report));
  CHECK_THAT(assumed_seats(answer.report), Catch::Contains("600 seats"));

  question.evidence.replayed_seats = true;
  answer = question.ask(options_of(audit_log(0), 600));
  CHECK(!assumes_seats(answer.report));
  CHECK(assumed_seats(answer.report).empty());
}

TEST_CASE("A log that contradicts its replay decides nothing, unless all of the server is known", "[log-question]") {
  const ReplayOptions options = options_of(audit_log(5), 600);
  LogQuestion question;
  const std::string why = question.ask(options).why_undecided;
  CHECK_THAT(why, Catch::Contains("--allow-disagreement"));
  CHECK(!why.ends_with('.'));

  question.evidence = {.seats = true, .objects = true, .config = true};
  CHECK(question.ask(options).why_undecided.empty());
  question.evidence.same = true;  // a claim, which the log denies
  const LogAnswer denied = question.ask(options);
  CHECK(!denied.why_undecided.empty());
  CHECK_THAT(question.why_wrong(denied.report), Catch::Contains("--recorded config=same"));
  question.allow_disagreement = true;
  CHECK(question.ask(options).why_undecided.empty());

  std::vector<ExpectationResult> results(1);
  question.mark_undecided(denied.report, results);
  CHECK(results.front().decided);
  question.allow_disagreement = false;
  question.mark_undecided(denied.report, results);
  CHECK(!results.front().decided);
}

TEST_CASE("A selection decides nothing", "[log-question]") {
  LogQuestion question;
  CHECK_THAT(question.ask(options_of(audit_log(0, true), 600)).why_undecided, Catch::Contains("selection"));
  question.allow_empty = true;
  CHECK(question.ask(options_of(audit_log(0, true), 600)).why_undecided.empty());
}

TEST_CASE("Lines that cannot be used decide nothing where they are many", "[log-question]") {
  LogQuestion question;
  std::string log = audit_log(0);
  for (int i = 0; i < 200; ++i) log += "{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"stage\":7}\n";
  CHECK_THAT(question.ask(options_of(log, 600)).why_undecided, Catch::Contains("unusable"));
  question.allow_empty = true;
  CHECK(question.ask(options_of(log, 600)).why_undecided.empty());
}

TEST_CASE("Seats of a scrape are those of the server that wrote the log", "[log-question]") {
  ScrapedSeats seats;
  seats.number = 250;
  LogQuestion question;
  ReplayOptions options = options_of("", 600);
  question.take_coverage({}, {}, seats, options);  // the user named seats: they stay
  CHECK(options.server_concurrency_limit == 600);
  CHECK(question.evidence.seats);

  options.seats_by_log = true;
  question.take_coverage({}, {}, seats, options);
  CHECK(options.server_concurrency_limit == 250);

  options.recorded.emplace();  // another server is replayed
  question.take_coverage({}, {}, seats, options);
  CHECK(options.recorded->server_concurrency_limit == 250);
}
