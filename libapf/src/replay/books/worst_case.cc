#include "replay/books/worst_case.h"
#include "replay/books/causes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "replay/books/tally.h"

namespace apf {

namespace {

using Culprits = std::vector<CulpritReport>;
using FlowName = std::tuple<std::string, std::string, std::string>;

FlowName name_of(const FlowReport& f) { return {f.flow_schema, f.distinguisher, f.priority_level}; }

// All replays that the report is of.
std::vector<ReplayReport*> replays_of(ReplayReport& report) {
  std::vector<ReplayReport*> out = {&report};
  for (ReplayReport& other : report.others) out.push_back(&other);
  return out;
}

// --- flows ---------------------------------------------------------------------------------------------------------

// Those of the report for which `measure` is largest in any replay.
std::vector<FlowReport> worst_flows(const ReplayReport& report, int top, double (*measure)(const FlowReport&)) {
  std::map<FlowName, double> worst;
  for (const ReplayReport& other : report.others)
    for (const FlowReport& flow : other.all_flows) {
      const double value = measure(flow);
      if (value <= 0) continue;
      double& most = worst[name_of(flow)];
      most = std::max(most, value);
    }
  return leaders(report.all_flows, top, [&](const FlowReport& flow) {
    const auto at = worst.find(name_of(flow));
    return std::max(measure(flow), at == worst.end() ? 0 : at->second);
  });
}

using FlowNames = std::set<FlowName>;

void add_names(const std::vector<FlowReport>& flows, FlowNames& names) {
  for (const FlowReport& flow : flows) names.insert(name_of(flow));
}

void keep_named(std::vector<FlowReport>& flows, const FlowNames& names) {
  std::erase_if(flows, [&](const FlowReport& flow) { return !names.contains(name_of(flow)); });
}

void finish_flows(ReplayReport& report, int top, bool keeps_flows) {
  if (!report.others.empty() && !report.all_flows.empty()) {
    report.waited_most = worst_flows(report, top, total_wait);
    report.refused_most = worst_flows(report, top, times_refused);
  }
  if (keeps_flows) return;
  report.all_flows.clear();
  FlowNames listed;
  for (const auto* list : {&report.waited_most, &report.refused_most, &report.widest}) add_names(*list, listed);
  for (ReplayReport& other : report.others) keep_named(other.all_flows, listed);
}

// --- culprits ------------------------------------------------------------------------------------------------------

using CulpritName = std::tuple<std::string, std::string, std::string, std::string, std::string, std::string>;

CulpritName name_of(const CulpritReport& c) {
  return {c.priority_level, c.flow_schema, c.distinguisher, c.user_agent, c.verb, c.resource};
}

// Levels where somebody waited or was refused, in any replay.
std::set<std::string> troubled_levels(const std::vector<ReplayReport*>& replays) {
  std::set<std::string> out;
  for (const ReplayReport* replay : replays)
    for (const LevelReport& level : replay->levels)
      if (!level.exempt && (level.tally.queued > 0 || level.tally.rejected() > 0)) out.insert(level.name);
  return out;
}

// What is the same for all of a level in a replay.
struct LevelSums {
  double seat_seconds = 0;
  std::uint64_t refused = 0;
};

struct Worst {
  std::uint64_t level_refused = 0;
  double refusals = 0, seat_seconds = 0;
};

class CulpritList {
 public:
  CulpritList(const std::vector<ReplayReport*>& replays, Culprits ReplayReport::*list)
      : replays_(replays), list_(list), sums_(replays.size()), found_(replays.size()) {}

