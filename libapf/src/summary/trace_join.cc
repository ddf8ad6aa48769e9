#include "summary/trace_join.h"

#include <algorithm>
#include <tuple>

#include "logs/kept_facts.h"

namespace apf {
namespace {

// Traces have milliseconds, and are written before the last bytes are.
constexpr Nanos kBefore = 5 * kMillisecond, kAfter = 100 * kMillisecond;

}  // namespace

void TraceJoin::add_request(std::uint64_t what, Nanos arrival, Nanos end, std::size_t number) {
  if (requests_.size() < kMost) requests_.push_back({what, arrival, end, number});
}

void TraceJoin::add_trace(const RequestView::Fields& request, const HandlerTrace& trace, bool counts) {
  if (traces_.size() < kMost)
    traces_.push_back({path_hash(request.verb, request.path), trace.begin, trace.begin + trace.total, trace.number,
                       trace.parts, counts});
  else more_ += counts;
}

// Of a trace that is in two files, one is kept.
void TraceJoin::put_in_order() {
  const auto key = [](const Trace& trace) { return std::tie(trace.what, trace.begin, trace.end, trace.number); };
  std::sort(traces_.begin(), traces_.end(), [&](const Trace& a, const Trace& b) { return key(a) < key(b); });
  const auto same = [&](const Trace& a, const Trace& b) { return key(a) == key(b); };
  traces_.erase(std::unique(traces_.begin(), traces_.end(), same), traces_.end());
  std::sort(requests_.begin(), requests_.end(), [](const Request& a, const Request& b) {
    return std::tie(a.what, a.arrival, a.end, a.number) < std::tie(b.what, b.arrival, b.end, b.number);
  });
  for (const Request& request : requests_) {
    const bool same_as_before = !latest_.empty() && (&request)[-1].what == request.what;
    latest_.push_back(same_as_before ? std::max(latest_.back(), request.end) : request.end);
  }
}

std::size_t TraceJoin::only_one_of(const Trace& trace) const {
  const auto behind = std::upper_bound(
      requests_.begin(), requests_.end(), trace.begin + kBefore, [&](Nanos begin, const Request& request) {
        return std::make_tuple(trace.what, begin) < std::make_tuple(request.what, request.arrival);
      });
  std::size_t found = kNone;
  for (auto at = static_cast<std::size_t>(behind - requests_.begin()); at-- > 0;) {
    const Request& request = requests_[at];
    if (request.what != trace.what || latest_[at] < trace.end - kBefore) break;
    if (request.end < trace.end - kBefore || request.end > trace.end + kAfter) continue;
    if (found != kNone) return kNone;
    found = at;
  }
  return found;
}

std::uint64_t TraceJoin::join(const std::function<void(std::size_t number, const Latencies& parts)>& give) {
  put_in_order();
  std::vector<std::size_t> found;
  found.reserve(traces_.size());
  for (const Trace& trace : traces_) {
    found.push_back(only_one_of(trace));
    if (found.back() != kNone) ++requests_[found.back()].traces;
  }
  std::uint64_t apart = more_;
  for (std::size_t i = 0; i < traces_.size(); ++i) {
    if (found[i] != kNone && requests_[found[i]].traces == 1) give(requests_[found[i]].number, traces_[i].parts);
    else apart += traces_[i].counts;
  }
  return apart;
}

}  // namespace apf
