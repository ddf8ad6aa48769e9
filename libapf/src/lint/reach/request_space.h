// The space of all requests as some configurations tell them apart, and boxes in it: exact set algebra over users,
// groups, verbs, resources, namespaces and paths.
//
// What no configuration names is one atom for all that is alike: "any other verb", "any other ServiceAccount of ci".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>

#include "lint/reach/box.h"
#include "lint/reach/request_parts.h"
#include "lint/reach/request_users.h"

namespace apf {

// Which requests: users of `users` who are in all groups of `in` and in none of `not_in`, and on each side one of the
// atoms. Sides of resource requests: verb, API group, resource, namespace; of others: verb, path.
struct RequestBox {
  bool is_url = false;
  Bits users;
  GroupSet in, not_in;
  Box sides;
  bool operator==(const RequestBox&) const = default;
};

class RequestSpace {
 public:
  // All FlowSchemas that matter; they need not outlive the space.
  explicit RequestSpace(std::span<const FlowSchema* const> schemas);

  const RequestUsers& users() const { return users_; }
  const RequestParts& parts() const { return parts_; }
  // Before the first question: see RequestUsers.
  void look_at_both(const std::string& group, const std::string& other) { users_.look_at_both(group, other); }
  const std::string& unnamed() const { return unnamed_; }  // occurs in no text

  // What the rules match, as boxes that may overlap.
  std::vector<RequestBox> boxes_of(const FlowSchema& schema) const;
  RequestBox whole(bool is_url) const;
  // The one point that is the request; false if it is none of the space.
  bool locate(const RequestInfo& request, const User& user, RequestBox& out) const;
  // Whether the box has this request of the space.
  bool holds_request(const RequestBox& box, const RequestInfo& request, const User& user) const;

  // Can this user be in the box's groups and outside of those that it excludes?
  bool can_be(std::size_t user, const RequestBox& box) const;
  // Is there a request in it?
  bool is_possible(const RequestBox& box) const;
  bool meet(const RequestBox& a, const RequestBox& b) const;
  // What of `a` is in `b`; they must meet.
  RequestBox common(const RequestBox& a, const RequestBox& b) const;
  bool within(const RequestBox& a, const RequestBox& b) const;
  // What of `a` is not in `b`, as disjoint boxes appended to `out`.
  void subtract(const RequestBox& a, const RequestBox& b, std::vector<RequestBox>& out) const;
  // Is each request of `box` in one of the others? False, too, where that takes too long to say.
  bool covered(const RequestBox& box, std::span<const RequestBox> by) const;

 private:
  std::string unnamed_;
  RequestUsers users_;
  RequestParts parts_;
};

}  // namespace apf
