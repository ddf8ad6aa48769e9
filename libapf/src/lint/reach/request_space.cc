#include "lint/reach/request_space.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "classify/flow_schema.h"
#include "lint/reach/index.h"

namespace apf {

namespace {

constexpr std::string_view kVerbs[] = {
    "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "proxy", ""};
constexpr std::string_view kAccountsGroup = "system:serviceaccounts";
// With more groups of one's own than this, users in two of them are not looked at: there are too many pairs.
constexpr std::ptrdiff_t kMaxFreeGroups = 16;
// How many boxes a question whether something is covered may look at.
constexpr std::size_t kMaxPieces = 4096;

bool is_verb(const std::string& text, bool is_url) {
  if (is_url) return std::none_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return std::find(std::begin(kVerbs), std::end(kVerbs), text) != std::end(kVerbs);
}

bool is_resource_path(const std::string& path) {
  ParsedRequest parsed;
  parse_audited_request("get", path, parsed);
  return parsed.url_error.empty() && (parsed.info.is_resource_request || !parsed.info_error.empty());
}

void insert(std::vector<std::uint32_t>& set, std::uint32_t value) {
  const auto at = std::lower_bound(set.begin(), set.end(), value);
  if (at == set.end() || *at != value) set.insert(at, value);
}

bool holds(const std::vector<std::uint32_t>& set, std::uint32_t value) {
  return std::binary_search(set.begin(), set.end(), value);
}

bool share_one(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](std::uint32_t value) { return holds(b, value); });
}

template <class Visit>
void for_subjects(std::span<const FlowSchema* const> schemas, Visit visit) {
  for (const FlowSchema* schema : schemas) {
    for (const PolicyRule& rule : schema->rules) {
      for (const Subject& subject : rule.subjects) visit(subject);
    }
  }
}

}  // namespace

RequestSpace::RequestSpace(std::span<const FlowSchema* const> schemas) {
  choose_unnamed(schemas);
  add_subjects(schemas);
  add_parts(schemas);
  add_paths(schemas);
  for (const bool is_url : {false, true}) {
    RequestBox& box = whole_[is_url];
    box.is_url = is_url;
    box.users = everyone_;
    for (std::size_t side = 0; side < sides(is_url); ++side) box.sides[side].assign(atoms_[is_url][side].size(), true);
  }
}

// A word that is part of no text of the configurations.
void RequestSpace::choose_unnamed(std::span<const FlowSchema* const> schemas) {
  unnamed_ = "any-other";
  std::string all;
  const auto add = [&](std::string_view text) {
    if (text.find("any-other") != text.npos) (all += text) += '\n';
  };
  for_subjects(schemas, [&](const Subject& subject) {
    if (subject.user) add(*subject.user);
    if (subject.group) add(*subject.group);
    if (subject.service_account) add(subject.service_account->ns + ':' + subject.service_account->name);
  });
  for (const FlowSchema* schema : schemas) {
    for (const PolicyRule& rule : schema->rules) {
      for (const ResourceRule& part : rule.resource_rules) {
        for (const auto* list : {&part.verbs, &part.api_groups, &part.resources, &part.namespaces})
          std::for_each(list->begin(), list->end(), add);
      }
      for (const NonResourceRule& part : rule.non_resource_rules) {
        for (const auto* list : {&part.verbs, &part.urls}) std::for_each(list->begin(), list->end(), add);
      }
    }
  }
  for (int number = 2; all.find(unnamed_) != all.npos; ++number) unnamed_ = "any-other-" + std::to_string(number);
}

void RequestSpace::add_user(UserAtom atom, const std::string& text) {
  if (user_ids_.try_emplace(text, users_.size()).second) users_.push_back(std::move(atom));
}

