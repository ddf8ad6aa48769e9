// kube-apiserver's traces of slow requests: the parts of their time, from texts that are written here.
#include <map>
#include <random>

#include <apf/log_summary.h>
#include <fmt/core.h>

#include "logs/request_event.h"
#include "summary/handler_trace.h"
#include "summary/tallies.h"

#include "catch.h"
#include "support/vectors.h"

using namespace apf;

namespace {

std::vector<HandlerTrace> traces_of(const std::vector<std::string>& lines) {
  std::vector<HandlerTrace> out;
  TraceBuilder builder([&](const HandlerTrace& trace) { out.push_back(trace); });
  for (const std::string& line : lines) {
    std::vector<TracePiece> pieces;
    read_trace_pieces(line, pieces);
    for (TracePiece& piece : pieces) builder.take(std::move(piece));
  }
  builder.finish();
  return out;
}

Nanos part_of(const HandlerTrace& trace, LatencyPart part) {
  return trace.parts[static_cast<std::size_t>(part)].value_or(0);
}

// One that the server writes, with its end: `fields` and steps as they stand there.
std::string written(std::uint64_t number, const std::string& name, const std::string& fields, const std::string& total,
                    const std::vector<std::string>& steps, const std::string& day = "20-Nov-2026") {
  std::string out = fmt::format(
      "I1120 12:00:04.000000      11 trace.go:236] Trace[{}]: \"{}\" {} ({} 12:00:02.000) "
      "(total time: {}):\n",
      number, name, fields, day, total);
  for (const std::string& step : steps) out += fmt::format("Trace[{}]: {}\n", number, step);
  return out + fmt::format("Trace[{}]: [2s] [2s] END\n", number);
}

std::string request(const std::string& id, const char* end, const char* latency) {
  return fmt::format(
      "I1120 {}.000000      11 httplog.go:132] \"HTTP\" verb=\"LIST\" URI=\"/api/v1/pods\" latency=\"{}\" "
      "userAgent=\"agent/v1\" audit-ID=\"{}\" srcIP=\"10.0.0.1:1\" apf_pl=\"workload-low\" "
      "apf_fs=\"service-accounts\" resp=200\n",
      end, latency, id);
}

LogSummary summary_of(const std::string& text, std::optional<Nanos> from = {}) {
  LogSummaryOptions options;
  options.log.logs = {"server.log"};
  options.log.texts["server.log"] = text;
  options.log.log_year = 2026;
  options.from = from;
  return summarize_logs(options);
}

constexpr const char* kListed = "---\"Listing from storage done\" 1500ms (12:00:03.500)";
constexpr const char* kPods = "url:/api/v1/pods,user-agent:a,client:10.0.0.1";

// A trace as the server writes it, and what its parts are by how it was made.
class Made {
 public:
  explicit Made(std::mt19937_64& random) : random_(random), number_(random() % 2147483647) {
    lines_.push_back("");
    const int items = static_cast<int>(random_() % 6);
    for (int i = 0; i < items; ++i) item();
    total_ += random_() % 40;  // what no step tells
    lines_.front() = fmt::format(
        "Trace[{}]: \"{}\" accept:application/json, */*,audit-id:{},client:10.0.0.1,api-group:,api-version:v1,"
        "name:,subresource:,namespace:,protocol:HTTP/2.0,resource:pods,scope:cluster,url:/api/v1/pods,"
        "user-agent:agent/v1 (linux, amd64),verb:LIST (20-Nov-2026 12:00:02.000) (total time: {}ms):",
        number_, random_() % 2 ? "List" : "Get", id(), total_);
    lines_.push_back(fmt::format("Trace[{}]: [{}ms] [{}ms] END", number_, total_, total_));
  }

