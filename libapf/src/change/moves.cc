#include "change/moves.h"

#include <map>
#include <string>
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

}  // namespace

Moves::Moves(const ConsultedSchemas& old_side, const ConsultedSchemas& new_side) : old_(old_side), new_(new_side) {
  std::vector<const FlowSchema*> all = old_.objects();
  for (const FlowSchema* schema : new_.objects()) all.push_back(schema);
  space_ = std::make_unique<RequestSpace>(all);
  old_list_ = std::make_unique<DecisionList>(*space_, old_.objects());
  new_list_ = std::make_unique<DecisionList>(*space_, new_.objects());
  find_touched();
  compute();
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