void RequestSpace::add_subjects(std::span<const FlowSchema* const> schemas) {
  const std::string prefix(kServiceAccountPrefix);
  add_user({UserKind::anonymous, {}, "system:anonymous"}, "system:anonymous");
  add_user({UserKind::other_user, {}, unnamed_}, unnamed_);
  add_user({UserKind::other_account, unnamed_, unnamed_}, prefix + unnamed_ + ':' + unnamed_);
  const auto add_named = [&](const std::string& text) {
    User user{text, {}};
    add_implied_groups(user);
    const bool is_account = std::find(user.groups.begin(), user.groups.end(), kAccountsGroup) != user.groups.end();
    if (!is_account) return add_user({UserKind::user, {}, text}, text);
    const std::string account = text.substr(prefix.size());
    const std::size_t colon = account.find(':');
    add_user({UserKind::account, account.substr(0, colon), account.substr(colon + 1)}, text);
    add_user({UserKind::accounts_of, account.substr(0, colon), unnamed_},
             prefix + account.substr(0, colon) + ':' + unnamed_);
  };
  const auto add_namespace = [&](const std::string& ns) {
    if (!ns.empty() && ns.find(':') == ns.npos) add_named(prefix + ns + ':' + unnamed_);
  };
  for_subjects(schemas, [&](const Subject& subject) {
    if (subject.kind == "User" && subject.user && *subject.user != "*" && !subject.user->empty())
      add_named(*subject.user);
    if (subject.kind == "Group" && subject.group && subject.group->starts_with("system:serviceaccounts:"))
      add_namespace(subject.group->substr(kAccountsGroup.size() + 1));
    if (subject.kind == "ServiceAccount" && subject.service_account) {
      const auto& [ns, name] = *subject.service_account;
      if (name == "*") add_namespace(ns);
      else add_named(prefix + ns + ':' + name);
    }
  });
  for (UserAtom& atom : users_) {
    if (atom.kind == UserKind::account && atom.name == unnamed_) atom.kind = UserKind::accounts_of;
  }
  everyone_.assign(users_.size(), true);
  Bits none;
  none.assign(users_.size(), false);
  for (const char* group : {"system:authenticated", "system:unauthenticated", "system:serviceaccounts"})
    implied_[group] = none;
  groupless_ = components_ = nodes_ = none;
  for (std::size_t i = 0; i < users_.size(); ++i) {
    if (users_[i].kind != UserKind::user && users_[i].kind != UserKind::other_user) groupless_.set(i);
    if (users_[i].kind == UserKind::user && users_[i].name.starts_with("system:")) components_.set(i);
    if (users_[i].kind == UserKind::user && users_[i].name.starts_with("system:node:")) nodes_.set(i);
    const User user = user_of(i, {});
    for (const std::string& group : user.groups) {
      if (group != "system:nodes") implied_.try_emplace(group, none).first->second.set(i);  // others may be in it, too
    }
    if (!std::string_view(user.name).starts_with(prefix)) continue;
    // The namespace may be any part before a colon: names are compared as texts.
    for (std::size_t colon = user.name.find(':', prefix.size()); colon != std::string::npos;
         colon = user.name.find(':', colon + 1)) {
      accounts_.try_emplace(user.name.substr(prefix.size(), colon - prefix.size()), none).first->second.set(i);
    }
  }
  for_subjects(schemas, [&](const Subject& subject) {
    if (subject.kind != "Group" || !subject.group || *subject.group == "*" || subject.group->empty()) return;
    if (implied_.contains(*subject.group) || subject.group->starts_with("system:serviceaccounts:")) return;
    if (group_ids_.try_emplace(*subject.group, static_cast<std::uint32_t>(groups_.size())).second)
      groups_.push_back(*subject.group);
  });
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    is_own_group_.push_back(!groups_[i].starts_with("system:"));
    if (groups_[i] == "system:nodes") nodes_group_ = i;
  }
  one_group_each_ = std::count(is_own_group_.begin(), is_own_group_.end(), true) > kMaxFreeGroups;
}

