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

DecisionList::Signature DecisionList::signature_of(const RequestBox& box) {
  Signature out{};
  out[0] = box.users.signature();
  for (std::size_t side = 0; side < RequestParts::sides(box.is_url); ++side)
    out[1 + side] = box.sides[side].signature();
  return out;
}

DecisionList::Piece DecisionList::piece_of(RequestBox box) const {
  const Signature signature = signature_of(box);
  return {std::move(box), signature};
}

bool DecisionList::meets(const Entry& entry, const Piece& piece) const {
  if (entry.box.is_url != piece.box.is_url) return false;
  for (std::size_t i = 0; i <= RequestParts::sides(piece.box.is_url); ++i) {
    if ((entry.signature[i] & piece.signature[i]) == 0) return false;
  }
  return space_.meet(entry.box, piece.box);
}

template <class Visit>
void DecisionList::divide(std::vector<Piece>& pieces, const Entry& entry, Visit visit) const {
  std::vector<RequestBox> left;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!meets(entry, pieces[i])) continue;
    const RequestBox box = std::move(pieces[i].box);
    space_.subtract(box, entry.box, left);
    visit(box);
    // Most pieces are not met and stay where they are; the last one takes the place.
    if (i + 1 < pieces.size()) pieces[i] = std::move(pieces.back());
    pieces.pop_back();
    --i;
  }
  for (RequestBox& box : left) pieces.push_back(piece_of(std::move(box)));
  if (pieces.size() <= kMaxPieces) return;
  complete_ = false;
  pieces.resize(kMaxPieces);
}

std::vector<RequestBox> DecisionList::left_before(const RequestBox& box, std::uint32_t end) const {
  std::vector<Piece> left;
  const Piece whole = piece_of(box);
  if (space_.is_possible(box)) left.push_back(whole);
  for (const Entry& entry : entries_) {
    if (entry.schema >= end || left.empty()) break;
    if (meets(entry, whole)) divide(left, entry, [](const RequestBox&) {});
  }
  std::vector<RequestBox> out;
  for (Piece& piece : left) out.push_back(std::move(piece.box));
  return out;
}

void DecisionList::distribute(std::vector<RequestBox> boxes, const RequestBox& within,
                              const std::function<void(std::uint32_t schema, RequestBox taken)>& visit) const {
  std::vector<Piece> pieces;
  for (RequestBox& box : boxes) pieces.push_back(piece_of(std::move(box)));
  const Piece whole = piece_of(within);
  for (const Entry& entry : entries_) {
    if (pieces.empty()) return;
    if (!meets(entry, whole)) continue;
    divide(pieces, entry, [&](const RequestBox& piece) { visit(entry.schema, space_.common(piece, entry.box)); });
  }
}

}  // namespace apf
