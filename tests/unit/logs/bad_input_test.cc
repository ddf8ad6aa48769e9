// What logs of real clusters have wrong with them: counted, reported, and the replay goes on.
#include <deque>

#include <fmt/format.h>

#include <apf/config.h>
#include <apf/error.h>
#include <apf/logs.h>
#include <apf/replay.h>

#include "catch.h"

using namespace apf;

namespace {

// Logs in memory.
class Logs {
 public:
  std::string add(const std::string& text) {
    const std::string name = std::to_string(kept_.size()) + ".log";
    options_.texts[name] = kept_.emplace_back(text);
    return name;
  }
  // What is read: those of the names.
  LogOptions of(const std::vector<std::string>& names, int year = 2026) const {
    LogOptions options = options_;
    options.logs = names;
    options.log_year = year;
    return options;
  }

 private:
  std::deque<std::string> kept_;
  LogOptions options_;
};

std::string audit(const std::string& id, const char* received, const char* end, const char* stage = "ResponseComplete",
                  const char* verb = "get", const char* uri = "/api/v1/nodes/a") {
  return fmt::format(
      R"({{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"{}","stage":"{}","requestURI":"{}","verb":"{}",)"
      R"("user":{{"username":"jane","groups":["system:authenticated"]}},"responseStatus":{{"code":200}},)"
      R"("requestReceivedTimestamp":"{}","stageTimestamp":"{}"}})"
      "\n",
      id, stage, uri, verb, received, end);
}

std::string http(const std::string& time, int process = 11, const std::string& latency = "5ms",
                 const std::string& id = "") {
  return fmt::format(
      R"x(I{} {:>7} httplog.go:134] "HTTP" verb="GET" URI="/api/v1/nodes/a" latency="{}" userAgent="kubectl/v1 (linux)" audit-ID="{}" )x"
      R"x(srcIP="10.0.0.1:1" apf_pl="global-default" apf_fs="global-default" apf_iseats=1 apf_fseats=0 )x"
      R"x(apf_additionalLatency="0s" apf_execution_time="4ms" resp=200)x"
      "\n",
      time, process, latency, id);
}

ReplayReport replay_of(const LogOptions& logs, int threads = 1) {
  ReplayOptions options;
  static_cast<LogOptions&>(options) = logs;
  options.config = bootstrap_config(kNewestKubeVersion);
  options.threads = threads;
  return replay(options);
}

// The count of a remark, 1 where it has none; 0: it is not there.
std::uint64_t count_in(const std::vector<Remark>& remarks, RemarkKind kind) {
  for (const Remark& remark : remarks)
    if (remark.kind == kind) return remark.count.value_or(1);
  return 0;
}

Remark out_of_order(std::uint64_t lines, Nanos deepest) {
  return {.kind = RemarkKind::out_of_order, .count = lines, .duration = deepest};
}

}  // namespace