std::uint32_t RequestSpace::add_atom(bool is_url, std::size_t side, const std::string& text) {
  std::vector<std::string>& atoms = atoms_[is_url][side];
  const auto [at, is_new] = atom_ids_[is_url][side].try_emplace(text, atoms.size());
  if (is_new) atoms.push_back(text);
  return static_cast<std::uint32_t>(at->second);
}

void RequestSpace::add_others(bool is_url, std::size_t side) {
  has_other_[is_url][side] = true;
  add_atom(is_url, side, unnamed_);
}

void RequestSpace::add_parts(std::span<const FlowSchema* const> schemas) {
  add_atom(false, kNamespaceSide, "");
  const auto add = [&](bool is_url, std::size_t side, const std::vector<std::string>& list) {
    if (is_any(list)) return;
    for (const std::string& text : list) {
      if (side != kVerbSide || is_verb(text, is_url)) add_atom(is_url, side, text);
    }
  };
  for (const FlowSchema* schema : schemas) {
    for (const PolicyRule& rule : schema->rules) {
      for (const ResourceRule& part : rule.resource_rules) {
        add(false, kVerbSide, part.verbs);
        add(false, kGroupSide, part.api_groups);
        add(false, kResourceSide, part.resources);
        add(false, kNamespaceSide, part.namespaces);
      }
      for (const NonResourceRule& part : rule.non_resource_rules) add(true, kVerbSide, part.verbs);
    }
  }
  if (atoms_[false][kVerbSide].size() < std::size(kVerbs)) add_others(false, kVerbSide);
  add_others(false, kGroupSide);
  add_others(false, kResourceSide);
  add_others(false, kNamespaceSide);
  add_others(true, kVerbSide);
}

void RequestSpace::add_paths(std::span<const FlowSchema* const> schemas) {
  std::set<std::string> exact, prefixes = {"/"};
  for (const FlowSchema* schema : schemas) {
    for (const PolicyRule& rule : schema->rules) {
      for (const NonResourceRule& part : rule.non_resource_rules) {
        for (const std::string& entry : part.urls) {
          if (entry == "*") continue;
          prefixes.insert(url_prefix(entry));
          // Where the prefix holds the entry's own text, the entry is one of the paths below it.
          if (entry.starts_with('/') && !entry.starts_with(url_prefix(entry))) exact.insert(entry);
        }
      }
    }
  }
  // What begins with a slash is what servers see. A prefix itself is a path below it.
  for (const std::string& path : exact) {
    if (!is_resource_path(path)) add_atom(true, kPathSide, path);
  }
  path_is_below_.assign(atoms_[true][kPathSide].size(), false);
  for (const std::string& prefix : prefixes) {
    if (!prefix.starts_with('/') || (is_resource_path(prefix + unnamed_) && is_resource_path(prefix))) continue;
    add_atom(true, kPathSide, prefix);
    path_is_below_.push_back(true);
  }
}

std::size_t RequestSpace::find_path(std::string_view path) const {
  const auto& ids = atom_ids_[true][kPathSide];
  if (const auto exact = ids.find(std::string(path)); exact != ids.end()) return exact->second;
  for (std::size_t slash = path.rfind('/'); slash != path.npos;
       slash = slash == 0 ? path.npos : path.rfind('/', slash - 1)) {
    if (const auto below = ids.find(std::string(path.substr(0, slash + 1))); below != ids.end()) return below->second;
  }
  return SIZE_MAX;
}

std::size_t RequestSpace::find_atom(bool is_url, std::size_t side, std::string_view text) const {
  if (const auto at = atom_ids_[is_url][side].find(std::string(text)); at != atom_ids_[is_url][side].end())
    return at->second;
  return has_other_[is_url][side] ? atoms_[is_url][side].size() - 1 : SIZE_MAX;
}

Bits RequestSpace::list_bits(bool is_url, std::size_t side, const std::vector<std::string>& list) const {
  Bits out;
  const bool any = is_any(list);
  out.assign(atoms_[is_url][side].size(), any);
  if (any) return out;
  for (const std::string& text : list) {
    if (const auto at = atom_ids_[is_url][side].find(text); at != atom_ids_[is_url][side].end()) out.set(at->second);
  }
  return out;
}