  std::string id() const { return fmt::format("audit-{}", number_); }
  Nanos total() const { return total_ * kMillisecond; }
  Nanos expected(LatencyPart part) const {
    const auto at = parts_.find(part);
    return at == parts_.end() ? 0 : at->second * kMillisecond;
  }
  // Header and all, in one of the ways in which logs have it.
  std::vector<std::string> written(int way) const {
    const std::string header = "I1120 12:00:04.000000      11 trace.go:236] ";
    if (way < 2) {
      std::vector<std::string> out;
      for (const std::string& line : lines_)
        out.push_back((way == 1 ? "2026-11-20T12:00:04.1Z stderr F " : "") + (out.empty() ? header : "") + line);
      return out;
    }
    if (way == 4) {
      std::vector<std::string> out;
      for (const std::string& line : lines_) out.push_back(in_json((out.empty() ? header : "") + line));
      return out;
    }
    std::string all;
    for (const std::string& line : lines_) all += (all.empty() ? header : way == 2 ? " " : "\n") + line;
    return {way == 2 ? all : in_json(all)};
  }

 private:
  static std::string in_json(const std::string& record) {
    std::string text;
    for (const char c : record + "\n") text += c == '"' ? "\\\"" : c == '\n' ? "\\n" : std::string(1, c);
    return "{\"log\":\"" + text + "\",\"stream\":\"stderr\"}";
  }
  std::int64_t time(LatencyPart part) {
    const std::int64_t out = 1 + static_cast<std::int64_t>(random_() % 900);
    if (part != LatencyPart::kCount) parts_[part] += out;
    total_ += out;
    return out;
  }
  std::string step(const char* depth, const char* name, const char* fields, LatencyPart part, const char* end = "") {
    return fmt::format("Trace[{}]: {}---\"{}\"{} {}ms (12:00:03.000){}", number_, depth, name, fields, time(part), end);
  }
  // `whole`: of the nested trace, its steps included.
  std::string nested(const char* name, const char* fields, std::int64_t whole, const char* end = "") {
    return fmt::format("Trace[{}]: [\"{}\" {} {}ms (12:00:03.000){}", number_, name, fields, whole, end);
  }
  void item() {
    using Part = LatencyPart;
    const std::int64_t before = total_;
    switch (random_() % 6) {
      case 0:
        lines_.push_back(step("", "Listing from storage done", "", Part::storage));
        return;
      case 1:
        lines_.push_back(step("", "Writing http response done", " count:500", Part::response_write));
        return;
      case 2:
        lines_.push_back(step("", "limitedReadBody succeeded", " len:12", Part::kCount));
        return;
      case 3: {
        const std::int64_t whole = time(Part::mutating_webhook);
        lines_.push_back(nested("Call mutating webhook",
                                "configuration:c,webhook:w.example.com,resource:/v1, Resource=pods,subresource:,"
                                "operation:CREATE,UID:0a",
                                whole, "]"));
        return;
      }
      case 4: {
        const std::string first = step(" ", "About to Encode", "", Part::kCount);
        const std::string last = step(" ", "Txn call completed", "", Part::etcd, "]");
        const std::int64_t steps = total_ - before;
        const std::int64_t whole = steps + time(Part::storage);
        lines_.push_back(
            nested("GuaranteedUpdate etcd3", "audit-id:x,key:/pods/a,type:*core.Pod,resource:pods", whole));
        lines_.push_back(first);
        lines_.push_back(last);
        return;
      }
      default: {  // a list of etcd within one of the cache
        const std::int64_t inner = time(Part::etcd);
        const std::string ready = step(" ", "Ready", "", Part::storage);
        lines_.push_back(nested("cacher.GetList", "audit-id:x,type:pods", total_ - before));
        lines_.push_back(ready);
        lines_.push_back(fmt::format(
            "Trace[{}]:  [\"List(recursive=true) etcd3\" key:/pods 7,limit:0 {}ms (12:00:03.000)]]", number_, inner));
        return;
      }
    }
  }

  std::mt19937_64& random_;
  std::uint64_t number_;
  std::vector<std::string> lines_;
  std::int64_t total_ = 0;
  std::map<LatencyPart, std::int64_t> parts_;
};

}  // namespace

