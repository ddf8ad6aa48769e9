// The users that some configurations tell apart, and the groups that they may be in.
//
// Groups that follow from who somebody is (system:authenticated, system:serviceaccounts, system:nodes, …) are sets of
// users; each other group is a yes or no of its own, and users may be in any of them. Left out is what no server sees:
// service accounts without a namespace and a name, service accounts and anonymous users in further groups, nodes and
// other components (system:…) in groups that are not called system:…, and users without the groups that their
// authenticator gives them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>

#include "lint/reach/box.h"

namespace apf {

enum class UserKind : std::uint8_t { anonymous, other_user, other_account, other_node, accounts_of, account, user };

struct UserAtom {
  UserKind kind;
  std::string ns, name;  // of accounts; a user has a name only. Of what is not named: a name that nobody has
};

// Numbers of groups, sorted.
using GroupSet = std::vector<std::uint32_t>;
bool holds(const GroupSet& set, std::uint32_t group);
void insert(GroupSet& set, std::uint32_t group);

class RequestUsers {
 public:
  // Atoms that are always there: system:anonymous; users, accounts and nodes that are not named.
  static constexpr std::size_t kAnonymous = 0, kOtherUser = 1, kOtherAccount = 2, kOtherNode = 3;

  // All FlowSchemas that matter; they need not outlive it. `unnamed` occurs in no text of theirs.
  RequestUsers(std::span<const FlowSchema* const> schemas, std::string unnamed);

  const std::vector<UserAtom>& atoms() const { return atoms_; }
  const std::vector<std::string>& groups() const { return groups_; }
  const Bits& everyone() const { return everyone_; }
  // In no groups but those that follow from who they are.
  const Bits& groupless() const { return groupless_; }
  // Of very many groups that are not called system:…, nobody is taken to be in two, but for pairs that are asked for.
  bool one_group_each() const { return one_group_each_; }
  void look_at_both(const std::string& group, const std::string& other);
  static bool is_own_group(std::string_view group) { return !group.starts_with("system:"); }

  // Whom the subject names, added to `named`; a group that does not follow from who somebody is, to `in_groups`.
  void add_subject(const Subject& subject, Bits& named, GroupSet& in_groups) const;
  std::size_t find(const User& user) const;
  // Is the user in all groups of `in` and in none of `not_in`?
  bool has_groups(const User& user, const GroupSet& in, const GroupSet& not_in) const;
  // Those of the users who can be in the first groups and outside of the others; none where nobody can.
  Bits able(Bits users, const GroupSet& in, const GroupSet& not_in) const;
  // Takes out of `not_in` what says nothing more of users in the groups of `in`.
  void prune(const GroupSet& in, GroupSet& not_in) const;
  // A user of the atom, with all groups of `in`.
  User user_of(std::size_t atom, const GroupSet& in) const;

 private:
  void add_atom(UserAtom atom, const std::string& text);
  void add_named(const std::string& text);
  void add_namespace(const std::string& ns);
  void file_atoms();
  void add_groups(std::span<const FlowSchema* const> schemas);
  bool is_pair(std::uint32_t a, std::uint32_t b) const { return pairs_.contains(std::minmax(a, b)); }

  std::string unnamed_;
  std::vector<UserAtom> atoms_;
  std::unordered_map<std::string, std::size_t> ids_;             // by text; of accounts_of: "ns/"
  std::map<std::string, Bits, std::less<>> accounts_, implied_;  // ServiceAccount NS/*, groups that follow
  std::vector<std::string> groups_;
  std::unordered_map<std::string, std::uint32_t> group_ids_;
  Bits everyone_, groupless_;
  Bits components_;  // named system:…
  struct GroupTraits {
    bool is_own = false;  // not called system:…
    bool has_members = false;
    Bits members;          // users who cannot be outside of it; set if there are any
    GroupSet with_others;  // who is in it is in these, too
  };
  std::vector<GroupTraits> traits_;  // by group
  bool one_group_each_ = false;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_;  // of own groups; the smaller number first
};

}  // namespace apf
