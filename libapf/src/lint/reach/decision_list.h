// The FlowSchemas of one server in the order in which they are asked, as boxes of requests: who takes what.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <apf/config.h>

#include "lint/reach/request_space.h"

namespace apf {

class DecisionList {
 public:
  // `schemas` in consulted order. The space must hold them, and outlive the list.
  DecisionList(const RequestSpace& space, std::span<const FlowSchema* const> schemas);

  std::span<const RequestBox> boxes_of(std::uint32_t schema) const;
  // The schema, one after the last, that takes what none of them does.
  std::uint32_t fallback() const { return static_cast<std::uint32_t>(begins_.size() - 2); }

  // What of the box no schema before `end` takes, as disjoint boxes.
  std::vector<RequestBox> left_before(const RequestBox& box, std::uint32_t end) const;
  // Says for every request of the boxes, which must lie in `within`, which schema takes it.
  void distribute(std::vector<RequestBox> boxes, const RequestBox& within,
                  const std::function<void(std::uint32_t schema, RequestBox taken)>& visit) const;

  // False: a region had too many corners, and part of it was passed over.
  bool complete() const { return complete_; }

 private:
  using Signature = std::array<std::uint64_t, 1 + kSides>;
  struct Entry {
    std::uint32_t schema;
    RequestBox box;
    Signature signature;
  };
  struct Piece {
    RequestBox box;
    Signature signature;
  };
  static Signature signature_of(const RequestBox& box);
  Piece piece_of(RequestBox box) const;
  bool meets(const Entry& entry, const Piece& piece) const;
  // Divides the pieces by an entry; `visit` gets what it takes.
  template <class Visit>
  void divide(std::vector<Piece>& pieces, const Entry& entry, Visit visit) const;

  const RequestSpace& space_;
  std::vector<Entry> entries_;
  std::vector<RequestBox> boxes_;
  std::vector<std::size_t> begins_;  // by schema: its first box; one more at the end
  mutable bool complete_ = true;
};

}  // namespace apf
