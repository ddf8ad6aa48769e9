#include "report/replay/ranges.h"

#include "report/core/units.h"

namespace apf {

namespace {

// Adds what is the same in the others. Lists of the same run are mostly in the same order: the place is tried first.
template <class Thing, class Same>
Versions<Thing> find_versions(const Thing& thing, const ReplayReport& report, std::vector<Thing> ReplayReport::*list,
                              Same same) {
  Versions<Thing> out(thing);
  const std::vector<Thing>& own = report.*list;
  const bool inside = !own.empty() && &thing >= own.data() && &thing < own.data() + own.size();
  const std::size_t place = inside ? static_cast<std::size_t>(&thing - own.data()) : 0;
  for (const ReplayReport& other : report.others) {
    const std::vector<Thing>& things = other.*list;
    if (place < things.size() && same(things[place], thing)) {
      out.add(things[place]);
      continue;
    }
    const auto at = std::find_if(things.begin(), things.end(), [&](const Thing& t) { return same(t, thing); });
    if (at != things.end()) out.add(*at);
  }
  return out;
}

}  // namespace

Versions<ReplayReport> versions_of(const ReplayReport& report) {
  Versions<ReplayReport> out(report);
  for (const ReplayReport& other : report.others) out.add(other);
  return out;
}

Versions<LevelReport> versions_of(const LevelReport& level, const ReplayReport& report) {
  return find_versions(level, report, &ReplayReport::levels,
                       [](const LevelReport& a, const LevelReport& b) { return a.name == b.name; });
}

Versions<SchemaReport> versions_of(const SchemaReport& schema, const ReplayReport& report) {
  return find_versions(schema, report, &ReplayReport::schemas, [](const SchemaReport& a, const SchemaReport& b) {
    return a.name == b.name && a.priority_level == b.priority_level;
  });
}

Versions<FlowReport> versions_of(const FlowReport& flow, const ReplayReport& report) {
  return find_versions(flow, report, &ReplayReport::all_flows, [](const FlowReport& a, const FlowReport& b) {
    return a.distinguisher == b.distinguisher && a.flow_schema == b.flow_schema && a.priority_level == b.priority_level;
  });
}

Versions<StageReport> versions_of(const StageReport& stage, const ReplayReport& report) {
  return find_versions(stage, report, &ReplayReport::stages,
                       [](const StageReport& a, const StageReport& b) { return a.stage == b.stage; });
}

Versions<RecordedReport::Level> versions_of(const RecordedReport::Level& level, const ReplayReport& report) {
  Versions<RecordedReport::Level> out(level);
  for (const ReplayReport& other : report.others)
    for (const RecordedReport::Level& same : other.recorded.levels)
      if (same.name == level.name) out.add(same);
  return out;
}

std::uint64_t refused_of(const RequestTally& tally) { return tally.rejected(); }

Nanos wait_of(const RequestTally& tally, double quantile) {
  return quantile >= 1 ? tally.wait.max() : tally.wait.quantile(quantile);
}

std::string count_text(const Range<std::uint64_t>& range) {
  return range_text(range, [](std::uint64_t n) { return grouped(n); });
}

std::string wait_text(const TallyVersions& tally, double quantile) {
  if (!tally.any([](const RequestTally& t) { return t.wait.count() > 0; })) return "-";
  return range_text(tally.range([&](const RequestTally& t) { return wait_of(t, quantile); }),
                    [](Nanos wait) { return human_duration(wait); });
}

namespace {

std::string percent_of(const Share& share) { return human_percent(share.part, share.whole); }

}  // namespace

std::string share_text(const Range<std::uint64_t>& part, std::uint64_t whole) {
  return share_text({{part.value, whole}, {part.low, whole}, {part.high, whole}});
}

std::string share_text(const Range<Share>& share) {
  const std::string low = percent_of(share.low), high = percent_of(share.high);
  return low == high ? percent_of(share.value) : low.substr(0, low.size() - 2) + "-" + high;
}

std::string share_in_words(const Range<Share>& share) {
  const std::string low = percent_of(share.low), high = percent_of(share.high);
  return low == high ? percent_of(share.value) : low + " to " + high;
}

std::string requests_text(const TallyVersions& tally) {
  const auto requests = tally.range([](const RequestTally& t) { return t.requests; });
  return count_text(requests) + (requests.high == 1 ? " request" : " requests");
}

std::string refused_share(const TallyVersions& tally) { return share_text(share_of(tally, refused_of)); }

Versions<RequesterReport> versions_of(const RequesterReport& requester, const Versions<StageReport>& stage,
                                      std::vector<RequesterReport> StageReport::*list) {
  static const RequesterReport kNothing;
  Versions<RequesterReport> out(requester);
  for (const StageReport* other : stage.others()) {
    const std::vector<RequesterReport>& all = other->*list;
    const auto at = std::find_if(all.begin(), all.end(), [&](const RequesterReport& r) {
      return r.user == requester.user && r.user_agent == requester.user_agent;
    });
    out.add(at == all.end() ? kNothing : *at);
  }
  return out;
}

Versions<EventRateLimitReport> versions_of_events(const ReplayReport& report) {
  Versions<EventRateLimitReport> out(*report.event_rate_limit);
  for (const ReplayReport& other : report.others)
    if (other.event_rate_limit && other.event_rate_limit->limits.size() == out.value().limits.size())
      out.add(*other.event_rate_limit);
  return out;
}

Versions<ResourceQuotaReport> versions_of_quotas(const ReplayReport& report) {
  Versions<ResourceQuotaReport> out(*report.resource_quota);
  for (const ReplayReport& other : report.others)
    if (other.resource_quota && other.resource_quota->quotas.size() == out.value().quotas.size())
      out.add(*other.resource_quota);
  return out;
}

Versions<WhatIfReport> versions_of_what_if(const ReplayReport& report) {
  Versions<WhatIfReport> out(*report.what_if);
  for (const ReplayReport& other : report.others)
    if (other.what_if && other.what_if->compared > 0) out.add(*other.what_if);
  return out;
}

}  // namespace apf
