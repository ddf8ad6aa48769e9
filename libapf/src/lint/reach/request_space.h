// The space of all requests as some configurations tell them apart, and boxes in it: exact set algebra over users,
// groups, verbs, resources, namespaces and paths.
//
// What no configuration names is one atom for all that is alike: "any other verb", "any other ServiceAccount of ci".
// Groups that follow from who somebody is (system:authenticated, system:serviceaccounts, …) are sets of users; each
// other group is a yes or no of its own, and users may be in any of them. Left out is what no server sees: service
// accounts without a namespace and a name, service accounts and anonymous users in further groups, nodes and other
// components (system:…) in groups that are not called system:…, nodes outside of system:nodes, verbs and paths that no
// HTTP request has.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>

#include "lint/reach/box.h"

namespace apf {

enum class UserKind : std::uint8_t { anonymous, other_user, other_account, accounts_of, account, user };

struct UserAtom {
  UserKind kind;
  std::string ns, name;  // of accounts; a user has a name only. Of what is not named: a name that nobody has
};

// Which requests: users of `users` who are in all groups of `in` and in none of `not_in`, and on each side one of the
// atoms. Sides of resource requests: verb, API group, resource, namespace; of others: verb, path.
struct RequestBox {
  bool is_url = false;
  Bits users;
  std::vector<std::uint32_t> in, not_in;  // groups, sorted
  Box sides;
  bool operator==(const RequestBox&) const = default;
};

class RequestSpace {
 public:
  // All FlowSchemas that matter; they need not outlive the space.
  explicit RequestSpace(std::span<const FlowSchema* const> schemas);

  // What the rules match, as boxes that may overlap.
  std::vector<RequestBox> boxes_of(const FlowSchema& schema) const;
  RequestBox whole(bool is_url) const;
  // The one point that is the request; false if it is none of the space.
  bool locate(const RequestInfo& request, const User& user, RequestBox& out) const;
  // Whether the box has this request of the space.
  bool holds_request(const RequestBox& box, const RequestInfo& request, const User& user) const;

  // Are all users of the box in no groups but those that follow from who they are?
  bool is_groupless(const RequestBox& box) const { return box.users.within(groupless_); }

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

  std::size_t sides(bool is_url) const { return is_url ? 2 : kSides; }
  const std::vector<UserAtom>& users() const { return users_; }
  const std::vector<std::string>& groups() const { return groups_; }
  // By atom; the last one is what is not named, with the text below. Of verbs it may be missing.
  const std::vector<std::string>& atoms(bool is_url, std::size_t side) const { return atoms_[is_url][side]; }
  bool has_other(bool is_url, std::size_t side) const { return has_other_[is_url][side]; }
  const std::string& unnamed() const { return unnamed_; }  // occurs in no text
  // Of paths: the atom is all below this one ("/healthz/") that has no atom of its own; else the path itself.
  bool is_below(std::size_t path) const { return path_is_below_[path]; }
  // Of very many groups that are not called system:…, nobody is taken to be in two.
  bool one_group_each() const { return one_group_each_; }
  // A user of the atom, with all groups of `in`.
  User user_of(std::size_t atom, const std::vector<std::uint32_t>& in) const;

  static constexpr std::size_t kNoNamespace = 0;  // the atom of cluster-scoped objects and of all namespaces at once

 private:
  void add_subjects(std::span<const FlowSchema* const> schemas);
  void add_parts(std::span<const FlowSchema* const> schemas);
  void add_paths(std::span<const FlowSchema* const> schemas);
  void choose_unnamed(std::span<const FlowSchema* const> schemas);
  // Those of the users who can be in the first groups and outside of the others; none where nobody can.
  Bits able(Bits users, const std::vector<std::uint32_t>& in, const std::vector<std::uint32_t>& not_in) const;
  void add_user(UserAtom atom, const std::string& text);
  std::uint32_t add_atom(bool is_url, std::size_t side, const std::string& text);
  void add_others(bool is_url, std::size_t side);
  Bits list_bits(bool is_url, std::size_t side, const std::vector<std::string>& list) const;
  Bits path_bits(const NonResourceRule& rule) const;
  void add_who(const Subject& subject, RequestBox& named, std::vector<std::uint32_t>& in_groups) const;
  std::size_t find_user(const User& user) const;
  std::size_t find_path(std::string_view path) const;  // SIZE_MAX: none
  std::size_t find_atom(bool is_url, std::size_t side, std::string_view text) const;

  std::vector<UserAtom> users_;
  std::unordered_map<std::string, std::size_t> user_ids_;        // by text; of accounts_of: "ns/"
  std::map<std::string, Bits, std::less<>> accounts_, implied_;  // ServiceAccount NS/*, groups that follow
  std::vector<std::string> groups_;
  std::unordered_map<std::string, std::uint32_t> group_ids_;
  std::array<std::array<std::vector<std::string>, kSides>, 2> atoms_;
  std::array<std::array<std::unordered_map<std::string, std::size_t>, kSides>, 2> atom_ids_;
  std::array<std::array<bool, kSides>, 2> has_other_{};
  std::vector<bool> path_is_below_;
  std::array<RequestBox, 2> whole_;
  Bits everyone_;
  Bits groupless_;                  // in no groups but the implied ones
  Bits components_, nodes_;         // named system:…; named system:node:…
  std::vector<bool> is_own_group_;  // by group: not called system:…
  std::uint32_t nodes_group_ = UINT32_MAX;
  bool one_group_each_ = false;
  std::string unnamed_;
};

}  // namespace apf
