#include "replay/books/tally.h"

#include <algorithm>
#include <tuple>

namespace apf {

void merge(RequestTally& into, const RequestTally& tally) {
  into.requests += tally.requests;
  into.queued += tally.queued;
  into.outcomes += tally.outcomes;
  into.seat_seconds += tally.seat_seconds;
  into.wait.merge(tally.wait);
  into.too_wide += tally.too_wide;
  into.seats_wanted += tally.seats_wanted;
  into.seats_allowed += tally.seats_allowed;
  into.widest = std::max(into.widest, tally.widest);
}

double total_wait(const FlowReport& flow) { return flow.tally.wait.sum(); }

double times_refused(const FlowReport& flow) { return static_cast<double>(flow.tally.rejected()); }

std::vector<FlowReport> leaders(const std::vector<FlowReport>& flows, int top,
                                const std::function<double(const FlowReport&)>& measure) {
  std::vector<std::pair<double, const FlowReport*>> ranked;
  for (const FlowReport& flow : flows) {
    const double value = measure(flow);
    if (value > 0 && !flow.filled) ranked.emplace_back(value, &flow);
  }
  const auto name = [](const FlowReport* f) { return std::tie(f->flow_schema, f->distinguisher, f->priority_level); };
  const auto before = [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : name(a.second) < name(b.second);
  };
  const std::size_t n = std::min(ranked.size(), static_cast<std::size_t>(std::max(top, 0)));
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(n), ranked.end(), before);
  std::vector<FlowReport> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(*ranked[i].second);
  return out;
}

std::vector<FlowReport> waited_most(const std::vector<FlowReport>& flows, int top) {
  return leaders(flows, top, total_wait);
}

std::vector<FlowReport> refused_most(const std::vector<FlowReport>& flows, int top) {
  return leaders(flows, top, times_refused);
}

std::vector<FlowReport> widest(const std::vector<FlowReport>& flows, int top) {
  return leaders(flows, top, [](const FlowReport& f) {
    return static_cast<double>(f.tally.seats_wanted) - static_cast<double>(f.tally.seats_allowed);
  });
}

void drop_filled(std::vector<FlowReport>& flows) {
  std::erase_if(flows, [](const FlowReport& flow) { return flow.filled; });
}

}  // namespace apf
