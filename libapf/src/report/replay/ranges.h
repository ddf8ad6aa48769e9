// Figures that a log does not decide: the value of a report, and the least and the most of its other replays
// (ReplayReport::others). What they agree on is a plain number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <apf/output.h>
#include <apf/replay.h>

namespace apf {

template <class Value>
struct Range {
  Value value{}, low{}, high{};
  bool decided() const { return !(low < high); }
};

// One thing (a level, a FlowSchema, a flow, everything) in a report and in its other replays.
template <class Thing>
class Versions {
 public:
  Versions(const Thing& thing) : thing_(&thing) {}  // without others: all is decided
  void add(const Thing& other) { others_.push_back(&other); }

  const Thing& value() const { return *thing_; }
  const std::vector<const Thing*>& others() const { return others_; }
  bool decided() const { return others_.empty(); }
  template <class Figure>
  auto range(Figure figure) const {
    Range<std::decay_t<decltype(figure(*thing_))>> out;
    out.value = out.low = out.high = figure(*thing_);
    for (const Thing* other : others_) {
      const auto value = figure(*other);
      out.low = std::min<decltype(out.low)>(out.low, value);
      out.high = std::max<decltype(out.high)>(out.high, value);
    }
    return out;
  }
  // Whether `holds` for any of them.
  template <class Condition>
  bool any(Condition holds) const {
    return holds(*thing_) || std::any_of(others_.begin(), others_.end(), [&](const Thing* t) { return holds(*t); });
  }
  // A part of each, such as its tally.
  template <class Part>
  Versions<Part> part(Part Thing::*member) const {
    Versions<Part> out(thing_->*member);
    for (const Thing* other : others_) out.add(other->*member);
    return out;
  }

 private:
  const Thing* thing_;
  std::vector<const Thing*> others_;
};

using TallyVersions = Versions<RequestTally>;
using Tally = const RequestTally&;  // where a figure of it is taken: [](Tally t) { return t.queued; }

Versions<ReplayReport> versions_of(const ReplayReport& report);
Versions<LevelReport> versions_of(const LevelReport& level, const ReplayReport& report);
Versions<SchemaReport> versions_of(const SchemaReport& schema, const ReplayReport& report);
Versions<FlowReport> versions_of(const FlowReport& flow, const ReplayReport& report);
Versions<StageReport> versions_of(const StageReport& stage, const ReplayReport& report);

// "120", or "0-120": each figure as `text` writes it.
template <class Value, class Text>
std::string range_text(const Range<Value>& range, Text text) {
  const std::string low = text(range.low), high = text(range.high);
  return range.decided() || low == high ? text(range.value) : low + "-" + high;
}
std::string count_text(const Range<std::uint64_t>& range);
// Of waits, "-" where there are none at all.
std::string wait_text(const TallyVersions& tally, double quantile);  // 1: the longest
// The part of the requests that were refused.
std::string refused_share(const TallyVersions& tally);
// A part of a whole, which may differ from replay to replay, too.
struct Share {
  std::uint64_t part = 0, whole = 0;
  double fraction() const { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }
  bool operator<(const Share& other) const { return fraction() < other.fraction(); }
};
std::string share_text(const Range<Share>& share);
std::string share_text(const Range<std::uint64_t>& part, std::uint64_t whole);
// "84 % to 100 %" where they differ.
std::string share_in_words(const Range<Share>& share);
// Of the requests.
template <class Figure>
Range<Share> share_of(const TallyVersions& tally, Figure figure) {
  return tally.range([&](const RequestTally& t) { return Share{figure(t), t.requests}; });
}
// "4,997-6,339 requests"
std::string requests_text(const TallyVersions& tally);

std::uint64_t refused_of(const RequestTally& tally);
Nanos wait_of(const RequestTally& tally, double quantile);

Versions<RecordedReport::Level> versions_of(const RecordedReport::Level& level, const ReplayReport& report);
// One of `requesters`, of the stage in a list of which it is; who is not in the other's list did not fare so.
Versions<RequesterReport> versions_of(const RequesterReport& requester, const Versions<StageReport>& stage,
                                      std::vector<RequesterReport> StageReport::*list);
Versions<EventRateLimitReport> versions_of_events(const ReplayReport& report);
Versions<ResourceQuotaReport> versions_of_quotas(const ReplayReport& report);
// With what_if; of those replays that were compared with the log.
Versions<WhatIfReport> versions_of_what_if(const ReplayReport& report);

// A number, or {"value","low","high"}.
template <class Value>
void write_figure(JsonWriter& json, const char* key, const Range<Value>& range) {
  if (range.decided()) {
    json.field(key, range.value);
    return;
  }
  json.key(key).begin_object().field("value", range.value).field("low", range.low).field("high", range.high);
  json.end_object();
}

}  // namespace apf
