#include "lint/reach/decision_list.h"

#include <utility>

namespace apf {

namespace {

// How many boxes one region may fall into. What thousands of FlowSchemas cut into more is passed over, and said.
constexpr std::size_t kMaxPieces = 1u << 15;

}  // namespace

DecisionList::DecisionList(const RequestSpace& space, std::span<const FlowSchema* const> schemas) : space_(space) {
  const auto add = [&](std::uint32_t schema, RequestBox box) {
    entries_.push_back({schema, box, signature_of(box)});
    boxes_.push_back(std::move(box));
  };
  for (std::uint32_t schema = 0; schema < schemas.size(); ++schema) {
    begins_.push_back(boxes_.size());
    for (RequestBox& box : space.boxes_of(*schemas[schema])) add(schema, std::move(box));
  }
  begins_.push_back(boxes_.size());
  for (const bool is_url : {false, true}) add(static_cast<std::uint32_t>(schemas.size()), space.whole(is_url));
  begins_.push_back(boxes_.size());
}

std::span<const RequestBox> DecisionList::boxes_of(std::uint32_t schema) const {
  return std::span(boxes_).subspan(begins_[schema], begins_[schema + 1] - begins_[schema]);
}

DecisionList::Signature DecisionList::signature_of(const RequestBox& box) const {
  Signature out{};
  out[0] = box.users.signature();
  for (std::size_t side = 0; side < RequestParts::sides(box.is_url); ++side)
    out[1 + side] = box.sides[side].signature();
  return out;
}

bool DecisionList::may_meet(const Entry& entry, const RequestBox& box, const Signature& signature) const {
  if (entry.box.is_url != box.is_url) return false;
  for (std::size_t i = 0; i <= RequestParts::sides(box.is_url); ++i) {
    if ((entry.signature[i] & signature[i]) == 0) return false;
  }
  return space_.meet(entry.box, box);
}

std::vector<RequestBox> DecisionList::left_before(const RequestBox& box, std::uint32_t end) const {
  std::vector<RequestBox> left, next;
  if (space_.is_possible(box)) left.push_back(box);
  const Signature signature = signature_of(box);
  for (const Entry& entry : entries_) {
    if (entry.schema >= end || left.empty()) break;
    if (!may_meet(entry, box, signature)) continue;
    next.clear();
    for (RequestBox& piece : left) {
      if (space_.meet(piece, entry.box)) space_.subtract(piece, entry.box, next);
      else next.push_back(std::move(piece));
    }
    left.swap(next);
    if (left.size() <= kMaxPieces) continue;
    complete_ = false;
    left.resize(kMaxPieces);
  }
  return left;
}

std::vector<RequestBox> DecisionList::taken_by(std::uint32_t schema) const {
  std::vector<RequestBox> out;
  for (const RequestBox& box : boxes_of(schema)) {
    for (RequestBox& piece : left_before(box, schema)) out.push_back(std::move(piece));
  }
  return out;
}

bool DecisionList::takes_any(std::uint32_t schema) const {
  for (const RequestBox& box : boxes_of(schema)) {
    if (!left_before(box, schema).empty()) return true;
  }
  return false;
}

void DecisionList::distribute(std::vector<RequestBox> boxes, const RequestBox& within,
                              const std::function<void(std::uint32_t schema, RequestBox taken)>& visit) const {
  std::vector<RequestBox> next;
  const Signature signature = signature_of(within);
  for (const Entry& entry : entries_) {
    if (boxes.empty()) return;
    if (!may_meet(entry, within, signature)) continue;
    next.clear();
    for (RequestBox& piece : boxes) {
      if (!space_.meet(piece, entry.box)) {
        next.push_back(std::move(piece));
        continue;
      }
      space_.subtract(piece, entry.box, next);
      visit(entry.schema, space_.common(piece, entry.box));
    }
    boxes.swap(next);
    if (boxes.size() <= kMaxPieces) continue;
    complete_ = false;
    boxes.resize(kMaxPieces);
  }
}

}  // namespace apf
