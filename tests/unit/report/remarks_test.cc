// Remarks: each kind has a name, and a sentence and a hint that follow from its values.
#include <algorithm>
#include <set>

#include <apf/report.h>

#include "catch.h"

using namespace apf;

namespace {

using Kind = RemarkKind;

std::vector<RemarkKind> all_kinds() {
  std::vector<RemarkKind> out;
  for (int i = 0; i < static_cast<int>(RemarkKind::kCount); ++i) out.push_back(static_cast<RemarkKind>(i));
  return out;
}

Remark filled(RemarkKind kind, std::uint64_t count) {
  return {.kind = kind,
          .count = count,
          .total = 1000,
          .other = 2,
          .time = 0,
          .duration = kSecond,
          .name = "pods",
          .detail = "pod"};
}

}  // namespace

TEST_CASE("each kind of remark has a name of its own", "[report][remarks]") {
  std::set<std::string> names;
  for (const RemarkKind kind : all_kinds()) {
    const std::string name = to_string(kind);
    INFO(name);
    CHECK(names.insert(name).second);
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos);
  }
}

TEST_CASE("sentences and hints are complete whichever values a remark has", "[report][remarks]") {
  const Remark all = filled(RemarkKind::kCount, 2);
  for (const RemarkKind kind : all_kinds())
    for (unsigned which = 0; which < 1u << 7; ++which)
      for (const char* detail : {"loop", "reject", "user", "ResponseStarted", "refused", "other"}) {
        Remark remark{.kind = kind};
        if (which & 1) remark.count = all.count;
        if (which & 2) remark.total = all.total;
        if (which & 4) remark.other = all.other;
        if (which & 8) remark.time = all.time;
        if (which & 16) remark.duration = all.duration;
        if (which & 32) remark.name = all.name;
        if (which & 64) remark.detail = detail;
        const std::string text = sentence_of(remark) + "\n" + hint_of(remark);
        if (text.find_first_of("{}#|") != std::string::npos) FAIL_CHECK(to_string(kind) << ": " << text);
      }
}

TEST_CASE("texts of remarks are shown as they are", "[report][remarks]") {
  CHECK(sentence_of({.kind = Kind::log_damaged, .name = "{log}#|", .detail = "{damage?a|b}"}) ==
        "{log}#| {damage?a|b}.");
  CHECK(sentence_of({.kind = Kind::policy_omits, .name = "#{", .detail = "}"}) ==
        "The audit policy never records requests of #{, and records only a part of }.");
}

TEST_CASE("a sentence decides by the values of its remark", "[report][remarks]") {
  const auto is = [](const Remark& remark, const char* sentence) { CHECK(sentence_of(remark) == sentence); };
  is({.kind = Kind::out_of_order, .count = 1, .duration = 2 * kSecond},
     "1 line is older than a line before it, by up to 2.00s: the lines were put in order of time.");
  is({.kind = Kind::out_of_order, .count = 2000, .duration = 2 * kSecond},
     "2,000 lines are older than a line before them, by up to 2.00s: the lines were put in order of time.");
  is({.kind = Kind::watch_init_assumed, .count = 1, .duration = 0},
     "1 watch is assumed to initialize at once: the log doesn't say how long that takes.");
  is({.kind = Kind::watch_init_assumed, .count = 2, .duration = kSecond},
     "2 watches are assumed to initialize in 1.00s: the log doesn't say how long that takes.");
  is({.kind = Kind::time_zone_shifted, .duration = -7200 * kSecond},
     "The times of the server's own log are assumed to be 2h00m ahead of UTC, by requests that are also in the audit "
     "log.");
  is({.kind = Kind::time_zone_shifted, .duration = 7200 * kSecond},
     "The times of the server's own log are assumed to be 2h00m behind UTC, by requests that are also in the audit "
     "log.");
  is({.kind = Kind::load_missing, .count = 1, .total = 2000, .other = 1500, .name = "a"},
     "1 request of the 2,000 that the server dispatched (a) is not in the log: 1.50 seats on average, by which the "
     "load is understated.");
  is({.kind = Kind::load_missing, .count = 2, .total = 2000, .name = "a"},
     "2 requests of the 2,000 that the server dispatched (a) are not in the log.");
  is({.kind = Kind::policy_omits, .detail = "a"}, "The audit policy records only a part of a.");
  is({.kind = Kind::policy_omits, .count = 2, .name = "a and b"},
     "The audit policy records requests of a and b without ResponseComplete: the log cannot say how long they ran.");
  is({.kind = Kind::better_policy}, "An audit policy that records every request at level Metadata.");
  is({.kind = Kind::better_policy, .detail = "ResponseStarted"},
     "An audit policy that records stage ResponseStarted of watches.");
  is({.kind = Kind::better_policy, .name = "a", .detail = "ResponseComplete"},
     "An audit policy that records a at level Metadata, with stage ResponseComplete of every request.");
  Remark against{.kind = Kind::log_contradicts_replay, .count = 0, .total = 2000, .other = 7};
  is(against,
     "The log contradicts this replay: in it none of 2,000 requests was refused, and the replay refuses 7. The server "
     "that wrote the log was another one than is replayed.");
  against = {
      .kind = Kind::log_contradicts_recorded, .count = 500, .total = 2000, .other = 0, .name = "b", .detail = "c"};
  is(against,
     "The log contradicts the replay of the recorded server: in it 500 of 2,000 requests were refused (25 %), b; c; "
     "the "
     "replay refuses none. The server that wrote the log was another one than is said.");
  against.duration = kSecond;
  against.time = 3 * kSecond;
  is(against,
     "The log contradicts the replay of the recorded server: in it requests waited 1.00s on average, in the replay "
     "3.00s. The server that wrote the log was another one than is said.");
}

