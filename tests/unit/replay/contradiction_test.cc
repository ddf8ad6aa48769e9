// When the log contradicts a replay, and what it says of the seats.
#include "replay/passes/contradiction.h"

#include <apf/report.h>

#include "catch.h"
#include "replay/books/agreement.h"
#include "replay/prepare/seats_in_log.h"

using namespace apf;

namespace {

// So many requests, of which the log and the replay refused so many at one level.
ReplayReport report_of(std::uint64_t requests, std::uint64_t logged, std::uint64_t replayed) {
  ReplayReport report;
  RecordedReport& recorded = report.recorded;
  recorded.compared = requests;
  recorded.refused_in_log = logged;
  recorded.refused_in_both = std::min(logged, replayed);
  recorded.refused_only_in_log = logged - recorded.refused_in_both;
  recorded.refused_only_in_replay = replayed - recorded.refused_in_both;
  recorded.levels.push_back({"workload-low", {}, {}, logged, replayed, 5});
  recorded.refused_users.push_back({"system:serviceaccount:shop:web", logged});
  return report;
}

bool contradicts(std::uint64_t requests, std::uint64_t logged, std::uint64_t replayed) {
  ReplayReport report = report_of(requests, logged, replayed);
  warn_of_contradiction({}, report);
  return !report.warnings.empty();
}

ReplayReport waits_of(double logged, double replayed) {
  ReplayReport report = report_of(100, 0, 0);
  report.recorded.waits_compared = 50;
  report.recorded.mean_wait_log = logged;
  report.recorded.mean_wait_replay = replayed;
  return report;
}

PreparedEvent event_at(Nanos received, Nanos end, Nanos wait = kNoTime) {
  PreparedEvent event;
  event.received = received;
  event.stage_time = end;
  event.queue_wait = wait;
  return event;
}

PreparedEvent refused_at(Nanos received, Nanos waited = 1) {
  PreparedEvent event = event_at(received, received + waited);
  event.recorded_refusal = true;
  return event;
}

}  // namespace

TEST_CASE("Refusals far from those of the log contradict a replay", "[contradiction]") {
  CHECK(contradicts(4455, 869, 0));
  CHECK(contradicts(4455, 100, 869));
  CHECK(!contradicts(4455, 0, 869));  // the log refuses nobody: what would a smaller server do?
  CHECK(contradicts(60, 17, 0));
  CHECK(contradicts(1'000'000, 40, 0));
  CHECK(!contradicts(4455, 869, 868));
  CHECK(!contradicts(4455, 767, 1142));  // another phase of the 10 s clock does as much
  CHECK(!contradicts(60, 4, 0));         // a handful
  CHECK(!contradicts(60, 0, 0));
}

TEST_CASE("A level may contradict what the sum does not", "[contradiction]") {
  ReplayReport report = report_of(1000, 200, 0);
  report.recorded.levels.push_back({"catch-all", {}, {}, 0, 200, std::nullopt});
  report.recorded.refused_only_in_replay = 200;
  CHECK(contradicts_log(report));
  report.recorded.compared = 100'000;  // a small part of the requests is another one in each run
  CHECK(!contradicts_log(report));
}

TEST_CASE("Waits far from those of the log contradict a replay, too", "[contradiction]") {
  CHECK(contradicts_log(waits_of(3, 0)));
  CHECK(contradicts_log(waits_of(0.3, 3)));
  CHECK(!contradicts_log(waits_of(0.1, 3)));  // hardly anybody waits in the log: what would a smaller server do?
  CHECK(!contradicts_log(waits_of(3, 2.5)));
  CHECK(!contradicts_log(waits_of(0.2, 0)));
  ReplayReport few = waits_of(3, 0);
  few.recorded.waits_compared = 5;
  CHECK(!contradicts_log(few));
  ReplayReport report = waits_of(3, 0);
  warn_of_contradiction({}, report);
  CHECK(sentence_of(report.warnings.front()) ==
        "The log contradicts this replay: in it requests waited 3.00s on average, in the replay 0. The server that "
        "wrote the log was another one than is replayed.");
}

TEST_CASE("What the log leaves open must all contradict it", "[contradiction]") {
  ReplayReport report = report_of(4455, 869, 0);
  report.others.push_back(report_of(4455, 869, 800));
  warn_of_contradiction({}, report);
  CHECK(report.warnings.empty());
  report.others.clear();
  const std::vector<ReplayReport> more = {report_of(4455, 869, 900)};
  warn_of_contradiction({}, report, more);
  CHECK(report.warnings.empty());
  warn_of_contradiction({}, report);
  REQUIRE(report.warnings.size() == 2);
  warn_of_contradiction({}, report);  // said once
  CHECK(report.warnings.size() == 2);
  CHECK(report.warnings[0].count == 869);
  CHECK(report.warnings[0].other == 0);
  CHECK(report.warnings[1] == Remark{.kind = RemarkKind::seats_while_refusing, .count = 5, .name = "workload-low"});
}

