// apf::diff_configs().
#include <apf/change.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <apf/error.h>

#include "base/sort_stably.h"
#include "change/moves.h"
#include "change/place_names.h"
#include "lint/reach/box_text.h"
#include "lint/reach/cover.h"
#include "lint/reach/witness.h"
#include "schedule/level_state.h"

namespace apf {

namespace {

// All that a request notices of a level; shares alone it does not, and what an exempt level may borrow limits nothing.
auto behaviour_of(const LevelLimits& level) {
  const auto limit = [&](int number) { return level.exempt ? 0 : number; };
  return std::tuple(level.exempt, level.reject, level.nominal_cl, level.lendable_cl, limit(level.borrowing_cl),
                    level.min_cl, limit(level.max_cl), limit(level.initial_cl), limit(level.max_seats), level.queues,
                    level.hand_size, level.queue_length_limit);
}

bool same_behaviour(const LevelLimits* a, const LevelLimits* b) {
  return a && b && behaviour_of(*a) == behaviour_of(*b);
}

bool shrinks(const LimitsChange& change) {
  if (!change.old_limits || !change.new_limits) return !change.new_limits;
  const LevelLimits &a = *change.old_limits, &b = *change.new_limits;
  return b.nominal_cl < a.nominal_cl || b.min_cl < a.min_cl || b.max_cl < a.max_cl;
}

std::vector<LimitsChange> limits_changes(const LimitsTable& old_table, const LimitsTable& new_table) {
  std::vector<LimitsChange> out;
  std::set<std::string> names;
  for (const LimitsTable* table : {&old_table, &new_table}) {
    for (const LevelLimits& level : table->levels) names.insert(level.name);
  }
  for (const std::string& name : names) {
    const LevelLimits *before = find_level(old_table, name), *after = find_level(new_table, name);
    if (same_behaviour(before, after)) continue;
    LimitsChange& change = out.emplace_back();
    change.priority_level = name;
    if (before) change.old_limits = *before;
    if (after) change.new_limits = *after;
  }
  const auto rank = [](const LimitsChange& change) {
    return std::pair(shrinks(change) ? 0 : 1, protection_of(change.priority_level));
  };
  sort_stably(out, [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return out;
}

// Names of one side that became other names: what had the one had the other, and nothing else had or has either.
class Renames {
 public:
  void add(const std::string& from, const std::string& to) {
    there_[from].insert(to);
    back_[to].insert(from);
  }
  // Empty: it is none.
  std::string new_name(const std::string& from) const {
    const auto at = there_.find(from);
    if (at == there_.end() || at->second.size() != 1 || *at->second.begin() == from) return {};
    const std::string& to = *at->second.begin();
    return back_.at(to).size() == 1 ? to : std::string();
  }
  bool is_rename(const std::string& from, const std::string& to) const { return from == to || new_name(from) == to; }

 private:
  std::map<std::string, std::set<std::string>> there_, back_;
};

class Differ {
 public:
  Differ(const DiffSide& old_side, const DiffSide& new_side)
      : old_(*old_side.config), new_(*new_side.config), moves_(old_, new_) {
    out_.old_limits = compute_limits(*old_side.config, old_side.server_concurrency_limit, old_side.version);
    out_.new_limits = compute_limits(*new_side.config, new_side.server_concurrency_limit, new_side.version);
    out_.old_side = old_side;
    out_.new_side = new_side;
    out_.old_side.config = out_.new_side.config = nullptr;
  }

  ConfigDiff run() {
    find_renames();
    for (const Move& move : moves_.moves()) add_regions(move);
    sort_regions();
    out_.limits = limits_changes(out_.old_limits, out_.new_limits);
    add_schemas();
    add_flows();
    out_.complete = moves_.complete();
    out_.one_group_each = moves_.space().users().one_group_each();
    return std::move(out_);
  }

 private:
  static RequestPlace place(const ConsultedSchemas& side, std::uint32_t schema) {
    return {side.name(schema), side.level_name(schema)};
  }

  // Names that both sides have are no renames, and a level that others share is none.
  void find_renames() {
    for (const Move& move : moves_.moves()) {
      schemas_.add(old_.name(move.from), new_.name(move.to));
      levels_.add(old_.level_name(move.from), new_.level_name(move.to));
    }
    for (const std::string& name : old_.names()) {
      if (new_.find(name)) schemas_.add(name, name);
    }
    for (const LevelLimits& level : out_.old_limits.levels) {
      if (find_level(out_.new_limits, level.name)) levels_.add(level.name, level.name);
    }
  }

  bool is_rename(const RequestPlace& from, const RequestPlace& to) const {
    if (!schemas_.is_rename(from.flow_schema, to.flow_schema)) return false;
    if (!levels_.is_rename(from.priority_level, to.priority_level)) return false;
    return from.priority_level == to.priority_level || same_behaviour(find_level(out_.old_limits, from.priority_level),
                                                                      find_level(out_.new_limits, to.priority_level));
  }

  void add_regions(const Move& move) {
    const RequestSpace& space = moves_.space();
    for (const RequestBox& box : plainest_cover(space, move.boxes)) {
      MovedRegion& region = out_.regions.emplace_back();
      region.from = place(old_, move.from);
      region.to = place(new_, move.to);
      region.renamed = is_rename(region.from, region.to);
      region.system = is_system_traffic(space, box) || protection_of(region.from.priority_level) < kUnprotected;
      region.requests = words_of(space, box);
      if (const std::optional<Witness> witness = witness_in(space, box, {})) {
        region.user = witness->user;
        region.request = witness->request;
        if (witness->command.empty()) continue;
        region.old_command = witness->command + out_.old_side.flags;
        region.new_command = witness->command + out_.new_side.flags;
      }
    }
  }

  void sort_regions() {
    const auto harm = [](const MovedRegion& region) {
      const int from = protection_of(region.from.priority_level), to = protection_of(region.to.priority_level);
      return std::tuple(region.renamed, !region.system, from >= to, from);
    };
    sort_stably(out_.regions, [&](const MovedRegion& a, const MovedRegion& b) { return harm(a) < harm(b); });
  }

  void add_schemas() {
    std::set<std::string> moving;
    for (const MovedRegion& region : out_.regions) {
      if (region.renamed) continue;
      moving.insert(region.from.flow_schema);
      moving.insert(region.to.flow_schema);
    }
    const auto add = [&](SchemaChange::What what, const std::string& name, std::string new_name = {}) {
      out_.schemas.push_back({what, name, std::move(new_name), moving.contains(name)});
    };
    std::set<std::string> renamed;
    for (const std::string& name : old_.names()) {
      const std::optional<std::uint32_t> after = new_.find(name);
      if (after) {
        if (moves_.is_touched(old_.find(name).value())) add(SchemaChange::What::changed, name);
        continue;
      }
      const std::string to = schemas_.new_name(name);
      if (to.empty() || old_.find(to)) {
        add(SchemaChange::What::removed, name);
        continue;
      }
      add(SchemaChange::What::renamed, name, to);
      renamed.insert(to);
    }
    for (const std::string& name : new_.names()) {
      if (!old_.find(name) && !renamed.contains(name)) add(SchemaChange::What::added, name);
    }
  }

  // Of FlowSchemas that have requests on both sides, and of renamed ones: the name is part of what is hashed.
  void add_flows() {
    for (std::uint32_t before = 0; before < old_.size(); ++before) {
      const std::string& name = old_.name(before);
      std::string new_name = name;
      if (!new_.find(name) && (new_name = schemas_.new_name(name)).empty()) continue;
      const std::optional<std::uint32_t> after = new_.find(new_name);
      if (!after) continue;
      const auto add = [&](FlowChange::What what, std::string old_text, std::string new_text) {
        if (old_text == new_text || !moves_.keeps_requests(before, *after)) return;
        out_.flows.push_back({what, new_name, new_.level_name(*after), std::move(old_text), std::move(new_text)});
      };
      add(FlowChange::What::distinguisher, old_.distinguisher(before), new_.distinguisher(*after));
      const bool hashed = old_.uses_flows(before) && new_.uses_flows(*after);
      if (!hashed) continue;
      if (name != new_name) add(FlowChange::What::hand, name, new_name);
      else add(FlowChange::What::hand, old_.deck(before), new_.deck(*after));
    }
  }

  ConsultedSchemas old_, new_;
  Moves moves_;
  Renames schemas_, levels_;
  ConfigDiff out_;
};

}  // namespace

bool ConfigDiff::moves() const {
  return std::any_of(regions.begin(), regions.end(), [](const MovedRegion& region) { return !region.renamed; });
}

ConfigDiff diff_configs(const DiffSide& old_side, const DiffSide& new_side) { return Differ(old_side, new_side).run(); }

}  // namespace apf
