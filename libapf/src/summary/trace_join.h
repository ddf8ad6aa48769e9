// Traces of slow requests that have no audit ID (before 1.22), and the requests of the log that they are of: by time,
// verb and path, where exactly one fits.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "classify/request_view.h"
#include "summary/handler_trace.h"

namespace apf {

class TraceJoin {
 public:
  // `number`: what the caller knows the request by.
  // `what`: path_hash() of it.
  void add_request(std::uint64_t what, Nanos arrival, Nanos end, std::size_t number);
  // `request`: of its URL.
  void add_trace(const RequestView::Fields& request, const HandlerTrace& trace, bool counts);
  // Gives each trace that is joined, and the number of its request. Returns how many of those that count are not.
  std::uint64_t join(const std::function<void(std::size_t number, const Latencies& parts)>& give);

 private:
  struct Request {
    std::uint64_t what = 0;  // verb and path
    Nanos arrival = 0, end = 0;
    std::size_t number = 0;
    std::uint32_t traces = 0;  // that fit no other one
  };
  struct Trace {
    std::uint64_t what = 0;
    Nanos begin = 0, end = 0;
    std::uint64_t number = 0;
    Latencies parts;
    bool counts = false;
  };
  static constexpr std::size_t kMost = 1u << 18;
  static constexpr std::size_t kNone = SIZE_MAX;

  void put_in_order();
  std::size_t only_one_of(const Trace& trace) const;  // kNone: none, or several

  std::vector<Request> requests_;
  std::vector<Nanos> latest_;  // the latest end of the same verb and path up to each request
  std::vector<Trace> traces_;
  std::uint64_t more_ = 0;  // traces that are not kept
};

}  // namespace apf
