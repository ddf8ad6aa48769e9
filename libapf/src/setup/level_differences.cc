// KnownServer::level_differences(): the levels that a server showed, against those of a configuration.
#include <apf/limits.h>
#include <apf/setup.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/joined.h"

namespace apf {
namespace {

constexpr const char* kInEachServer = "catch-all";

struct Shown {
  std::string from;
  std::set<std::string> levels;
  bool has(const std::string& level) const { return levels.contains(level); }
  bool is_whole() const { return has(kInEachServer); }
};

Shown levels_of(const KnownServer::Limits& limits) {
  Shown out{limits.from, {}};
  for (const auto& [name, level] : limits.levels)
    if (level.nominal) out.levels.insert(name);
  return out;
}

// A level that is being removed is in no configuration any more.
Shown levels_of(const ServerDump& dump, const std::string& from) {
  Shown out{from, {}};
  for (const QueueDump& queue : dump.queues) out.levels.insert(queue.level);
  for (const RequestDump& request : dump.requests) out.levels.insert(request.level);
  if (!dump.has_levels) out.levels.erase(kInEachServer);  // the others are no whole list
  for (const LevelDump& level : dump.levels) {
    if (level.quiescing) out.levels.erase(level.name);
    else out.levels.insert(level.name);
  }
  return out;
}

std::string named(const std::vector<std::string>& levels) {
  return (levels.size() == 1 ? "the level " : "the levels ") + joined_first(levels, 3);
}

void compare(const Shown& shown, const LimitsTable& table, bool both, std::vector<std::string>& out) {
  std::vector<std::string> more, fewer;
  for (const std::string& level : shown.levels)
    if (std::none_of(table.levels.begin(), table.levels.end(), [&](const auto& own) { return own.name == level; }))
      more.push_back(level);
  for (const LevelLimits& level : table.levels)
    if (both && shown.is_whole() && !level.exempt && !shown.has(level.name)) fewer.push_back(level.name);
  if (!more.empty())
    out.push_back(
        fmt::format("by {}, the server has {}, which the configuration does not have", shown.from, named(more)));
  if (!fewer.empty())
    out.push_back(fmt::format("by {}, the server does not have {} of the configuration", shown.from, named(fewer)));
}

// Of levels that both have. Without a bound on borrowing, the most depends on the seats alone.
void compare_limits(const KnownServer::Limits& limits, const LimitsTable& table, std::vector<std::string>& out) {
  std::vector<std::string> others;
  for (const LevelLimits& level : table.levels) {
    const auto at = limits.levels.find(level.name);
    if (at == limits.levels.end() || level.exempt || !at->second.nominal) continue;
    const auto seats = [](std::optional<double> limit, int own) { return limit ? std::lround(*limit) : own; };
    const long nominal = std::lround(*at->second.nominal), least = seats(at->second.lower, level.min_cl),
               most = seats(at->second.upper, level.max_cl);
    if (nominal == level.nominal_cl && least == level.min_cl && most == level.max_cl) continue;
    others.push_back(fmt::format("{} (nominal {}, {} to {}; not {}, {} to {})", level.name, nominal, least, most,
                                 level.nominal_cl, level.min_cl, level.max_cl));
  }
  if (others.empty()) return;
  out.push_back(fmt::format("by {}, the server has other limits than the configuration gives: {}", limits.from,
                            joined_first(others, 3)));
}

// Of levels all of whose queues are in the dump.
void compare_queues(const ServerDump& dump, const std::string& from, const LimitsTable& table,
                    std::vector<std::string>& out) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> queues;  // rows, and the highest number
  for (const QueueDump& queue : dump.queues) {
    auto& [rows, highest] = queues[queue.level];
    ++rows;
    highest = std::max(highest, queue.index);
  }
  for (const LevelLimits& level : table.levels) {
    const auto at = queues.find(level.name);
    // A dump that is cut off ends within its last level.
    if (at == queues.end() || level.name == dump.queues.back().level || at->second.first != at->second.second + 1 ||
        at->second.first == level.queues)
      continue;
    out.push_back(fmt::format("by {}, {} has {} queues, and the configuration gives it {}", from, level.name,
                              at->second.first, level.queues));
  }
}

}  // namespace

std::vector<std::string> KnownServer::level_differences(const Config& config, bool both) const {
  std::vector<std::string> out;
  const bool dumped = dump.has_levels || dump.has_queues || dump.has_requests;
  if (!limits && !dumped) return out;
  const LimitsTable table = compute_limits(config, 1);
  if (limits) compare(levels_of(*limits), table, both, out);
  if (const auto shared = limits && both ? seats(config) : std::nullopt; shared && !shared->is_guess())
    compare_limits(*limits, compute_limits(config, shared->number, release().value_or(kNewestKubeVersion)), out);
  if (!dumped) return out;
  compare(levels_of(dump, dump_from), table, both, out);
  compare_queues(dump, queues_from, table, out);
  return out;
}

}  // namespace apf