Bits RequestSpace::path_bits(const NonResourceRule& rule) const {
  const std::vector<std::string>& paths = atoms_[true][kPathSide];
  Bits out;
  const bool any = std::find(rule.urls.begin(), rule.urls.end(), "*") != rule.urls.end();
  out.assign(paths.size(), any);
  if (any) return out;
  for (const std::string& entry : rule.urls) {
    const std::string prefix = url_prefix(entry);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (paths[i] == entry || paths[i].starts_with(prefix)) out.set(i);
    }
  }
  return out;
}

void RequestSpace::add_who(const Subject& subject, RequestBox& named, std::vector<std::uint32_t>& in_groups) const {
  const auto add = [&](const auto& map, const auto& key) {
    if (const auto at = map.find(key); at != map.end()) named.users |= at->second;
  };
  const bool is_user = subject.kind == "User" && subject.user, is_group = subject.kind == "Group" && subject.group;
  if ((is_user && *subject.user == "*") || (is_group && *subject.group == "*")) named.users = everyone_;
  else if (is_user) {
    if (const auto at = user_ids_.find(*subject.user); at != user_ids_.end()) named.users.set(at->second);
  } else if (is_group) {
    add(implied_, *subject.group);
    if (const auto at = group_ids_.find(*subject.group); at != group_ids_.end()) insert(in_groups, at->second);
  } else if (subject.kind == "ServiceAccount" && subject.service_account) {
    const auto& [ns, name] = *subject.service_account;
    if (name == "*") return add(accounts_, ns);
    const auto at = user_ids_.find(std::string(kServiceAccountPrefix) + ns + ':' + name);
    if (at != user_ids_.end()) named.users.set(at->second);
  }
}

std::vector<RequestBox> RequestSpace::boxes_of(const FlowSchema& schema) const {
  std::vector<RequestBox> out;
  for (const PolicyRule& rule : schema.rules) {
    std::vector<RequestBox> who(1);
    who[0].users.assign(users_.size(), false);
    std::vector<std::uint32_t> in_groups;
    for (const Subject& subject : rule.subjects) add_who(subject, who[0], in_groups);
    if (who[0].users.none()) who.clear();
    for (const std::uint32_t group : in_groups) {
      RequestBox& box = who.emplace_back();
      box.users = everyone_;
      box.in = {group};
    }
    for (const RequestBox& by : who) {
      const auto add = [&](bool is_url, Box sides) {
        for (std::size_t side = 0; side < this->sides(is_url); ++side) {
          if (sides[side].none()) return;
        }
        RequestBox& box = out.emplace_back(by);
        box.is_url = is_url;
        box.sides = std::move(sides);
      };
      for (const ResourceRule& part : rule.resource_rules) {
        Box sides = {list_bits(false, kVerbSide, part.verbs), list_bits(false, kGroupSide, part.api_groups),
                     list_bits(false, kResourceSide, part.resources),
                     list_bits(false, kNamespaceSide, part.namespaces)};
        Bits none;
        none.assign(atoms_[false][kNamespaceSide].size(), false);
        none.set(kNoNamespace);
        sides[kNamespaceSide] -= none;
        if (part.cluster_scope) sides[kNamespaceSide] |= none;
        add(false, std::move(sides));
      }
      for (const NonResourceRule& part : rule.non_resource_rules)
        add(true, {list_bits(true, kVerbSide, part.verbs), path_bits(part), {}, {}});
    }
  }
  return out;
}

RequestBox RequestSpace::whole(bool is_url) const { return whole_[is_url]; }