  void settle(const std::set<std::string>& levels, int top) {
    for (std::size_t i = 0; i < replays_.size(); ++i)
      for (const CulpritReport& c : replays_[i]->*list_)
        if (levels.contains(c.priority_level)) add(c, i);
    std::vector<std::pair<Worst, const CulpritReport*>> ranked;
    for (const auto& [name, seen] : worst_) ranked.emplace_back(worst_of(seen), seen.second);
    std::sort(ranked.begin(), ranked.end(), is_before);
    std::map<std::string, int> kept;
    std::erase_if(ranked, [&](const auto& entry) { return ++kept[entry.second->priority_level] > top; });
    std::vector<Culprits> settled(replays_.size());
    for (const auto& [worst, c] : ranked)
      for (std::size_t i = 0; i < replays_.size(); ++i) settled[i].push_back(in_replay(*c, i));
    for (std::size_t i = 0; i < replays_.size(); ++i) replays_[i]->*list_ = std::move(settled[i]);
  }

 private:
  using Seen = std::pair<Worst, const CulpritReport*>;

  void add(const CulpritReport& c, std::size_t replay) {
    sums_[replay][c.priority_level] = {c.level_seat_seconds, c.level_refused};
    level_refused_[c.priority_level] = std::max(level_refused_[c.priority_level], c.level_refused);
    found_[replay].emplace(name_of(c), &c);
    Seen& seen = worst_[name_of(c)];
    if (!seen.second) seen.second = &c;
    seen.first.refusals = std::max(seen.first.refusals, c.refusals_others + c.refusals_own);
    seen.first.seat_seconds = std::max(seen.first.seat_seconds, c.seat_seconds);
  }
  Worst worst_of(const Seen& seen) const {
    Worst out = seen.first;
    out.level_refused = level_refused_.at(seen.second->priority_level);
    return out;
  }
  static bool is_before(const Seen& a, const Seen& b) {
    const Worst &x = a.first, &y = b.first;
    const CulpritReport &c = *a.second, &d = *b.second;
    if (x.level_refused != y.level_refused) return x.level_refused > y.level_refused;
    if (c.priority_level != d.priority_level) return c.priority_level < d.priority_level;
    if (x.refusals != y.refusals) return x.refusals > y.refusals;
    if (x.seat_seconds != y.seat_seconds) return x.seat_seconds > y.seat_seconds;
    return name_of(c) < name_of(d);
  }
  CulpritReport in_replay(const CulpritReport& c, std::size_t replay) const {
    if (const auto at = found_[replay].find(name_of(c)); at != found_[replay].end()) return *at->second;
    CulpritReport out;
    out.priority_level = c.priority_level;
    out.flow_schema = c.flow_schema;
    out.distinguisher = c.distinguisher;
    out.user_agent = c.user_agent;
    out.verb = c.verb;
    out.resource = c.resource;
    out.by = c.by;
    if (const auto at = sums_[replay].find(c.priority_level); at != sums_[replay].end()) {
      out.level_seat_seconds = at->second.seat_seconds;
      out.level_refused = at->second.refused;
    }
    return out;
  }

  const std::vector<ReplayReport*>& replays_;
  Culprits ReplayReport::*const list_;
  std::vector<std::map<std::string, LevelSums>> sums_;              // by replay and level
  std::vector<std::map<CulpritName, const CulpritReport*>> found_;  // by replay
  std::map<std::string, std::uint64_t> level_refused_;              // the most in any replay
  std::map<CulpritName, Seen> worst_;
};

}  // namespace

void keep_listed_flows(ReplayReport& other) {
  FlowNames listed;
  add_names(waited_most(other.all_flows, kMostListed), listed);
  add_names(refused_most(other.all_flows, kMostListed), listed);
  add_names(widest(other.all_flows, kMostListed), listed);
  keep_named(other.all_flows, listed);
}

void finish_lists(ReplayReport& report, int top, bool keeps_flows) {
  finish_flows(report, top, keeps_flows);
  const std::vector<ReplayReport*> replays = replays_of(report);
  const std::set<std::string> levels = troubled_levels(replays);
  for (const auto list : {&ReplayReport::culprit_flows, &ReplayReport::culprit_agents, &ReplayReport::culprit_requests})
    CulpritList(replays, list).settle(levels, top);
  report.causes = causes_of(report);
}

}  // namespace apf
