#include "lint/reach/request_users.h"

#include <algorithm>
#include <iterator>

#include "base/identities.h"
#include "classify/flow_schema.h"
#include "lint/reach/identity.h"

namespace apf {

namespace {

// With more groups of one's own than this, users in two of them are not looked at: there are too many pairs.
constexpr std::size_t kMaxFreeGroups = 16;

template <class Visit>
void for_subjects(std::span<const FlowSchema* const> schemas, Visit visit) {
  for (const FlowSchema* schema : schemas) {
    for (const PolicyRule& rule : schema->rules) {
      for (const Subject& subject : rule.subjects) visit(subject);
    }
  }
}

}  // namespace

void insert(GroupSet& set, std::uint32_t group) {
  const auto at = std::lower_bound(set.begin(), set.end(), group);
  if (at == set.end() || *at != group) set.insert(at, group);
}

bool holds(const GroupSet& set, std::uint32_t group) { return std::binary_search(set.begin(), set.end(), group); }

RequestUsers::RequestUsers(std::span<const FlowSchema* const> schemas, std::string unnamed)
    : unnamed_(std::move(unnamed)) {
  const std::string prefix(kServiceAccountPrefix);
  add_atom({UserKind::anonymous, {}, "system:anonymous"}, "system:anonymous");
  add_atom({UserKind::other_user, {}, unnamed_}, unnamed_);
  add_atom({UserKind::other_account, unnamed_, unnamed_}, prefix + unnamed_ + ':' + unnamed_);
  add_atom({UserKind::other_node, {}, std::string(kNodePrefix) + unnamed_}, std::string(kNodePrefix) + unnamed_);
  for_subjects(schemas, [&](const Subject& subject) {
    if (subject.kind == "User" && subject.user && *subject.user != "*" && !subject.user->empty())
      add_named(*subject.user);
    if (subject.kind == "Group" && subject.group && subject.group->starts_with(kNamespaceGroupPrefix))
      add_namespace(subject.group->substr(kNamespaceGroupPrefix.size()));
    if (subject.kind == "ServiceAccount" && subject.service_account) {
      const auto& [ns, name] = *subject.service_account;
      if (name == "*") add_namespace(ns);
      else add_named(prefix + ns + ':' + name);
    }
  });
  for (UserAtom& atom : atoms_) {
    if (atom.kind == UserKind::account && atom.name == unnamed_) atom.kind = UserKind::accounts_of;
  }
  file_atoms();
  add_groups(schemas);
}

void RequestUsers::add_atom(UserAtom atom, const std::string& text) {
  if (ids_.try_emplace(text, atoms_.size()).second) atoms_.push_back(std::move(atom));
}

void RequestUsers::add_named(const std::string& text) {
  const std::string prefix(kServiceAccountPrefix);
  User user{text, {}};
  add_implied_groups(user);
  const bool is_account = std::find(user.groups.begin(), user.groups.end(), kServiceAccountsGroup) != user.groups.end();
  if (!is_account) return add_atom({UserKind::user, {}, text}, text);
  const std::string account = text.substr(prefix.size());
  const std::size_t colon = account.find(':');
  add_atom({UserKind::account, account.substr(0, colon), account.substr(colon + 1)}, text);
  add_atom({UserKind::accounts_of, account.substr(0, colon), unnamed_},
           prefix + account.substr(0, colon) + ':' + unnamed_);
}

void RequestUsers::add_namespace(const std::string& ns) {
  if (!ns.empty() && ns.find(':') == ns.npos) add_named(std::string(kServiceAccountPrefix) + ns + ':' + unnamed_);
}

// By what follows from a name: its groups, its namespace, its kind.
void RequestUsers::file_atoms() {
  everyone_.assign(atoms_.size(), true);
  Bits none;
  none.assign(atoms_.size(), false);
  groupless_ = components_ = none;
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    const UserKind kind = atoms_[i].kind;
    const bool is_other = kind == UserKind::user || kind == UserKind::other_user || kind == UserKind::other_node;
    if (!is_other) groupless_.set(i);
    if (is_other && atoms_[i].name.starts_with("system:")) components_.set(i);
    const User user = user_of(i, {});
    for (const std::string& group : user.groups) {
      if (is_group_of_kind(group)) implied_.try_emplace(group, none).first->second.set(i);
    }
    if (!user.name.starts_with(kServiceAccountPrefix)) continue;
    // The namespace may be any part before a colon: names are compared as texts.
    for (std::size_t colon = user.name.find(':', kServiceAccountPrefix.size()); colon != std::string::npos;
         colon = user.name.find(':', colon + 1)) {
      accounts_.try_emplace(user.name.substr(kServiceAccountPrefix.size(), colon - kServiceAccountPrefix.size()), none)
          .first->second.set(i);
    }
  }
}