bool RequestSpace::locate(const RequestInfo& request, const User& user, RequestBox& out) const {
  out = {};
  out.is_url = !request.is_resource_request;
  const auto place = [&](std::size_t side, std::size_t atom) {
    if (atom == SIZE_MAX) return false;
    out.sides[side].assign(atoms_[out.is_url][side].size(), false);
    out.sides[side].set(atom);
    return true;
  };
  if (!is_verb(request.verb, out.is_url)) return false;
  if (!place(kVerbSide, find_atom(out.is_url, kVerbSide, request.verb))) return false;
  if (out.is_url) {
    if (!place(kPathSide, find_path(request.path))) return false;
  } else {
    place(kGroupSide, find_atom(false, kGroupSide, request.api_group));
    place(kResourceSide, find_atom(false, kResourceSide, joined_resource(request)));
    place(kNamespaceSide, find_atom(false, kNamespaceSide, request.ns));
  }
  out.users.assign(users_.size(), false);
  out.users.set(find_user(user));
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    const bool has = std::find(user.groups.begin(), user.groups.end(), groups_[group]) != user.groups.end();
    (has ? out.in : out.not_in).push_back(group);
  }
  return is_possible(out);
}

std::size_t RequestSpace::find_user(const User& user) const {
  if (const auto at = user_ids_.find(user.name); at != user_ids_.end()) return at->second;
  if (std::find(user.groups.begin(), user.groups.end(), kAccountsGroup) == user.groups.end()) return 1;
  const auto at = user_ids_.find(user.name.substr(0, user.name.rfind(':') + 1) + unnamed_);
  return at != user_ids_.end() ? at->second : 2;
}

bool RequestSpace::holds_request(const RequestBox& box, const RequestInfo& request, const User& user) const {
  const auto in_side = [&](std::size_t side, std::size_t atom) {
    return atom != SIZE_MAX && box.sides[side].test(atom);
  };
  if (box.is_url == request.is_resource_request || !is_verb(request.verb, box.is_url)) return false;
  if (!in_side(kVerbSide, find_atom(box.is_url, kVerbSide, request.verb))) return false;
  if (box.is_url ? !in_side(kPathSide, find_path(request.path))
                 : !in_side(kGroupSide, find_atom(false, kGroupSide, request.api_group)) ||
                       !in_side(kResourceSide, find_atom(false, kResourceSide, joined_resource(request))) ||
                       !in_side(kNamespaceSide, find_atom(false, kNamespaceSide, request.ns)))
    return false;
  if (!box.users.test(find_user(user))) return false;
  std::size_t in = 0;
  for (const std::string& group : user.groups) {
    const auto at = group_ids_.find(group);
    if (at == group_ids_.end()) continue;
    if (holds(box.not_in, at->second)) return false;
    in += holds(box.in, at->second);
  }
  return in == box.in.size();
}

User RequestSpace::user_of(std::size_t atom, const std::vector<std::uint32_t>& in) const {
  const UserAtom& who = users_[atom];
  User out;
  out.name = who.ns.empty() ? who.name : std::string(kServiceAccountPrefix) + who.ns + ':' + who.name;
  for (const std::uint32_t group : in) out.groups.push_back(groups_[group]);
  if (who.kind == UserKind::user && who.name.starts_with("system:node:") && !holds(in, nodes_group_))
    out.groups.emplace_back("system:nodes");
  add_implied_groups(out);
  return out;
}

Bits RequestSpace::able(Bits users, const std::vector<std::uint32_t>& in,
                        const std::vector<std::uint32_t>& not_in) const {
  if (!in.empty()) users -= groupless_;
  if (holds(not_in, nodes_group_)) users -= nodes_;
  const auto own = std::count_if(in.begin(), in.end(), [&](std::uint32_t group) { return is_own_group_[group]; });
  if (own > 0) users -= holds(in, nodes_group_) || (one_group_each_ && own > 1) ? everyone_ : components_;
  return users;
}

bool RequestSpace::can_be(std::size_t user, const RequestBox& box) const {
  Bits one = everyone_;
  one -= everyone_;
  one.set(user);
  return !able(std::move(one), box.in, box.not_in).none();
}

