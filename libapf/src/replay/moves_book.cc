#include "replay/moves_book.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace apf {

void MovesBook::on_arrive(Nanos, const LiveRequest& request, std::int64_t) {
  if (!request.in_report || request.attempt > 0) return;
  const std::size_t flow = request.event.flow;
  if (flow >= counts_.size()) counts_.resize(flow + 1);
  for (Count& count : counts_[flow]) {
    if (count.to != request.report) continue;
    ++count.requests;
    return;
  }
  counts_[flow].push_back({1, request.report});
}

std::vector<WhatIfReport::Move> MovesBook::moves() const {
  using Place = std::pair<std::string, std::string>;
  std::map<std::pair<Place, Place>, std::uint64_t> sums;
  const auto place = [&](std::uint32_t report) {
    const FlowReport& flow = context_.flows.report(report);
    return Place{flow.flow_schema, flow.priority_level};
  };
  for (std::size_t flow = 0; flow < counts_.size(); ++flow) {
    for (const Count& count : counts_[flow]) {
      const Place from = place(context_.flows.choice(static_cast<FlowId>(flow), recorded_).report),
                  to = place(count.to);
      if (from != to) sums[{from, to}] += count.requests;
    }
  }
  std::vector<WhatIfReport::Move> out;
  for (const auto& [places, requests] : sums)
    out.push_back({places.first.first, places.first.second, places.second.first, places.second.second, requests});
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.requests > b.requests; });
  return out;
}

}  // namespace apf
