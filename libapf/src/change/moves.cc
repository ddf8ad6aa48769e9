#include "change/moves.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace apf {

namespace {

// What decides which requests a FlowSchema takes, and where they go.
std::string text_of(const FlowSchema& schema) {
  FlowSchema plain = schema;
  ObjectMeta meta;
  meta.name = schema.meta.name;
  plain.meta = std::move(meta);
  plain.distinguisher_method.reset();
  return render_json(plain);
}

// How many pairs of groups are looked at.
constexpr std::size_t kMaxPairs = 4096;

// The groups of one's own that a FlowSchema names.
struct GroupsOfSchema {
  std::uint32_t schema;
  std::string name, rules;
  std::vector<std::string> groups;
  std::vector<RequestBox> requests;      // by anyone
  std::optional<std::uint32_t> again{};  // with the same rules on the other side
};

std::vector<GroupsOfSchema> groups_of(const ConsultedSchemas& side, const RequestSpace& space) {
  std::vector<GroupsOfSchema> out;
  for (std::uint32_t i = 0; i < side.size(); ++i) {
    const std::set<std::string> groups = own_groups(side.object(i));
    if (groups.empty()) continue;
    FlowSchema rules;
    rules.rules = side.object(i).rules;
    std::vector<RequestBox> requests;
    for (RequestBox& box : space.boxes_of(side.object(i))) {
      box.users = space.users().everyone();
      box.in.clear();
      if (requests.empty() || requests.back() != box) requests.push_back(std::move(box));
    }
    out.push_back({i, side.name(i), render_json(rules), {groups.begin(), groups.end()}, std::move(requests)});
  }
  return out;
}

bool meet(const RequestSpace& space, const std::vector<RequestBox>& a, const std::vector<RequestBox>& b) {
  return std::any_of(a.begin(), a.end(), [&](const RequestBox& one) {
    return std::any_of(b.begin(), b.end(), [&](const RequestBox& other) { return space.meet(one, other); });
  });
}

void find_again(std::vector<GroupsOfSchema>& of, const std::vector<GroupsOfSchema>& other_side) {
  std::map<std::string_view, const GroupsOfSchema*> by_name;
  for (const GroupsOfSchema& other : other_side) by_name.emplace(other.name, &other);
  for (GroupsOfSchema& one : of) {
    const auto at = by_name.find(one.name);
    if (at != by_name.end() && at->second->rules == one.rules) one.again = at->second->schema;
  }
}

}  // namespace

Moves::Moves(const ConsultedSchemas& old_side, const ConsultedSchemas& new_side) : old_(old_side), new_(new_side) {
  std::vector<const FlowSchema*> all = old_.objects();
  for (const FlowSchema* schema : new_.objects()) all.push_back(schema);
  space_ = std::make_unique<RequestSpace>(all);
  find_touched();
  if (space_->users().one_group_each()) look_at_pairs();
  old_list_ = std::make_unique<DecisionList>(*space_, old_.objects());
  new_list_ = std::make_unique<DecisionList>(*space_, new_.objects());
  compute();
}

// Whoever moves from one FlowSchema to another moves as well if he is in no more than the two groups by which they
// match him: fewer groups leave fewer others that match. So pairs of groups are enough, and of these only those whose
// FlowSchemas do not come in the same order on both sides.
void Moves::look_at_pairs() {
  std::vector<GroupsOfSchema> befores = groups_of(old_, *space_), afters = groups_of(new_, *space_);
  find_again(befores, afters);
  find_again(afters, befores);
  std::size_t pairs = 0;
  for (const GroupsOfSchema& before : befores) {
    for (const GroupsOfSchema& after : afters) {
      if (!old_touched_[before.schema] && !new_touched_[after.schema]) continue;
      // The one that takes a request comes first: so they change places, unless there is none on the other side.
      if (before.again && *before.again <= after.schema) continue;
      if (after.again && *after.again <= before.schema) continue;
      if (!meet(*space_, before.requests, after.requests)) continue;
      pairs += before.groups.size() * after.groups.size();
      pairs_complete_ = pairs <= kMaxPairs;
      if (!pairs_complete_) return;
      for (const std::string& group : before.groups)
        for (const std::string& other : after.groups) space_->look_at_both(group, other);
    }
  }
}

void Moves::find_touched() {
  old_touched_.assign(old_.size(), true);
  new_touched_.assign(new_.size(), true);
  for (std::uint32_t before = 0; before < old_.size(); ++before) {
    const std::optional<std::uint32_t> after = new_.find(old_.name(before));
    if (!after || text_of(old_.object(before)) != text_of(new_.object(*after))) continue;
    old_touched_[before] = new_touched_[*after] = false;
  }
}

bool Moves::same_place(std::uint32_t before, std::uint32_t after) const {
  return old_.name(before) == new_.name(after) && old_.level_name(before) == new_.level_name(after);
}

void Moves::compute() {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<RequestBox>> found;
  const auto add = [&](std::uint32_t before, std::uint32_t after, RequestBox&& taken) {
    before = old_schema(before);
    after = new_schema(after);
    if (!same_place(before, after)) found[{before, after}].push_back(std::move(taken));
  };
  // The fallback itself is the same on both sides, but for the level that catch-all names.
  old_touched_.push_back(!same_place(old_.catch_all(), new_.catch_all()));
  new_touched_.push_back(false);
  for (std::uint32_t before = 0; before <= old_list_->fallback(); ++before) {
    if (!old_touched_[before]) continue;
    for (const RequestBox& box : old_list_->boxes_of(before)) {
      new_list_->distribute(old_list_->left_before(box, before), box,
                            [&](std::uint32_t after, RequestBox taken) { add(before, after, std::move(taken)); });
    }
  }
  // What a touched FlowSchema of the old side took is found already.
  for (std::uint32_t after = 0; after < new_list_->fallback(); ++after) {
    if (!new_touched_[after]) continue;
    for (const RequestBox& box : new_list_->boxes_of(after)) {
      old_list_->distribute(new_list_->left_before(box, after), box, [&](std::uint32_t before, RequestBox taken) {
        if (!old_touched_[before]) add(before, after, std::move(taken));
      });
    }
  }
  for (auto& [places, boxes] : found) moves_.push_back({places.first, places.second, std::move(boxes)});
}

bool Moves::keeps_requests(std::uint32_t before, std::uint32_t after) const {
  for (const RequestBox& box : old_list_->boxes_of(before)) {
    bool found = false;
    new_list_->distribute(old_list_->left_before(box, before), box,
                          [&](std::uint32_t taker, const RequestBox&) { found = found || taker == after; });
    if (found) return true;
  }
  return false;
}

}  // namespace apf
