// What kube-apiserver writes of a slow request into its own log (k8s.io/utils/trace), on lines of their own or all on
// one; releases before 1.20 use other words:
//
//   Trace[123]: "List" url:/api/v1/pods,user-agent:…,audit-id:… (12-Jul-2022 12:18:22.667) (total time: 1234ms):
//   Trace[123]: ---"Listing from storage done" 900ms (12:18:23.567)
//   Trace[123]: ["SerializeObject" audit-id:… 300ms (12:18:23.567)
//   Trace[123]:  ---"About to start writing response" size:1048576 200ms (12:18:23.767)]
//   Trace[123]: [1.234s] [1.234s] END
//
// A step's time is that since what stands before it; a nested trace's is its own.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <apf/logs.h>

namespace apf {

struct HandlerTrace {
  std::string verb, url, agent, id;  // id: the audit ID; since 1.22
  std::uint64_t number = 0;          // of the trace, by chance: two that have no ID differ by it
  Nanos begin = 0;                   // by the server's clock, whose zone is taken to be UTC
  Nanos total = 0;                   // in the handler: without the queue
  Latencies parts;                   // of the total, those that the trace names
};

// One of those lines.
struct TracePiece {
  enum class Kind : std::uint8_t { begin, step, nested } kind = Kind::step;
  std::uint64_t number = 0;
  std::string name;
  Nanos duration = 0;
  int closes = 0;      // nested traces that end with it
  HandlerTrace trace;  // of Kind::begin
};

// Adds the pieces that a line of a log holds, as it is or within JSON.
void read_trace_pieces(std::string_view line, std::vector<TracePiece>& out);

// Puts together the pieces of a log, in the order of its text, or the last one first. In any other order, too, where
// nothing is nested. Traces that are of no request of an API server are passed over: clients, schedulers and kubelets
// write them, too.
class TraceBuilder {
 public:
  explicit TraceBuilder(std::function<void(const HandlerTrace&)> sink) : sink_(std::move(sink)) {}
  void take(TracePiece&& piece);
  void finish();

 private:
  enum class Of : std::uint8_t {
    handler,
    etcd,
    guaranteed_update,
    cache,
    mutating_webhook,
    validating_webhook,
    writing,
    other
  };
  struct Node {
    Of of = Of::other;
    Nanos left = 0;  // of its time, beside its steps and what is nested in it; not negative
  };
  struct Open {
    HandlerTrace trace;
    std::vector<Node> path;  // the first is the trace itself
    std::array<Nanos, kLatencyParts> parts{};
    std::uint64_t order = 0;
  };
  static constexpr std::size_t kMostOpen = 1024;

  static Node node_of(const TracePiece& piece);
  static LatencyPart part_of(Of of, std::string_view step);  // kCount: something else
  static void close(Open& open);
  static void spend(Open& open, LatencyPart part, Nanos time);
  void end(Open& open);

  std::function<void(const HandlerTrace&)> sink_;
  void keep_early(TracePiece&& piece);

  std::unordered_map<std::uint64_t, Open> open_;
  std::unordered_map<std::uint64_t, std::vector<TracePiece>> early_;  // pieces of traces whose begin may yet come
  std::uint64_t begun_ = 0;
};

}  // namespace apf