bool RequestSpace::is_possible(const RequestBox& box) const {
  if (able(box.users, box.in, box.not_in).none()) return false;
  for (std::size_t side = 0; side < sides(box.is_url); ++side) {
    if (box.sides[side].none()) return false;
  }
  return !share_one(box.in, box.not_in);
}

bool RequestSpace::meet(const RequestBox& a, const RequestBox& b) const {
  if (a.is_url != b.is_url || !a.users.meets(b.users)) return false;
  for (std::size_t side = 0; side < sides(a.is_url); ++side) {
    if (!a.sides[side].meets(b.sides[side])) return false;
  }
  if (share_one(a.in, b.not_in) || share_one(a.not_in, b.in)) return false;
  if (a.in.empty() && b.in.empty() && a.not_in.empty() && b.not_in.empty()) return true;
  Bits users = a.users;
  users &= b.users;
  std::vector<std::uint32_t> in, not_in;
  std::set_union(a.in.begin(), a.in.end(), b.in.begin(), b.in.end(), std::back_inserter(in));
  std::set_union(a.not_in.begin(), a.not_in.end(), b.not_in.begin(), b.not_in.end(), std::back_inserter(not_in));
  return !able(std::move(users), in, not_in).none();
}

RequestBox RequestSpace::common(const RequestBox& a, const RequestBox& b) const {
  RequestBox out = a;
  out.users &= b.users;
  for (std::size_t side = 0; side < sides(a.is_url); ++side) out.sides[side] &= b.sides[side];
  for (const std::uint32_t group : b.in) insert(out.in, group);
  for (const std::uint32_t group : b.not_in) insert(out.not_in, group);
  return out;
}

bool RequestSpace::within(const RequestBox& a, const RequestBox& b) const {
  if (a.is_url != b.is_url || !a.users.within(b.users)) return false;
  for (std::size_t side = 0; side < sides(a.is_url); ++side) {
    if (!a.sides[side].within(b.sides[side])) return false;
  }
  return std::includes(a.in.begin(), a.in.end(), b.in.begin(), b.in.end()) &&
         std::includes(a.not_in.begin(), a.not_in.end(), b.not_in.begin(), b.not_in.end());
}

void RequestSpace::subtract(const RequestBox& a, const RequestBox& b, std::vector<RequestBox>& out) const {
  if (!meet(a, b)) {
    out.push_back(a);
    return;
  }
  // Side by side: the part outside of `b` is kept, the part inside is divided further.
  RequestBox inside = a;
  const auto keep = [&](RequestBox piece) {
    if (is_possible(piece)) out.push_back(std::move(piece));
  };
  const auto divide = [&](auto bits_of, const Bits& by) {
    Bits outside = bits_of(inside);
    outside -= by;
    if (outside.none()) return;
    RequestBox piece = inside;
    bits_of(piece) = std::move(outside);
    keep(std::move(piece));
    bits_of(inside) &= by;
  };
  divide([](RequestBox& box) -> Bits& { return box.users; }, b.users);
  for (std::size_t side = 0; side < sides(a.is_url); ++side)
    divide([side](RequestBox& box) -> Bits& { return box.sides[side]; }, b.sides[side]);
  for (const bool must : {true, false}) {
    for (const std::uint32_t group : must ? b.in : b.not_in) {
      if (holds(must ? inside.in : inside.not_in, group)) continue;
      RequestBox piece = inside;
      insert(must ? piece.not_in : piece.in, group);
      keep(std::move(piece));
      insert(must ? inside.in : inside.not_in, group);
    }
  }
}

bool RequestSpace::covered(const RequestBox& box, std::span<const RequestBox> by) const {
  std::vector<RequestBox> left = {box}, next;
  if (!is_possible(box)) return true;
  for (const RequestBox& other : by) {
    next.clear();
    for (const RequestBox& piece : left) subtract(piece, other, next);
    left.swap(next);
    if (left.empty()) return true;
    if (left.size() > kMaxPieces) return false;
  }
  return false;
}

}  // namespace apf
