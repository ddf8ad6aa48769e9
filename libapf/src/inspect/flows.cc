#include "inspect/flows.h"

#include <algorithm>
#include <set>

#include <apf/hand.h>

#include "base/sort_stably.h"

namespace apf {

namespace {

constexpr std::size_t kMostOverlaps = 20;
// Pairs are looked for among as many flows.
constexpr std::size_t kMostPaired = 200;

std::int64_t seats_of(const InspectedFlow& flow) { return flow.waiting_seats + flow.executing_seats.value_or(0); }

void add(const RequestDump& request, std::optional<Nanos> now, InspectedFlow& flow) {
  if (!flow.executing) flow.executing = flow.executing_seats = 0;
  if (request.runs()) {
    ++*flow.executing;
    *flow.executing_seats += request.initial_seats;
  } else {
    ++flow.waiting;
    flow.waiting_seats += request.initial_seats;
    if (now) flow.longest_wait = std::max(flow.longest_wait.value_or(0), *now - request.arrived);
  }
  if (request.queue >= 0 && request.queue <= INT32_MAX) {
    const auto queue = static_cast<std::uint32_t>(request.queue);
    const auto at = std::lower_bound(flow.queues.begin(), flow.queues.end(), queue);
    if (at == flow.queues.end() || *at != queue) flow.queues.insert(at, queue);
  }
}

bool has(const std::vector<std::uint32_t>& queues, std::uint32_t queue) {
  return std::find(queues.begin(), queues.end(), queue) != queues.end();
}

// False: some flow is in a queue that is not in its hand.
bool deal_hands(const LevelLimits& limits, std::vector<InspectedFlow>& flows) {
  if (limits.queues < 1 || !dealer_error(limits.queues, limits.hand_size).empty()) return false;
  for (InspectedFlow& flow : flows) {
    flow.hand = deal_hand(flow_hash(flow.flow_schema, flow.distinguisher), limits.queues, limits.hand_size);
    for (const std::uint32_t queue : flow.queues)
      if (!has(flow.hand, queue)) return false;
  }
  return true;
}

const std::vector<std::uint32_t>& reach(const InspectedFlow& flow) {
  return flow.hand.empty() ? flow.queues : flow.hand;
}

void count_shared(std::vector<InspectedFlow>& flows) {
  std::map<std::uint32_t, std::size_t> users;
  for (const InspectedFlow& flow : flows)
    for (const std::uint32_t queue : flow.queues) ++users[queue];
  for (InspectedFlow& flow : flows)
    for (const std::uint32_t queue : reach(flow)) {
      const auto at = users.find(queue);
      const std::size_t others = at == users.end() ? 0 : at->second - (has(flow.queues, queue) ? 1 : 0);
      flow.shared += others > 0;
    }
}

std::vector<HandOverlap> find_overlaps(const std::vector<InspectedFlow>& flows) {
  std::vector<HandOverlap> out;
  const std::size_t end = std::min(flows.size(), kMostPaired);
  for (std::size_t first = 0; first < end; ++first) {
    const std::set<std::uint32_t> own(reach(flows[first]).begin(), reach(flows[first]).end());
    for (std::size_t second = first + 1; second < end; ++second) {
      HandOverlap overlap{first, second, {}};
      for (const std::uint32_t queue : reach(flows[second]))
        if (own.contains(queue)) overlap.queues.push_back(queue);
      std::sort(overlap.queues.begin(), overlap.queues.end());
      if (!overlap.queues.empty()) out.push_back(std::move(overlap));
    }
  }
  sort_stably(out, [](const HandOverlap& a, const HandOverlap& b) { return a.queues.size() > b.queues.size(); });
  if (out.size() > kMostOverlaps) out.resize(kMostOverlaps);
  return out;
}

}  // namespace

void add_flows(const ServerDump& dump, const LevelLimits* limits, bool given, std::optional<Nanos> now,
               InspectedLevel& level) {
  std::map<std::pair<std::string_view, std::string_view>, InspectedFlow> flows;
  for (const RequestDump& request : dump.requests) {
    if (request.level != level.name) continue;
    InspectedFlow& flow = flows[{request.flow_schema, request.distinguisher}];
    add(request, now, flow);
  }
  for (auto& [key, flow] : flows) {
    flow.flow_schema = key.first;
    flow.distinguisher = key.second;
    level.flows.push_back(std::move(flow));
  }
  sort_stably(level.flows, [](const InspectedFlow& a, const InspectedFlow& b) { return seats_of(a) > seats_of(b); });
  const bool queued = std::any_of(level.flows.begin(), level.flows.end(),
                                  [](const InspectedFlow& flow) { return !flow.queues.empty(); });
  if (!queued) return;
  if (!limits || !deal_hands(*limits, level.flows)) {
    level.other_hands = given && limits != nullptr;
    for (InspectedFlow& flow : level.flows) flow.hand.clear();
  }
  count_shared(level.flows);
  level.overlaps = find_overlaps(level.flows);
}

}  // namespace apf