TEST_CASE("the parts of a trace are those that the server wrote, in whatever way the log has them",
          "[summary][trace]") {
  const std::uint64_t first_seed = test::seed();
  INFO("APF_TEST_SEED=" << first_seed);
  std::mt19937_64 random(first_seed);
  for (int run = 0; run < 400; ++run) {
    const Made a(random), b(random);
    const auto one = a.written(static_cast<int>(random() % 5)), other = b.written(static_cast<int>(random() % 5));
    std::vector<std::string> lines;  // two traces, their lines mixed
    for (std::size_t i = 0, j = 0; i < one.size() || j < other.size();)
      lines.push_back(i < one.size() && (j == other.size() || random() % 2) ? one[i++] : other[j++]);
    const std::vector<HandlerTrace> found = traces_of(lines);
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    INFO(text);
    REQUIRE(found.size() == 2);
    for (const HandlerTrace& trace : found) {
      const Made& made = trace.id == a.id() ? a : b;
      REQUIRE(trace.id == made.id());
      CHECK(trace.url == "/api/v1/pods");
      CHECK(trace.agent == "agent/v1 (linux, amd64)");
      CHECK(trace.total == made.total());
      for (std::size_t i = 1; i < kLatencyParts; ++i) {
        const auto part = static_cast<LatencyPart>(i);
        INFO(to_string(part));
        CHECK(part_of(trace, part) == made.expected(part));
      }
    }
  }
}

TEST_CASE("admission beside the update that waits for it counts once", "[summary][trace]") {
  const auto found = traces_of(
      {R"(I1 trace.go:236] Trace[7]: "Update" audit-id:u,url:/api/v1/nodes/n,verb:PUT (20-Nov-2026 12:00:02.000) (total time: 2000ms):)",
       R"(Trace[7]: ["GuaranteedUpdate etcd3" audit-id:u,key:/minions/n,type:*core.Node,resource:nodes 1990ms (12:00:02.000))",
       R"(Trace[7]:  ---"Txn call completed" 450ms (12:00:03.990)])",
       R"(Trace[7]: ["Call validating webhook" configuration:c,webhook:w,resource:/v1, Resource=nodes,operation:UPDATE,UID:1 1500ms (12:00:02.010)])",
       "Trace[7]: [2s] [2s] END"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].verb == "update");
  CHECK(part_of(found[0], LatencyPart::etcd) == 450 * kMillisecond);
  CHECK(part_of(found[0], LatencyPart::validating_webhook) == 1500 * kMillisecond);
  CHECK(part_of(found[0], LatencyPart::storage) == 50 * kMillisecond);
}

TEST_CASE("only traces of requests count, with their end or without", "[summary][trace]") {
  CHECK(traces_of({R"(Trace[1]: "Scheduling" namespace:a,name:b (20-Nov-2026 12:00:02.000) (total time: 900ms):)",
                   R"(Trace[1]: ---"Computing predicates done" 900ms (12:00:02.900))", "Trace[1]: [900ms] [900ms] END"})
            .empty());
  CHECK(traces_of({"Trace[1]: ", "Trace[x]: \"List\"", "Trace[2]: ---\"Listing from storage done\" 1ms (a)",
                   "Trace[3]: \"List\" url:/a (total time: ", "Trace[4]: \"", "Trace[", "Trace[5]: []] END"})
            .empty());
  const auto cut = traces_of({R"(Trace[1]: "Get" url:/api/v1/nodes/n (20-Nov-2026 12:00:02.000) (total time: 900ms):)",
                              R"(Trace[1]: ---"About to write a response" 890ms (12:00:02.890))"});
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].begin == *parse_rfc3339("2026-11-20T12:00:02Z"));
  CHECK(part_of(cut[0], LatencyPart::storage) == 890 * kMillisecond);
  const auto around = traces_of(
      {R"(Trace[1]: "HTTP Request" method:GET,url:/api/v1/nodes,user-agent:a,client:::1 (02-Jun-2020 10:38:00.615) (total time: 3201ms):)",
       R"(Trace[1]: ---"Authenticate check done" 1000ms (10:38:00.615))",
       R"(Trace[1]: ["List" url:/api/v1/nodes,user-agent:a,client:::1 2200ms (10:38:00.616))",
       R"(Trace[1]:  ["List etcd3" key:/minions,resourceVersion:,limit:0,continue: 1200ms (10:38:00.616)]])",
       "Trace[1]: [3.201532894s] [3.201532894s] END"});
  REQUIRE(around.size() == 1);
  CHECK(around[0].verb == "list");
  CHECK(part_of(around[0], LatencyPart::authentication) == 1000 * kMillisecond);
  CHECK(part_of(around[0], LatencyPart::etcd) == 1200 * kMillisecond);
}