TEST_CASE("Lines out of order are put in order", "[logs]") {
  Logs logs;
  const auto lines = [](int first, int count) {
    std::string text;
    for (int i = first; i < first + count; ++i)
      text += http(fmt::format("1120 {:02}:{:02}:{:02}.000000", i / 3600, i / 60 % 60, i % 60));
    return text;
  };
  constexpr int kTwo = 14 * 3600, kNoon = 12 * 3600;
  const auto time = [](int second) {
    return *parse_rfc3339("2026-11-20T00:00:00Z") + second * kSecond - 5 * kMillisecond;
  };
  // Two hours back, in the middle of a chunk and over the borders of several.
  for (const int count : {300, 20'000}) {
    const std::string log = logs.add(lines(kTwo, 200) + lines(kNoon - count, count));
    for (const int threads : {1, 3}) {
      const ReplayReport report = replay_of(logs.of({log}), threads);
      CHECK(report.total.requests == static_cast<std::uint64_t>(200 + count));
      CHECK(report.out_of_window == 0);
      CHECK(*report.first_arrival == time(kNoon - count));
      CHECK(*report.last_arrival == time(kTwo + 199));
      CHECK(report.lines == static_cast<std::uint64_t>(200 + count));
      CHECK(report.warnings.at(0) == out_of_order(count, (2 * 3600 + 199 + count) * kSecond));
    }
    const LogStat stat = stat_logs(logs.of({log}));
    CHECK(stat.out_of_order == static_cast<std::uint64_t>(count));
    CHECK(stat.files.at(0).lines == static_cast<std::uint64_t>(200 + count));
  }
  // In two files, which overlap: no line is in the wrong place.
  const std::string all_even = logs.add(lines(kTwo, 100) + lines(kTwo + 300, 100)),
                    within = logs.add(lines(kTwo + 50, 300));
  const ReplayReport overlap = replay_of(logs.of({all_even, within}));
  CHECK(overlap.total.requests == 500);
  CHECK(overlap.out_of_window == 0);
  CHECK(*overlap.last_arrival == time(kTwo + 399));
  CHECK(count_in(overlap.warnings, RemarkKind::out_of_order) == 0);
  // One line that is late by less than the window is taken as it comes.
  const ReplayReport late =
      replay_of(logs.of({logs.add(lines(kTwo, 200) + http("1120 14:03:01.000000") + lines(kTwo + 200, 2000))}));
  CHECK(late.out_of_window == 0);
  CHECK(late.warnings.at(0) == out_of_order(1, 18 * kSecond));
  // So does trace, which begins again.
  const LogOptions options = logs.of({logs.add(lines(kTwo, 5000) + lines(kNoon, 300))});
  Nanos last = 0;
  int requests = 0;
  const auto take = [&](const TraceRequest& request) {
    CHECK(request.time >= last);
    last = request.time;
    ++requests;
  };
  const LogReport traced = trace_logs(options, take, [&] { last = requests = 0; });
  CHECK(requests == 5300);
  CHECK(last == time(kTwo + 4999));
  CHECK(traced.warnings.at(0) == out_of_order(300, (2 * 3600 + 4999) * kSecond));
  LogOptions unknown = options;
  unknown.order = make_log_order();
  CHECK_THROWS_AS(trace_logs(unknown, [](const TraceRequest&) {}), Error);
}

TEST_CASE("The stages of a request come in any order", "[logs]") {
  Logs logs;
  const char* const watch = "/api/v1/pods?watch=1";
  const std::vector<std::string> in_order = {
      audit("00000001-0000-4000-8000-000000000000", "2026-11-20T12:00:00Z", "2026-11-20T12:00:00Z", "RequestReceived"),
      audit("00000002-0000-4000-8000-000000000000", "2026-11-20T12:00:01Z", "2026-11-20T12:00:01.2Z", "ResponseStarted",
            "watch", watch),
      audit("00000001-0000-4000-8000-000000000000", "2026-11-20T12:00:00Z", "2026-11-20T12:00:02Z"),
      audit("00000002-0000-4000-8000-000000000000", "2026-11-20T12:00:01Z", "2026-11-20T12:00:03Z", "ResponseComplete",
            "watch", watch),
      audit("00000003-0000-4000-8000-000000000000", "2026-11-20T12:00:03Z", "2026-11-20T12:00:04Z")};
  // As chunks would part them: the first line, 1 MiB of blank lines, and the others.
  std::vector<int> places = {0, 1, 2, 3, 4};
  do {
    std::string text;
    for (const int place : places) text += in_order[static_cast<std::size_t>(place)] + std::string(1u << 20, '\n');
    std::vector<std::string> traced;
    const LogReport report = trace_logs(
        logs.of({logs.add(text)}), [&](const TraceRequest& request) { traced.push_back(render_trace_line(request)); },
        [&] { traced.clear(); });
    CHECK(report.requests == 3);
    static const std::vector<std::string> wanted = traced;  // in order
    CHECK(traced == wanted);
  } while (std::next_permutation(places.begin(), places.end()));
}

TEST_CASE("Watches that began before the HTTP log", "[logs]") {
  Logs logs;
  const std::string watch =
      R"x(I1120 12:{}.000000      11 httplog.go:134] "HTTP" verb="WATCH" URI="/api/v1/pods?watch=true" latency="{}" userAgent="a/v1" audit-ID="" )x"
      R"x(srcIP="10.0.0.1:1" apf_pl="global-default" apf_fs="global-default" apf_iseats=1 apf_fseats=0 apf_additionalLatency="0s" apf_init_latency="2ms" apf_execution_time="2ms" resp=200)x"
      "\n";
  const std::string log =
      logs.add(http("1120 12:00:00.000000") + fmt::format(fmt::runtime(watch), "00:10", "20s") +
               fmt::format(fmt::runtime(watch), "05:00", "30m0s") + fmt::format(fmt::runtime(watch), "06:00", "5m0s"));
  const ReplayReport report = replay_of(logs.of({log}));
  CHECK(report.requests == 4);
  CHECK(report.left_out.at("began-before-the-log") == 1);
  CHECK(report.total.requests == 3);
  CHECK(report.out_of_window == 0);
}

TEST_CASE("Events told twice", "[logs]") {
  Logs logs;
  const std::string one = audit("11111111-0000-4000-8000-000000000000", "2026-11-20T12:00:00Z", "2026-11-20T12:00:01Z");
  // The same ID at another time: a client that sets it.
  const std::string other =
      audit("11111111-0000-4000-8000-000000000000", "2026-11-20T12:00:05Z", "2026-11-20T12:00:06Z");
  const std::string log = logs.add(one + one + other + one + audit("", "2026-11-20T12:00:07Z", "2026-11-20T12:00:08Z") +
                                   audit("", "2026-11-20T12:00:07Z", "2026-11-20T12:00:08Z"));
  const ReplayReport report = replay_of(logs.of({log}));
  CHECK(report.total.requests == 4);
  CHECK(count_in(report.warnings, RemarkKind::duplicate_events) == 2);
  const LogStat stat = stat_logs(logs.of({log}));
  CHECK(stat.duplicates == 2);
  CHECK(stat.requests == 4);
  const std::string line = http("1120 14:00:01.000000", 11, "5ms", "22222222-0000-4000-8000-000000000000");
  CHECK(replay_of(logs.of({logs.add(line + line)})).total.requests == 1);
}

TEST_CASE("Watches without an end and without a beginning", "[logs]") {
  Logs logs;
  const char* uri = "/api/v1/pods?watch=1";
  const std::string log =
      logs.add(audit("a", "2026-11-20T12:00:00Z", "2026-11-20T12:00:00.1Z", "ResponseStarted", "watch", uri) +
               audit("b", "2026-11-20T12:00:01Z", "2026-11-20T12:00:20Z", "ResponseComplete", "watch", uri) +
               audit("c", "2026-11-20T12:00:02Z", "2026-11-20T12:00:02Z", "RequestReceived") +
               audit("d", "2026-11-20T12:00:03Z", "2026-11-20T12:00:04Z"));
  const ReplayReport report = replay_of(logs.of({log}));
  CHECK(report.total.requests == 4);
  CHECK(report.watches_peak == 2);
  CHECK(count_in(report.warnings, RemarkKind::unfinished_requests) == 1);
  const LogStat stat = stat_logs(logs.of({log}));
  CHECK(stat.requests == 4);
  CHECK(stat.unfinished == 2);
  CHECK(stat.watches == 2);
  CHECK(stat.watches_started == 1);
  CHECK(stat.finish_without_start == 1);
}

TEST_CASE("A log without years over New Year, in chunks", "[logs]") {
  Logs logs;
  std::string text;
  const auto second = [](int i) { return i * 9 / 10; };
  for (int i = 0; i < 4000; ++i)
    text += http(fmt::format("1231 23:{:02}:{:02}.000000", second(i) / 60, second(i) % 60));
  for (int i = 0; i < 4000; ++i)
    text += http(fmt::format("0101 00:{:02}:{:02}.000000", second(i) / 60, second(i) % 60));
  const std::string log = logs.add(text);
  for (const int threads : {1, 4}) {
    const ReplayReport report = replay_of(logs.of({log}, 2024), threads);
    CHECK(report.total.requests == 8000);
    REQUIRE(report.last_arrival);
    CHECK(*report.first_arrival == *parse_rfc3339("2024-12-31T23:00:00Z") - 5 * kMillisecond);
    CHECK(*report.last_arrival == *parse_rfc3339("2025-01-01T00:59:59Z") - 5 * kMillisecond);
  }
  // The next file goes on in the new year.
  const LogStat stat = stat_logs(logs.of({log, logs.add(http("0102 00:00:00.000000"))}, 2024));
  CHECK(*stat.last_arrival == *parse_rfc3339("2025-01-02T00:00:00Z") - 5 * kMillisecond);
}

TEST_CASE("Where the year of klog comes from", "[logs]") {
  Logs logs;
  const auto first = [&](const std::vector<std::string>& names, int year = 0) {
    const LogStat stat = stat_logs(logs.of(names, year));
    return std::pair(format_rfc3339(*stat.last_arrival).substr(0, 4),
                     count_in(stat.warnings, RemarkKind::log_year_unknown) == 1);
  };
  const std::string line = http("0102 00:00:00.000000");
  CHECK(first({logs.add(line)}) == std::pair(std::string("1970"), true));
  CHECK(first({logs.add(line)}, 2021) == std::pair(std::string("2021"), false));
  // From a line of its own, of that minute; other dates there do not count.
  const std::string own =
      "I0102 00:00:00.000000       1 a.go:1] x (2019-01-02 01:00:00 to 2030-01-02; now=2023-01-02 00:00:00.1 +0000 "
      "UTC)\n";
  CHECK(first({logs.add(own + line)}) == std::pair(std::string("2023"), false));
  CHECK(first({logs.add(line + own)}) == std::pair(std::string("2023"), false));
  // From another log of the server: the nearer year.
  const std::string old = audit("a", "2025-12-31T23:59:59Z", "2025-12-31T23:59:59Z");
  CHECK(first({logs.add(line), logs.add(old)}) == std::pair(std::string("2026"), false));
  CHECK(first({logs.add(old), logs.add(line)}) == std::pair(std::string("2026"), false));
}

TEST_CASE("Lines of several servers", "[logs]") {
  Logs logs;
  std::string mixed, restarted;
  for (int i = 0; i < 40; ++i) {
    const std::string time = fmt::format("1120 12:00:{:02}.000000", i);
    mixed += http(time, i % 2 == 0 ? 11 : 12);
    restarted += http(time, i < 20 || i == 21 ? 11 : 12);
  }
  for (const int threads : {1, 3}) {
    const ReplayReport report = replay_of(logs.of({logs.add(mixed)}), threads);
    CHECK(report.total.requests == 40);
    CHECK(count_in(report.warnings, RemarkKind::servers_mixed) == 1);
    CHECK(count_in(replay_of(logs.of({logs.add(restarted)}), threads).warnings, RemarkKind::servers_mixed) == 0);
  }
  CHECK(count_in(stat_logs(logs.of({logs.add(mixed)})).warnings, RemarkKind::servers_mixed) == 1);
}

TEST_CASE("Servers renew the leases of their own names, each in its own log", "[logs]") {
  const auto renewal = [](int second, const char* name, const char* agent) {
    return fmt::format(
        R"({{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"r{0}{1}","stage":"ResponseComplete","requestURI":)"
        R"("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/{1}","verb":"update","user":{{"username":)"
        R"("system:apiserver","groups":["system:masters"]}},"userAgent":"{2}","responseStatus":{{"code":200}},)"
        R"("requestReceivedTimestamp":"2026-11-20T12:{3:02}:{4:02}Z","stageTimestamp":"2026-11-20T12:{3:02}:{4:02}Z"}})"
        "\n",
        second, name, agent, second / 60, second % 60);
  };
  const char* const kServer = "kube-apiserver/v1.36.0 (linux/amd64) kubernetes/1a2b3c4";
  std::string one, restarted, mixed, watched;
  for (int second = 0; second < 400; second += 10) {
    const char* const first = "apiserver-a4dw";
    const char* const other = second % 20 == 0 ? first : "apiserver-x7bq";
    one += renewal(second, first, kServer);
    restarted += renewal(second, second < 200 || second == 210 ? first : "apiserver-x7bq", kServer);
    mixed += renewal(second, other, kServer);
    watched += renewal(second, other, "lease-mover/v1");
  }
  Logs logs;
  const auto is_mixed = [&](const std::string& text) {
    const std::string log = logs.add(text);
    const bool found = count_in(stat_logs(logs.of({log})).warnings, RemarkKind::servers_mixed) == 1;
    for (const int threads : {1, 3})
      CHECK((count_in(replay_of(logs.of({log}), threads).warnings, RemarkKind::servers_mixed) == 1) == found);
    return found;
  };
  CHECK_FALSE(is_mixed(one));
  CHECK_FALSE(is_mixed(restarted));
  CHECK(is_mixed(mixed));
  CHECK_FALSE(is_mixed(watched));
}

TEST_CASE("Zones, negative latencies, lines cut off and NUL bytes", "[logs]") {
  Logs logs;
  const ReplayReport zones =
      replay_of(logs.of({logs.add(audit("a", "2026-11-20T13:00:00+01:00", "2026-11-20T13:00:00.5+01:00") +
                                  audit("b", "2026-11-20 12:00:01", "2026-11-20 12:00:01.5"))}));
  CHECK(*zones.first_arrival == *parse_rfc3339("2026-11-20T12:00:00Z"));
  CHECK(*zones.last_arrival == *parse_rfc3339("2026-11-20T12:00:01Z"));

  const std::string negative =
      logs.add(http("1120 12:00:00.000000", 11, "-5ms") + audit("a", "2026-11-20T12:00:02Z", "2026-11-20T12:00:01Z"));
  const ReplayReport report = replay_of(logs.of({negative}));
  CHECK(report.total.requests == 2);
  CHECK(count_in(report.warnings, RemarkKind::ends_before_arrival) == 2);
  CHECK(stat_logs(logs.of({negative})).negative_latencies == 2);

  const std::string whole = http("1120 12:00:00.000000");
  const ReplayReport damaged = replay_of(
      logs.of({logs.add(whole + std::string(100, '\0') + "\n" + whole + whole.substr(0, whole.size() - 20))}));
  CHECK(damaged.total.requests == 2);
  CHECK(damaged.unusable.at("NUL bytes") == 1);
  CHECK(damaged.unusable.at("cut off in the middle") == 1);
}
