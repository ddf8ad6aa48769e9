// Which requests go to another FlowSchema or level, from one configuration to another: exact regions.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "change/place_names.h"
#include "lint/reach/decision_list.h"
#include "lint/reach/request_space.h"

namespace apf {

// All requests that go from a FlowSchema of the old side to one of the new side, as boxes that may overlap.
struct Move {
  std::uint32_t from, to;
  std::vector<RequestBox> boxes;
};

// A request moves only if the FlowSchema that takes it is not the same on both sides, before or after: two that are,
// rules, precedence and level, would come in the same order. So only what such FlowSchemas take is looked at.
class Moves {
 public:
  // Both must outlive it.
  Moves(const ConsultedSchemas& old_side, const ConsultedSchemas& new_side);

  const RequestSpace& space() const { return *space_; }
  const std::vector<Move>& moves() const { return moves_; }  // by the order in which the old, then the new side asks
  // Does a FlowSchema of the old side differ from the new side's, or is it gone?
  bool is_touched(std::uint32_t before) const { return old_touched_[before]; }
  // Does a request that `before` takes go to `after`?
  bool keeps_requests(std::uint32_t before, std::uint32_t after) const;
  // False: too much to look at, and some requests were passed over.
  bool complete() const { return pairs_complete_ && old_list_->complete() && new_list_->complete(); }

 private:
  void find_touched();
  void look_at_pairs();
  void compute();
  bool same_place(std::uint32_t before, std::uint32_t after) const;
  // What takes the requests of no FlowSchema is catch-all.
  std::uint32_t old_schema(std::uint32_t i) const { return i == old_list_->fallback() ? old_.catch_all() : i; }
  std::uint32_t new_schema(std::uint32_t i) const { return i == new_list_->fallback() ? new_.catch_all() : i; }

  const ConsultedSchemas &old_, &new_;
  std::unique_ptr<RequestSpace> space_;
  std::unique_ptr<DecisionList> old_list_, new_list_;
  std::vector<bool> old_touched_, new_touched_;
  bool pairs_complete_ = true;
  std::vector<Move> moves_;
};

}  // namespace apf
