// kube-apiserver's traces of slow requests: the parts of their time, from texts that are written here.
#include <map>
#include <random>

#include <apf/log_summary.h>
#include <fmt/core.h>

#include "summary/handler_trace.h"

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
    std::string all;
    for (const std::string& line : lines_) all += (all.empty() ? header : way == 2 ? " " : "\n") + line;
    if (way == 2) return {all};
    std::string text;
    for (const char c : all + "\n") text += c == '"' ? "\\\"" : c == '\n' ? "\\n" : std::string(1, c);
    return {"{\"log\":\"" + text + "\",\"stream\":\"stderr\"}"};
  }

 private:
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
    const auto one = a.written(static_cast<int>(random() % 4)), other = b.written(static_cast<int>(random() % 4));
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
      CHECK(part_of(trace, LatencyPart::total) == made.total());
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
