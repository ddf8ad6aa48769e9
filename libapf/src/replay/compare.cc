#include <apf/compare.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "replay/tally.h"

namespace apf {

namespace {

constexpr Nanos kJitter = kMillisecond;

using What = ComparedChange::What;
using Metric = ComparedChange::Metric;
using Verdict = ComparedChange::Verdict;

struct Range {
  double value = 0, least = 0, most = 0;  // of the replay without jitter, and of all
};

struct Subject {
  std::uint64_t requests = 0;
  Range rejected, mean_wait, p99_wait;
};

using Key = std::pair<What, std::string>;
using Subjects = std::map<Key, Subject>;

// One side: its report, and the ranges of what is compared.
struct Side {
  ReplayReport report;
  Subjects subjects;
};

void widen(Range& range, double value, bool first) {
  if (first) range = {value, value, value};
  range.least = std::min(range.least, value);
  range.most = std::max(range.most, value);
}

void add(Subjects& subjects, What what, const std::string& name, const RequestTally& tally, bool first) {
  Subject& subject = subjects[{what, name}];
  if (first) subject.requests = tally.requests;
  widen(subject.rejected, static_cast<double>(tally.rejected()), first);
  widen(subject.mean_wait, tally.wait.mean(), first);
  widen(subject.p99_wait, static_cast<double>(tally.wait.quantile(0.99)), first);
}

void add(Subjects& subjects, const ReplayReport& report, bool first) {
  add(subjects, What::level, "", report.total, first);
  for (const LevelReport& level : report.levels) add(subjects, What::level, level.name, level.tally, first);
  for (const SchemaReport& schema : report.schemas) add(subjects, What::flow_schema, schema.name, schema.tally, first);
  // Who sends them stays the same where requests move to another FlowSchema.
  std::map<std::string_view, RequestTally> flows;
  for (const FlowReport& flow : report.all_flows) {
    if (!flow.distinguisher.empty()) merge(flows[flow.distinguisher], flow.tally);
  }
  for (const auto& [distinguisher, tally] : flows) add(subjects, What::flow, std::string(distinguisher), tally, first);
}

Side replay_side(const ReplayOptions& given, int spread) {
  Side out;
  ReplayOptions options = given;
  options.spread = 0;
  options.all_flows = true;
  options.moves = options.recorded.has_value();
  out.report = replay(options);
  add(out.subjects, out.report, true);
  options.metrics = options.series = options.moves = false;
  options.decisions_path.clear();
  options.timeline_path.clear();
  for (int run = 1; run <= spread && !out.report.interrupted; ++run) {
    options.jitter = given.jitter > 0 ? given.jitter : kJitter;
    options.jitter_seed = given.jitter_seed + static_cast<std::uint64_t>(run);
    add(out.subjects, replay(options), false);
  }
  return out;
}

class Comparer {
 public:
  explicit Comparer(const Side& old_side) : old_(old_side) {}

  void compare_with(const Side& new_side, std::size_t number, std::vector<ComparedChange>& out) const {
    Subjects keys = old_.subjects;
    keys.insert(new_side.subjects.begin(), new_side.subjects.end());
    for (const auto& [key, unused] : keys) {
      const Subject a = find(old_.subjects, key), b = find(new_side.subjects, key);
      if (key.second.empty() || a.requests == 0 || b.requests == 0) continue;  // of one side alone: nothing to compare
      ComparedChange change;
      change.what = key.first;
      change.name = key.second;
      change.new_side = number;
      change.old_requests = a.requests;
      change.new_requests = b.requests;
      for (const auto& [metric, range] :
           {std::pair(Metric::rejected, &Subject::rejected), std::pair(Metric::mean_wait, &Subject::mean_wait),
            std::pair(Metric::p99_wait, &Subject::p99_wait)}) {
        change.metric = metric;
        judge(a, b, range, change);
        if (change.old_value != change.new_value) out.push_back(change);
      }
    }
  }

 private:
  static Subject find(const Subjects& subjects, const Key& key) {
    const auto at = subjects.find(key);
    return at == subjects.end() ? Subject() : at->second;
  }

  // Refusals count as a part of the requests, which may be others on the other side.
  static void judge(const Subject& a, const Subject& b, Range Subject::*range, ComparedChange& out) {
    const Range &before = a.*range, &after = b.*range;
    out.old_value = before.value;
    out.new_value = after.value;
    const bool is_part = out.metric == Metric::rejected && a.requests > 0 && b.requests > 0;
    const double of_old = is_part ? static_cast<double>(a.requests) : 1,
                 of_new = is_part ? static_cast<double>(b.requests) : 1;
    const double value_before = before.value / of_old, value_after = after.value / of_new;
    out.beyond_chance = after.least / of_new > before.most / of_old || after.most / of_new < before.least / of_old;
    out.verdict = !out.beyond_chance || value_before == value_after ? Verdict::same
                  : value_after > value_before                      ? Verdict::worse
                                                                    : Verdict::better;
  }

  const Side& old_;
};

}  // namespace

const char* to_string(What what) {
  return what == What::level ? "level" : what == What::flow_schema ? "flowSchema" : "flow";
}

const char* to_string(Metric metric) {
  return metric == Metric::rejected ? "rejected" : metric == Metric::mean_wait ? "meanWaitNs" : "p99WaitNs";
}

const char* to_string(Verdict verdict) {
  return verdict == Verdict::better ? "better" : verdict == Verdict::worse ? "worse" : "same";
}

std::uint64_t CompareReport::moved_requests(std::size_t new_side) const {
  std::uint64_t sum = 0;
  for (const ComparedMove& move : moved) sum += move.new_side == new_side ? move.requests : 0;
  return sum;
}

bool CompareReport::differs(std::size_t new_side) const {
  return std::any_of(changes.begin(), changes.end(),
                     [&](const ComparedChange& change) { return change.new_side == new_side && change.beyond_chance; });
}

CompareReport compare(const CompareOptions& options) {
  CompareReport out;
  out.spread = options.spread;
  Side old_side = replay_side(options.old_side, options.spread);
  const Comparer comparer(old_side);
  for (std::size_t i = 0; i < options.new_sides.size(); ++i) {
    Side side = replay_side(options.new_sides[i], options.spread);
    comparer.compare_with(side, i, out.changes);
    if (side.report.what_if) {
      for (const WhatIfReport::Move& move : side.report.what_if->moved)
        out.moved.push_back({i, move.from_schema, move.from_level, move.to_schema, move.to_level, move.requests});
    }
    out.new_reports.push_back(std::move(side.report));
  }
  out.old_report = std::move(old_side.report);
  const auto rank = [](const ComparedChange& change) {
    const std::uint64_t requests = std::max(change.old_requests, change.new_requests);
    return std::tuple(change.verdict != Verdict::worse, change.verdict != Verdict::better, change.what,
                      UINT64_MAX - requests);
  };
  std::stable_sort(out.changes.begin(), out.changes.end(),
                   [&](const ComparedChange& a, const ComparedChange& b) { return rank(a) < rank(b); });
  std::stable_sort(out.moved.begin(), out.moved.end(),
                   [](const ComparedMove& a, const ComparedMove& b) { return a.requests > b.requests; });
  return out;
}

}  // namespace apf
