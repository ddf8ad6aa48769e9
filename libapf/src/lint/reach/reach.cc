#include "lint/reach/reach.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <apf/classify.h>

#include "base/background.h"
#include "base/sort_stably.h"
#include "lint/reach/witness.h"

namespace apf {

namespace {

// How many boxes one subtraction may leave; beyond, what is left counts as reached.
constexpr std::size_t kMaxBoxes = 256;
// How many of them are tried for a request that looks real.
constexpr std::size_t kMaxTriedBoxes = 8;
// Steps for each object and each text in it: far more than what real configurations need, and still linear in size.
constexpr std::int64_t kStepsPerText = 64, kLeastSteps = 100'000;
// How many subjects and parts of something unreachable are searched for the FlowSchemas that get its requests.
constexpr std::size_t kMaxShadowSubtractions = 64;

std::int64_t texts_in(const FlowSchema& schema) {
  std::size_t out = 1;
  for (const PolicyRule& rule : schema.rules) {
    out += 1 + rule.subjects.size();
    for (const ResourceRule& part : rule.resource_rules) {
      out += 1 + part.verbs.size() + part.api_groups.size() + part.resources.size() + part.namespaces.size();
    }
    for (const NonResourceRule& part : rule.non_resource_rules) out += 1 + part.verbs.size() + part.urls.size();
  }
  return static_cast<std::int64_t>(out);
}

std::vector<const FlowSchema*> consulted_in(const Config& effective,
                                            const std::set<std::string, std::less<>>& further_levels) {
  std::vector<const FlowSchema*> out;
  std::unordered_set<std::string_view> levels(further_levels.begin(), further_levels.end());
  for (const PriorityLevel& level : effective.priority_levels) {
    if (malformed_reason(level).empty()) levels.insert(level.meta.name);
  }
  for (const FlowSchema& schema : effective.flow_schemas) {
    if (levels.contains(schema.priority_level)) out.push_back(&schema);
  }
  sort_stably(out, [](const FlowSchema* a, const FlowSchema* b) {
    return a->matching_precedence != b->matching_precedence ? a->matching_precedence < b->matching_precedence
                                                            : a->meta.name < b->meta.name;
  });
  return out;
}

}  // namespace

Reach::Reach(const Config& effective, KubeVersion version, const std::set<std::string, std::less<>>& further_levels)
    : Reach(consulted_in(effective, further_levels)) {
  command_flags_ = apf::command_flags(effective, version);
}

Reach::Reach(std::vector<const FlowSchema*> consulted) : consulted_(std::move(consulted)) {
  budget_ = kLeastSteps;
  for (std::uint32_t i = 0; i < consulted_.size(); ++i) {
    by_name_.emplace(consulted_[i]->meta.name, i);
    budget_ += kStepsPerText * texts_in(*consulted_[i]);
  }
  reach_index_ = std::make_unique<ReachIndex>(consulted_);
  reaches_.resize(consulted_.size());
}

Reach::~Reach() = default;

std::optional<std::uint32_t> Reach::index_of(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

Reach::Rest Reach::subtract(const ReachUser& user, const ReachTarget& target, std::uint32_t schema, Effort effort,
                            std::optional<std::uint32_t> end) const {
  Rest rest{Region(target.sizes()), schema, true, {}};
  for (const Box& box : reach_index_->unseen(target)) rest.region.take(box);
  if (rest.region.empty()) return rest;
  const auto sizes = target.sizes();
  const std::size_t of_paths = target.is_url ? sizes[kPathSide] : 0;
  const auto step = static_cast<std::int64_t>(1 + (sizes[0] + sizes[1] + sizes[2] + sizes[3]) / 16 + of_paths);
  ReachIndex::Walk walk(*reach_index_, user, target, end.value_or(reach_index_->parts_of(schema, 0).first));
  Box box;
  for (budget_ -= step; effort == Effort::whatever_it_takes || budget_ > 0;) {
    const std::optional<std::uint32_t> number = walk.next();
    budget_ -= step;
    if (!number) {
      rest.complete = walk.complete();
      return rest;
    }
    const ReachPart& part = reach_index_->parts()[*number];
    if (!cover(part, target, box)) continue;
    if (!rest.region.take(box)) continue;
    budget_ -= step * static_cast<std::int64_t>(rest.region.boxes().size());
    if (rest.takers.empty() || rest.takers.back() != part.schema) rest.takers.push_back(part.schema);
    if (rest.region.empty()) return rest;
    if (rest.region.boxes().size() > kMaxBoxes) break;
    walk.forget_taken(rest.region);
  }
  rest.complete = false;
  return rest;
}

namespace {

// Marks the entries of a list as written whose value is left.
void mark_entries(const ReachIndex& index, const std::vector<std::string>& list, const IdSet& set,
                  const ReachTarget& target, std::size_t side, const Region& region, std::vector<bool>& reached) {
  const std::vector<std::uint32_t>& values = target.values[side];  // sorted, but for an unnamed one at the end
  const Bits left = region.left_on(side);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::uint32_t id = index.find(list[i]);
    const auto at = set.any ? values.end() - 1 : std::lower_bound(values.begin(), values.end(), id);
    if (at == values.end() || (!set.any && *at != id)) continue;
    if (left.test(static_cast<std::size_t>(at - values.begin()))) reached[i] = true;
  }
}

void mark(const ReachIndex& index, const PolicyRule& rule, const ReachPart& part, const ReachTarget& target,
          const Region& region, PartReach& out) {
  out.reached = true;
  if (part.is_url) {
    const NonResourceRule& written = rule.non_resource_rules[part.index];
    mark_entries(index, written.verbs, part.sides[kVerbSide], target, kVerbSide, region, out.verbs);
    const Bits paths = region.left_on(kPathSide);
    for (std::size_t i = 0; i < written.urls.size(); ++i) {
      if (paths.test(2 * i) || paths.test(2 * i + 1)) out.urls[i] = true;
    }
    return;
  }
  const ResourceRule& written = rule.resource_rules[part.index];
  mark_entries(index, written.verbs, part.sides[kVerbSide], target, kVerbSide, region, out.verbs);
  mark_entries(index, written.api_groups, part.sides[kGroupSide], target, kGroupSide, region, out.api_groups);
  mark_entries(index, written.resources, part.sides[kResourceSide], target, kResourceSide, region, out.resources);
  mark_entries(index, written.namespaces, part.sides[kNamespaceSide], target, kNamespaceSide, region, out.namespaces);
  // The empty namespace has the smallest number.
  if (written.cluster_scope && region.left_on(kNamespaceSide).test(0)) out.cluster_scope = true;
}

bool all_reached(const PartReach& part) {
  for (const std::vector<bool>* list : {&part.verbs, &part.api_groups, &part.resources, &part.namespaces, &part.urls}) {
    if (std::find(list->begin(), list->end(), false) != list->end()) return false;
  }
  return part.cluster_scope;
}

PartReach blank(const PolicyRule& rule, const ReachPart& part) {
  PartReach out;
  out.is_url = part.is_url;
  out.index = part.index;
  if (part.is_url) {
    const NonResourceRule& written = rule.non_resource_rules[part.index];
    out.verbs.resize(written.verbs.size());
    out.urls.resize(written.urls.size());
    return out;
  }
  const ResourceRule& written = rule.resource_rules[part.index];
  out.verbs.resize(written.verbs.size());
  out.api_groups.resize(written.api_groups.size());
  out.resources.resize(written.resources.size());
  out.namespaces.resize(written.namespaces.size());
  out.cluster_scope = !written.cluster_scope;
  return out;
}

}  // namespace

// The target's values that are in the box.
ReachTarget Reach::within(const ReachTarget& target, const Box& box) {
  ReachTarget out = target;
  for (std::size_t side = 0; side < kSides; ++side) {
    out.values[side].clear();
    for (std::size_t i = 0; i < target.values[side].size(); ++i) {
      if (box[side].test(i)) out.values[side].push_back(target.values[side][i]);
    }
  }
  return out;
}

const SchemaReach& Reach::of(std::uint32_t schema) const {
  if (!reaches_[schema]) reaches_[schema] = std::make_unique<SchemaReach>(compute(schema));
  return *reaches_[schema];
}

SchemaReach Reach::compute(std::uint32_t schema) const {
  end_if_unwanted();
  SchemaReach out;
  const std::vector<PolicyRule>& rules = consulted_[schema]->rules;
  for (std::uint32_t r = 0; r < rules.size(); ++r) {
    RuleReach& rule = out.rules.emplace_back();
    const auto [begin, end] = reach_index_->parts_of(schema, r);
    std::vector<ReachTarget> targets;
    for (std::uint32_t number = begin; number < end; ++number) {
      const ReachPart& part = reach_index_->parts()[number];
      targets.push_back(reach_index_->target_of(part));
      PartReach& reach = rule.parts.emplace_back(blank(rules[r], part));
      Region seen(targets.back().sizes());
      for (const Box& box : reach_index_->unseen(targets.back())) seen.take(box);
      reach.matches_something = !seen.empty();
    }
    std::vector<bool> all_marked(targets.size());
    for (const Subject& subject : rules[r].subjects) {
      const std::vector<ReachUser> users = reach_index_->least_users(subject);
      rule.known_subjects.push_back(!users.empty());
      bool subject_reached = false;
      for (const ReachUser& user : users) {
        for (std::size_t i = 0; i < targets.size(); ++i) {
          if (!rule.parts[i].matches_something) continue;
          rule.matches_something = true;
          const Rest rest = subtract(user, targets[i], schema, Effort::within_budget);
          out.complete = out.complete && rest.complete;
          if (rest.region.empty()) continue;
          subject_reached = true;
          if (all_marked[i]) continue;
          mark(*reach_index_, rules[r], reach_index_->parts()[begin + i], targets[i], rest.region, rule.parts[i]);
          all_marked[i] = all_reached(rule.parts[i]);
        }
      }
      rule.subjects.push_back(subject_reached);
      rule.reached = rule.reached || subject_reached;
    }
    out.matches_something = out.matches_something || rule.matches_something;
    out.reached = out.reached || rule.reached;
  }
  return out;
}

ReachTarget Reach::narrowed(const ReachPart& part, const ReachSelection& selection) const {
  ReachTarget target = reach_index_->target_of(part);
  if (!selection.side) return target;
  std::vector<std::uint32_t>& values = target.values[*selection.side];
  if (part.is_url && *selection.side == kPathSide) {
    std::vector<std::uint32_t> kept;
    for (std::uint32_t i = 0; i < part.exact_paths.size(); ++i) {
      if (part.exact_paths[i] == selection.value) kept.insert(kept.end(), {2 * i, 2 * i + 1});
    }
    values = std::move(kept);
    return target;
  }
  const std::uint32_t wanted =
      part.sides[*selection.side].any && !selection.value.empty() ? kUnnamed : reach_index_->find(selection.value);
  std::erase_if(values, [&](std::uint32_t id) { return id != wanted; });
  return target;
}

std::optional<Witness> Reach::witness_of(const ReachUser& user, const ReachTarget& target,
                                         std::optional<std::uint32_t> wanted) const {
  std::optional<Witness> best;
  for (const RequestInfo& request : LikelyRequests(*reach_index_, target)) {
    const std::uint32_t taker = reach_index_->first_match(user, reach_index_->target_of(request));
    if (wanted && taker != *wanted) continue;
    Witness witness{user.user, request, {}};
    witness.command = explain_command(witness.user, witness.request, command_flags_);
    const bool real = !witness.command.empty();
    if (real || !best) best = std::move(witness);
    if (real) break;
  }
  return best;
}

void Reach::find_shadow_witness(const ReachUser& user, const ReachTarget& target, const Rest& rest, Shadow& out) const {
  LikelyRequests requests(*reach_index_, target);
  // Those who take all of the target are the better examples.
  for (const bool any_taker : {false, true}) {
    for (const RequestInfo& request : requests) {
      const std::uint32_t taker = reach_index_->first_match(user, reach_index_->target_of(request));
      const bool of_all = std::find(rest.takers.begin(), rest.takers.end(), taker) != rest.takers.end();
      if (!of_all && !(any_taker && taker < rest.schema)) continue;
      std::string command = explain_command(user.user, request, command_flags_);
      const bool real = !command.empty();
      if (!real && out.witness) continue;
      out.witness = Witness{user.user, request, std::move(command)};
      out.taker = consulted_[taker];
      if (real) return;
    }
  }
}

Shadow Reach::shadow(std::uint32_t schema, const ReachSelection& selection) const {
  Shadow out;
  std::set<std::uint32_t> takers;
  std::size_t subtractions = 0;
  const std::vector<PolicyRule>& rules = consulted_[schema]->rules;
  for (std::uint32_t r = 0; r < rules.size(); ++r) {
    if (selection.rule && *selection.rule != r) continue;
    const auto [begin, end] = reach_index_->parts_of(schema, r);
    for (std::uint32_t s = 0; s < rules[r].subjects.size(); ++s) {
      if (selection.subject && *selection.subject != s) continue;
      for (const ReachUser& user : reach_index_->least_users(rules[r].subjects[s])) {
        for (std::uint32_t number = begin; number < end; ++number) {
          if (selection.part && *selection.part != number - begin) continue;
          if (++subtractions > kMaxShadowSubtractions && out.witness) continue;
          const ReachTarget target = narrowed(reach_index_->parts()[number], selection);
          const Rest rest = subtract(user, target, schema, Effort::whatever_it_takes);
          takers.insert(rest.takers.begin(), rest.takers.end());
          const bool wants_witness =
              !out.witness || (out.witness->command.empty() && subtractions <= kMaxShadowSubtractions);
          if (!rest.takers.empty() && wants_witness) find_shadow_witness(user, target, rest, out);
        }
      }
    }
  }
  // A FlowSchema that matches nothing else may get a request for something real.
  if (out.taker) takers.insert(by_name_.at(out.taker->meta.name));
  for (const std::uint32_t taker : takers) out.taken_by.push_back(consulted_[taker]);
  return out;
}

std::optional<std::uint32_t> Reach::first_match(const User& user, const RequestInfo& request) const {
  const std::uint32_t found =
      reach_index_->first_match(reach_index_->file_user(user), reach_index_->target_of(request));
  return found == UINT32_MAX ? std::nullopt : std::optional(found);
}

void Reach::examples(std::uint32_t schema, std::uint32_t rule, const std::function<bool(Witness&)>& visit) const {
  const auto [begin, end] = reach_index_->parts_of(schema, rule);
  const std::uint32_t first = reach_index_->parts_of(schema, 0).first;
  for (std::uint32_t before = begin;; before = first) {
    for (const Subject& subject : consulted_[schema]->rules[rule].subjects) {
      for (const ReachUser& user : reach_index_->least_users(subject)) {
        for (std::uint32_t number = begin; number < end; ++number) {
          const ReachTarget target = reach_index_->target_of(reach_index_->parts()[number]);
          const Rest rest = subtract(user, target, schema, Effort::whatever_it_takes, before);
          for (std::size_t i = 0; i < std::min(rest.region.boxes().size(), kMaxTriedBoxes); ++i) {
            std::optional<Witness> found = witness_of(user, within(target, rest.region.boxes()[i]), schema);
            if (found && visit(*found)) return;
          }
        }
      }
    }
    if (before == first) return;
  }
}

std::optional<Witness> Reach::example(std::uint32_t schema) const {
  std::optional<Witness> best;
  const auto is_real = [&] { return best && !best->command.empty(); };
  for (std::uint32_t rule = 0; rule < consulted_[schema]->rules.size() && !is_real(); ++rule) {
    examples(schema, rule, [&](Witness& found) {
      if (!best || !found.command.empty()) best = std::move(found);
      return is_real();
    });
  }
  return best;
}

}  // namespace apf