TEST_CASE("The log says how many seats a level had: those in use while it refused", "[contradiction]") {
  SeatsInLog log;
  CHECK(!log.most_while_refusing());
  log.arrive(event_at(0, 100));
  log.arrive(event_at(10, 100, 80));  // in its queue until 90
  log.arrive(event_at(20, 100, 0));
  log.arrive(refused_at(30));
  CHECK(log.most_while_refusing() == 2);
  for (Nanos t = 40; t < 60; ++t) log.arrive(event_at(t, kSecond));
  CHECK(log.most_while_refusing() == 2);  // it refuses nobody then
  log.arrive(refused_at(kSecond / 2));
  CHECK(log.most_while_refusing() == 20);
  for (Nanos t = 2 * kSecond; t < 2 * kSecond + 5000; ++t) log.arrive(event_at(t, t + 10));
  log.arrive(refused_at(2 * kSecond + 5000));
  CHECK(log.most_while_refusing() == 20);
  // Whoever is refused after a wait found all seats in use for as long.
  log.arrive(refused_at(10 * kSecond, 15 * kSecond));
  for (int i = 1; i <= 30; ++i) log.arrive(event_at(11 * kSecond + i * 20 * kMillisecond, 20 * kSecond));
  CHECK(log.most_while_refusing() == 30);
  for (int i = 1; i <= 40; ++i) log.arrive(event_at(26 * kSecond + i * 20 * kMillisecond, 40 * kSecond));
  CHECK(log.most_while_refusing() == 30);
}

TEST_CASE("Requests that arrived as the log ended do not say that another server wrote it", "[contradiction]") {
  const auto kind_of = [](ReplayReport report) {
    warn_of_contradiction({}, report);
    return report.warnings.empty() ? RemarkKind::kCount : report.warnings.front().kind;
  };
  ReplayReport report = report_of(637, 263, 14);
  RecordedReport::Level& level = report.recorded.levels.front();
  report.recorded.at_end.length = 15 * kSecond;
  level.refused_log_at_end = 200;  // and 63 before, which are too many
  CHECK(kind_of(report) == RemarkKind::log_contradicts_replay);
  level.refused_log_at_end = 250;
  CHECK(kind_of(report) == RemarkKind::log_contradicts_at_end);
  report.levels.emplace_back().name = "workload-low";
  report.levels.back().exempt = true;  // nothing waits there
  CHECK(kind_of(report) == RemarkKind::log_contradicts_replay);
  ReplayReport more = report_of(637, 14, 263);
  more.recorded.levels.front().refused_replay_at_end = 263;  // whatever is missing would make it more
  CHECK(kind_of(more) == RemarkKind::log_contradicts_replay);
  ReplayReport waits = waits_of(3, 0.5);
  waits.recorded.at_end = {15 * kSecond, 45, 150, 25};
  CHECK(kind_of(waits) == RemarkKind::log_contradicts_at_end);
}

TEST_CASE("Arrivals are of the end for as long as a request may wait", "[contradiction]") {
  LastArrivals last(15 * kSecond);
  for (Nanos second = 0; second < 100; ++second) ++last.at(second * kSecond).refused_log;
  ++last.at(0).refused_log;  // long ago
  CHECK(last.sum(100 * kSecond).refused_log == 15);
  CHECK(last.sum(110 * kSecond).refused_log == 5);
  CHECK(last.sum(200 * kSecond).refused_log == 0);
}

TEST_CASE("A what-if is held against the log by the replay of the recorded server", "[contradiction]") {
  ReplayOptions options;
  options.recorded.emplace();
  options.recorded->server_concurrency_limit = options.server_concurrency_limit + 1;
  ReplayReport report = report_of(4455, 869, 0);
  warn_of_contradiction(options, report);
  REQUIRE(!report.warnings.empty());
  CHECK(report.warnings.front().kind == RemarkKind::log_contradicts_recorded);
  CHECK(sentence_of(report.warnings.front())
            .starts_with("The log contradicts the replay of the recorded server: in it 869"));
  options.recorded->server_concurrency_limit.reset();  // it is the replayed one
  warn_of_contradiction(options, report);
  CHECK(report.warnings.front().kind == RemarkKind::log_contradicts_replay);
  // Without API Priority and Fairness another system is replayed than most servers have; the recorded one has it.
  options.in_flight.emplace();
  warn_of_contradiction(options, report);
  CHECK(report.warnings.front().kind == RemarkKind::log_contradicts_recorded);
  // Without that, a replay of it decides nothing.
  options.recorded.reset();
  report.warnings.clear();
  warn_of_contradiction(options, report);
  CHECK(report.warnings.empty());
}