TEST_CASE("traces as they were before 1.20", "[summary][trace]") {
  const auto found = traces_of(
      {R"(I1 trace.go:116] Trace[8]: "List" url:/api/v1/pods,user-agent:a,client:1 (started: 2026-11-20 13:00:02.5 +0100 CET m=+7.06) (total time: 2.1s):)",
       "Trace[8]: [2.0s] [2.0s] Listing from storage done",
       "Trace[8]: [2.099s] [99ms] Writing http response done count:500",
       R"(I1 trace.go:81] Trace[9]: "Get /api/v1/nodes/n" (started: 2026-11-20 12:00:03 +0000 UTC m=+8.06) (total time: 900ms):)",
       "Trace[9]: [890.1ms] [890.1ms] About to write a response",
       R"(I1 trace.go:81] Trace[10]: "Scheduling a/b" (started: 2026-11-20 12:00:03 +0000 UTC m=+8.06) (total time: 900ms):)"});
  REQUIRE(found.size() == 2);
  CHECK(found[0].verb == "list");
  CHECK(found[0].url == "/api/v1/pods");
  CHECK(found[0].begin == *parse_rfc3339("2026-11-20T12:00:02.5Z"));
  CHECK(found[0].total == 2100 * kMillisecond);
  CHECK(part_of(found[0], LatencyPart::storage) == 2 * kSecond);
  CHECK(part_of(found[0], LatencyPart::response_write) == 99 * kMillisecond);
  CHECK(found[1].verb == "get");
  CHECK(found[1].url == "/api/v1/nodes/n");
  CHECK(found[1].begin == *parse_rfc3339("2026-11-20T12:00:03Z"));
  CHECK(part_of(found[1], LatencyPart::storage) == 890'100'000);
}

TEST_CASE("lines of traces without nested ones may be in any order", "[summary][trace]") {
  std::vector<std::string> lines;
  for (int i = 1; i <= 40; ++i) {
    lines.push_back(
        fmt::format("I1120 12:00:01.000000 1 trace.go:76] Trace[{}]: \"List /api/v1/nodes\" (started: 2026-11-20 "
                    "12:00:00.{:06} +0000 UTC m=+5000.1) (total time: 1135ms):\n",
                    i, i));
    lines.push_back(fmt::format("Trace[{}]: [1115ms] [1115ms] Listing from storage done\n", i));
    if (i % 2 == 0) lines.push_back(fmt::format("Trace[{}]: [1.135s] [20ms] END\n", i));
  }
  std::mt19937 random(1);
  for (int round = 0; round < 5; ++round) {
    const std::vector<HandlerTrace> traces = traces_of(lines);
    CHECK(traces.size() == 40);
    for (const HandlerTrace& trace : traces) CHECK(part_of(trace, LatencyPart::storage) == 1115 * kMillisecond);
    std::shuffle(lines.begin(), lines.end(), random);
  }
}