TEST_CASE("hints name the flag that helps, and values of their remark", "[report][remarks]") {
  CHECK(hint_of({.kind = Kind::clock_guessed, .time = 0}) == "use --start to set another time");
  CHECK(hint_of({.kind = Kind::client_waits, .name = "kubectl", .detail = "loop"}) ==
        "use --client-model 'kubectl=loop', or --client-model auto");
  CHECK(hint_of({.kind = Kind::whole_seconds}).empty());
}

TEST_CASE("sentences of remarks name no flags, and count well", "[report][remarks]") {
  for (const RemarkKind kind : all_kinds()) {
    const std::string one = sentence_of(filled(kind, 1)), many = sentence_of(filled(kind, 99427));
    INFO(one << '\n' << many);
    CHECK(one.find(" --") == std::string::npos);
    CHECK(many.find("99427") == std::string::npos);
    if (one != many) CHECK(many.find("99,427") != std::string::npos);
  }
}

TEST_CASE("a remark in text and in JSON", "[report][remarks]") {
  Remark remark{.kind = RemarkKind::seats_missing, .count = 0, .total = 99427};
  CHECK(render_text(remark) ==
        "Seats recorded for 0 of 99,427 requests; the others are estimated. kube-apiserver's own log records them at "
        "-v=3.");
  remark = {.kind = RemarkKind::object_counts_missing, .count = 61, .hint = "use a flag"};
  CHECK(render_text(remark) == "61 lists cost 1 seat, because the number of objects is unknown (use a flag).");
  JsonWriter json;
  json.begin_object();
  write_remarks(json, "warnings",
                {remark,
                 {.kind = RemarkKind::gap_in_time, .count = 1, .other = 60, .time = 5 * kSecond, .duration = kSecond},
                 {.kind = RemarkKind::log_contradicts_replay, .count = 0, .total = 9, .other = 7},
                 {.kind = RemarkKind::log_empty, .name = "a.log"}});
  json.end_object();
  CHECK(
      json.take() ==
      R"({"warnings":[{"kind":"object-counts-missing","message":"61 lists cost 1 seat, because the number of objects )"
      R"(is unknown.","hint":"use a flag","count":61},{"kind":"gap-in-time","message":"No request for 1.00s from )"
      R"(1970-01-01T00:00:05Z, where about 60 would be expected: a part of the log is missing.","count":1,"other":60,)"
      R"("timeNs":5000000000,"durationNs":1000000000},{"kind":"log-contradicts-replay","message":"The log contradicts )"
      R"(this replay: in it none of 9 requests was refused, and the replay refuses 7. The server that wrote the log )"
      R"(was another one than is replayed.","logged":0,"replayed":7,"total":9},{"kind":"log-empty","message":"a.log )"
      R"(is empty.","name":"a.log"}]})");
}

TEST_CASE("what the table does not name is in JSON nevertheless", "[report][remarks]") {
  for (const RemarkKind kind : all_kinds()) {
    JsonWriter json;
    json.begin_object();
    write_remarks(json, "warnings", {filled(kind, 99427)});
    std::string text = json.end_object().take();
    std::replace(text.begin(), text.end(), '}', ',');
    INFO(text);
    for (const char* value : {":99427", ":1000,", ":2,", ":0,", ":1000000000,", ":\"pods\"", ":\"pod\""})
      CHECK(text.find(value) != std::string::npos);
  }
}