void RequestUsers::add_groups(std::span<const FlowSchema* const> schemas) {
  for_subjects(schemas, [&](const Subject& subject) {
    if (subject.kind != "Group" || !subject.group || *subject.group == "*" || subject.group->empty()) return;
    if (is_group_of_kind(*subject.group)) return;
    if (group_ids_.try_emplace(*subject.group, static_cast<std::uint32_t>(groups_.size())).second)
      groups_.push_back(*subject.group);
  });
  std::size_t own = 0;
  for (const std::string& group : groups_) {
    GroupTraits& traits = traits_.emplace_back();
    traits.is_own = is_own_group(group);
    own += traits.is_own;
    User member{unnamed_, {group}};
    add_authenticated_groups(member);
    for (const std::string& other : member.groups) {
      if (const auto at = group_ids_.find(other); other != group && at != group_ids_.end())
        insert(traits.with_others, at->second);
    }
  }
  for (std::size_t i = 0; i < atoms_.size() && !groups_.empty(); ++i) {
    for (const std::string& group : user_of(i, {}).groups) {
      const auto at = group_ids_.find(group);
      if (at == group_ids_.end()) continue;
      GroupTraits& traits = traits_[at->second];
      if (!traits.has_members) traits.members.assign(atoms_.size(), false);
      traits.has_members = true;
      traits.members.set(i);
    }
  }
  one_group_each_ = own > kMaxFreeGroups;
}

void RequestUsers::look_at_both(const std::string& group, const std::string& other) {
  const auto a = group_ids_.find(group), b = group_ids_.find(other);
  if (a != group_ids_.end() && b != group_ids_.end() && a != b) pairs_.insert(std::minmax(a->second, b->second));
}

void RequestUsers::add_subject(const Subject& subject, Bits& named, GroupSet& in_groups) const {
  const auto add = [&](const auto& map, const auto& key) {
    if (const auto at = map.find(key); at != map.end()) named |= at->second;
  };
  const bool is_user = subject.kind == "User" && subject.user, is_group = subject.kind == "Group" && subject.group;
  if ((is_user && *subject.user == "*") || (is_group && *subject.group == "*")) named = everyone_;
  else if (is_user) {
    if (const auto at = ids_.find(*subject.user); at != ids_.end()) named.set(at->second);
  } else if (is_group) {
    add(implied_, *subject.group);
    if (const auto at = group_ids_.find(*subject.group); at != group_ids_.end()) insert(in_groups, at->second);
  } else if (subject.kind == "ServiceAccount" && subject.service_account) {
    const auto& [ns, name] = *subject.service_account;
    if (name == "*") return add(accounts_, ns);
    const auto at = ids_.find(std::string(kServiceAccountPrefix) + ns + ':' + name);
    if (at != ids_.end()) named.set(at->second);
  }
}

std::size_t RequestUsers::find(const User& user) const {
  if (const auto at = ids_.find(user.name); at != ids_.end()) return at->second;
  if (is_node_name(user.name)) return kOtherNode;
  if (std::find(user.groups.begin(), user.groups.end(), kServiceAccountsGroup) == user.groups.end()) return kOtherUser;
  const auto at = ids_.find(user.name.substr(0, user.name.rfind(':') + 1) + unnamed_);
  return at != ids_.end() ? at->second : kOtherAccount;
}

bool RequestUsers::has_groups(const User& user, const GroupSet& in, const GroupSet& not_in) const {
  std::size_t found = 0;
  for (const std::string& group : user.groups) {
    const auto at = group_ids_.find(group);
    if (at == group_ids_.end()) continue;
    if (holds(not_in, at->second)) return false;
    found += holds(in, at->second);
  }
  return found == in.size();
}

User RequestUsers::user_of(std::size_t atom, const GroupSet& in) const {
  const UserAtom& who = atoms_[atom];
  User out;
  out.name = who.ns.empty() ? who.name : std::string(kServiceAccountPrefix) + who.ns + ':' + who.name;
  for (const std::uint32_t group : in) out.groups.push_back(groups_[group]);
  add_authenticated_groups(out);
  return out;
}

Bits RequestUsers::able(Bits users, const GroupSet& in, const GroupSet& not_in) const {
  if (in.empty() && not_in.empty()) return users;
  if (!in.empty()) users -= groupless_;
  std::uint32_t own = 0, first = 0, last = 0;
  for (const std::uint32_t group : in) {
    for (const std::uint32_t other : traits_[group].with_others) {
      if (holds(not_in, other)) users -= everyone_;
    }
    if (!traits_[group].is_own) continue;
    if (own++ == 0) first = group;
    last = group;
  }
  for (const std::uint32_t group : not_in) {
    if (traits_[group].has_members) users -= traits_[group].members;
  }
  const bool looked_at = own < 2 || !one_group_each_ || (own == 2 && is_pair(first, last));
  if (own > 0) users -= looked_at ? components_ : everyone_;
  return users;
}

void RequestUsers::prune(const GroupSet& in, GroupSet& not_in) const {
  if (!one_group_each_ || not_in.empty()) return;
  GroupSet own;
  std::copy_if(in.begin(), in.end(), std::back_inserter(own),
               [&](std::uint32_t group) { return traits_[group].is_own; });
  if (own.empty()) return;
  std::erase_if(not_in, [&](std::uint32_t group) {
    return traits_[group].is_own && (own.size() > 1 || !is_pair(own[0], group));
  });
}

}  // namespace apf