TEST_CASE("a trace without steps tells no parts", "[summary][trace]") {
  const LogSummary s = summary_of(written(1, "List", kPods, "2000ms", {}));
  CHECK(s.slow_total.requests == 1);
  CHECK(s.slow_total.total == 2 * kSecond);
  CHECK(s.slow_total.with_parts == 0);
  CHECK(s.slow_total.traced == 0);
  const LogSummary both =
      summary_of(written(1, "List", kPods, "2000ms", {}) + written(2, "List", kPods, "2000ms", {kListed}));
  CHECK(both.slow_total.requests == 2);
  CHECK(both.slow_total.with_parts == 1);
  CHECK(both.slow_total.parts[static_cast<std::size_t>(LatencyPart::total)] == 2 * kSecond);
}

TEST_CASE("a request outside the selection is not let in by its trace", "[summary][trace]") {
  const Nanos from = *parse_rfc3339("2026-11-20T12:00:01Z");
  const auto log = [&](const std::string& fields) {
    return request("u1", "12:00:04", "10s") + written(1, "List", fields, "2000ms", {kListed}) +
           request("u2", "12:00:22", "1ms");
  };
  const std::string fields = std::string(kPods) + ",audit-id:u1";
  CHECK(summary_of(log(fields)).slow_total.traced == 1);
  CHECK(summary_of(log(fields), from).total.requests == 1);
  CHECK(summary_of(log(fields), from).slow_total.requests == 0);
  // Without an ID it may be any of them, also where none is selected.
  CHECK(summary_of(request("", "12:00:04", "10s") + written(1, "List", kPods, "2000ms", {kListed}), from)
            .slow_total.requests == 0);
  // One of which the log has nothing else is in the selection by its own time.
  CHECK(summary_of(log(std::string(kPods) + ",audit-id:u3"), from).slow_total.requests == 1);
  CHECK(summary_of(log(std::string(kPods) + ",audit-id:u3"), from + 10 * kSecond).slow_total.requests == 0);
}

TEST_CASE("traces without audit ID are of one request only if they are one trace", "[summary][trace]") {
  std::string text;
  for (const std::uint64_t number : {0, 1, 2}) text += written(number, "List", kPods, "2000ms", {kListed});
  CHECK(summary_of(text).slow_total.requests == 3);
  CHECK(summary_of(text + text).slow_total.requests == 3);
}

TEST_CASE("traces without audit ID are joined by time, verb and path where one request fits", "[summary][trace]") {
  // Requests end at 12:00:04, as the trace of 2 s that begins at 12:00:02 does.
  const std::string trace = written(1, "List", kPods, "2000ms", {kListed});
  const auto joined = [&](const std::string& text) {
    const LogSummary s = summary_of(text);
    return std::pair(s.slow_total.traced, s.traces_apart);
  };
  using Counts = std::pair<std::uint64_t, std::uint64_t>;
  const std::string fits = request("", "12:00:04", "2.1s");
  CHECK(joined(fits + trace) == Counts{1, 0});
  CHECK(joined(request("u1", "12:00:04", "3s") + trace) == Counts{1, 0});  // it waited before
  CHECK(joined(fits + trace + trace) == Counts{1, 0});                     // in two files
  CHECK(joined(fits + request("", "12:00:04", "2.2s") + trace) == Counts{0, 1});
  CHECK(joined(fits + trace + written(2, "List", kPods, "1990ms", {kListed})) == Counts{0, 2});
  CHECK(joined(request("", "12:00:04", "1.5s") + trace) == Counts{0, 1});  // began after the trace
  CHECK(joined(request("", "12:00:09", "9s") + trace) == Counts{0, 1});    // ended long after it
  CHECK(joined(fits + written(1, "Get", kPods, "2000ms", {kListed})) == Counts{0, 1});
  CHECK(joined(fits + written(1, "List", "url:/api/v1/nodes,user-agent:a", "2000ms", {kListed})) == Counts{0, 1});
  CHECK(joined(fits + written(1, "List", kPods, "400ms", {kListed})) == Counts{0, 0});
  // Nothing counts twice: one request, with the parts of its trace.
  const LogSummary s = summary_of(fits + trace);
  CHECK(s.slow_total.requests == 1);
  CHECK(s.slow_total.with_parts == 1);
  CHECK(s.slow_total.parts[static_cast<std::size_t>(LatencyPart::storage)] == 1500 * kMillisecond);
}

TEST_CASE("a log is one of traces even if none of them counts", "[summary][trace]") {
  LogSummaryOptions options;
  options.log.logs = {"server.log"};
  options.log.needs_events = true;
  const auto requests = [&](const std::string& text, std::optional<Nanos> from = {}) {
    options.log.texts["server.log"] = text;
    options.from = from;
    return summarize_logs(options).slow_total.requests;
  };
  CHECK(requests(written(1, "List", kPods, "400ms", {})) == 0);
  CHECK(requests(written(1, "List", kPods, "2000ms", {kListed}), *parse_rfc3339("2026-11-20T13:00:00Z")) == 0);
  CHECK_THROWS(requests(written(1, "Scheduling", "namespace:a,name:b", "900ms", {})));
}

TEST_CASE("durations and years that no server has do no harm", "[summary][trace]") {
  const std::string decade = "300000000000000ms (12:00:02.000)";
  const auto long_steps = [&](const std::string& total) {
    std::vector<std::string> steps;
    for (int i = 0; i < 80; ++i)
      steps.push_back(i % 2 ? "[\"List etcd3\" key:/x " + decade + "]" : "---\"Listing from storage done\" " + decade);
    return written(7, "List", kPods, total, steps);
  };
  const LogSummary s = summary_of(long_steps("2000ms"));
  REQUIRE(s.slow_total.with_parts == 1);
  CHECK(s.slow_total.parts[static_cast<std::size_t>(LatencyPart::etcd)] == 2 * kSecond);
  CHECK(s.slow_total.parts[static_cast<std::size_t>(LatencyPart::storage)] == 0);
  CHECK(summary_of(long_steps("87600h")).slow_total.total == 87'600 * 3'600 * kSecond);
  CHECK(summary_of(long_steps("2000000h")).slow_total.requests == 0);

  std::string many;
  for (std::uint64_t i = 0; i < 40; ++i)
    many += written(i, "List", kPods, "87600h", {"---\"Listing from storage done\" " + decade});
  const LogSummary sums = summary_of(many);
  CHECK(sums.slow_total.requests == 40);
  CHECK(sums.slow_total.total == INT64_MAX);
  CHECK(sums.slow_total.parts[static_cast<std::size_t>(LatencyPart::storage)] == INT64_MAX);

  for (const char* day : {"20-Nov-9999", "20-Nov-2201", "20-Nov-1969", "20-Nov-0000"}) {
    std::vector<TracePiece> pieces;
    read_trace_pieces(written(7, "List", kPods, "2000ms", {}, day), pieces);
    INFO(day);
    REQUIRE(!pieces.empty());
    CHECK(pieces[0].trace.begin == 0);
  }
}

TEST_CASE("of more slow requests than can be remembered none counts twice", "[summary][trace]") {
  LogNames names;
  SlowTallies slow(names), outside(names);
  RequestFacts facts;
  facts.duration = kSecond;
  const TraceRequest course;
  const RequestView::Fields view;
  TracedRequest traced{course, view};
  constexpr std::uint64_t kMany = 300'000;
  for (std::uint64_t i = 0; i < kMany; ++i) {
    traced.id = hashed_id(std::to_string(i)).high;
    slow.add(facts, traced);
    outside.leave_out(facts, traced);
  }
  HandlerTrace trace;
  trace.total = kSecond;
  trace.parts[static_cast<std::size_t>(LatencyPart::storage)] = kMillisecond;
  for (std::uint64_t i = 0; i < kMany; ++i) {
    trace.id = std::to_string(i);
    if (!slow.tell(trace)) slow.add(facts, trace);
    if (!outside.tell(trace)) outside.add(facts, trace);
  }
  CHECK(slow.total().requests == kMany);
  CHECK(slow.total().traced > 0);
  CHECK(outside.total().requests == 0);
}
