#include "lint/reach/box_text.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "lint/reach/identity.h"
#include "lint/reach/index.h"

namespace apf {

namespace {

constexpr std::size_t kMaxListedNames = 8;  // names of one kind

using Names = std::vector<std::string>;

std::string joined_names(const Names& names, const char* more = "more") {
  std::string out;
  const std::size_t shown = names.size() <= kMaxListedNames + 1 ? names.size() : kMaxListedNames;
  for (std::size_t i = 0; i < shown; ++i) out += (i == 0 ? "" : ", ") + names[i];
  if (shown < names.size()) out += fmt::format(" and {} {}", names.size() - shown, more);
  return out;
}

// A set of atoms: all, all but some, or some.
struct Choice {
  bool all = false, is_rest = false;  // is_rest: `names` are the exceptions
  Names names;
};

Choice choice_of(const RequestSpace& space, const RequestBox& box, std::size_t side) {
  Choice out;
  const Names& atoms = space.parts().atoms(box.is_url, side);
  const std::size_t named = atoms.size() - (space.parts().has_other(box.is_url, side) ? 1 : 0);
  out.is_rest = space.parts().has_other(box.is_url, side) && box.sides[side].test(named);
  for (std::size_t i = 0; i < named; ++i) {
    if (box.sides[side].test(i) != out.is_rest) out.names.push_back(atoms[i]);
  }
  out.all = out.is_rest ? out.names.empty() : out.names.size() == atoms.size();
  return out;
}

std::string verbs_words(const Choice& verbs, bool is_url) {
  if (verbs.all) return is_url ? "any request to " : "any verb on ";
  Names names = verbs.names;
  std::replace(names.begin(), names.end(), std::string(), std::string("(other methods)"));
  if (verbs.is_rest)
    return (is_url ? "any request but " : "any verb but ") + joined_names(names) + (is_url ? " to " : " on ");
  return joined_names(names) + " ";
}

std::string group_words(const Names& groups) {
  Names names = groups;
  std::replace(names.begin(), names.end(), std::string(), std::string("the core group"));
  return joined_names(names);
}

std::string resources_words(const Choice& groups, const Choice& resources) {
  const std::string of_groups = groups.all       ? ""
                                : groups.is_rest ? " of any group but " + group_words(groups.names)
                                                 : " of " + group_words(groups.names);
  if (resources.all) return "any resource" + of_groups;
  if (resources.is_rest) return "any resource but " + joined_names(resources.names) + of_groups;
  if (groups.all) return joined_names(resources.names) + " of any group";
  if (groups.is_rest || groups.names.size() != 1) return joined_names(resources.names) + of_groups;
  Names full;
  for (const std::string& name : resources.names) {
    const std::size_t slash = name.find('/');
    const std::string group = groups.names[0].empty() ? "" : "." + groups.names[0];
    full.push_back(name.substr(0, slash) + group + (slash == std::string::npos ? "" : name.substr(slash)));
  }
  return joined_names(full);
}

std::string namespaces_words(const RequestSpace& space, const RequestBox& box) {
  Choice namespaces = choice_of(space, box, kNamespaceSide);
  const bool none = box.sides[kNamespaceSide].test(RequestParts::kNoNamespace);
  std::erase(namespaces.names, std::string());
  const std::string cluster = none ? " and cluster-wide" : "";
  if (namespaces.is_rest) {
    return " in any namespace" + (namespaces.names.empty() ? "" : " but " + joined_names(namespaces.names)) +
           (none ? (namespaces.names.empty() ? cluster : "," + cluster) : "");
  }
  if (namespaces.names.empty()) return " cluster-wide";
  return (namespaces.names.size() == 1 ? " in namespace " : " in namespaces ") + joined_names(namespaces.names) +
         cluster;
}

// "/healthz, /livez/*": what lies below a path that is there goes without saying, unless it is not there.
std::string paths_words(const RequestSpace& space, const RequestBox& box) {
  const Names& paths = space.parts().atoms(true, kPathSide);
  const auto above = [&](std::size_t i) {
    std::string_view path = paths[i];
    if (space.parts().is_below(i)) path.remove_suffix(1);
    for (std::size_t slash = path.rfind('/'); slash != path.npos;
         slash = slash == 0 ? path.npos : path.rfind('/', slash - 1)) {
      for (std::size_t k = 0; k < paths.size(); ++k) {
        if (k != i && space.parts().is_below(k) && paths[k] == path.substr(0, slash + 1)) return k;
      }
    }
    return i;
  };
  Names in, out;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::size_t parent = above(i);
    const bool has = box.sides[kPathSide].test(i), parent_has = parent != i && box.sides[kPathSide].test(parent);
    if (has == parent_has) continue;
    (has ? in : out).push_back(paths[i] + (space.parts().is_below(i) ? "*" : ""));
  }
  std::sort(in.begin(), in.end());
  std::sort(out.begin(), out.end());
  std::string text = in == Names{"/*"} ? "any path" : joined_names(in);
  if (!out.empty()) text += " but " + joined_names(out);
  return text;
}

// Users of a set, by kind.
struct Who {
  bool anonymous = false, nodes = false;
  Names users, accounts, account_exceptions, node_exceptions;

  bool empty() const { return !anonymous && !nodes && users.empty() && accounts.empty(); }
  std::string words() const {
    Names parts;
    if (!accounts.empty()) {
      parts.push_back((accounts.size() == 1 ? "ServiceAccount " : "ServiceAccounts ") + joined_names(accounts) +
                      (account_exceptions.empty() ? "" : " but " + joined_names(account_exceptions)));
    }
    if (nodes) {
      parts.push_back("group system:nodes" + (node_exceptions.empty() ? "" : " but " + joined_names(node_exceptions)));
    }
    if (!users.empty()) parts.push_back((users.size() == 1 ? "user " : "users ") + joined_names(users));
    if (anonymous) parts.emplace_back("anonymous users");
    std::string out;
    for (std::size_t i = 0; i < parts.size(); ++i)
      out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return out;
  }
};

// The atoms for which `wanted` holds, leaving out unnamed ones of no namespace. `among`: those for which it may hold,
// or which are exceptions of these.
template <class Wanted>
Who listed(const RequestSpace& space, const std::vector<std::size_t>& among, Wanted wanted) {
  Who out;
  const std::vector<UserAtom>& atoms = space.users().atoms();
  std::set<std::string_view> whole_namespaces;
  for (const std::size_t i : among) {
    if (atoms[i].kind == UserKind::accounts_of && wanted(i)) whole_namespaces.insert(atoms[i].ns);
  }
  const bool all_nodes = out.nodes = wanted(RequestUsers::kOtherNode);
  for (const std::size_t i : among) {
    const UserAtom& atom = atoms[i];
    const bool want = wanted(i), of_nodes = all_nodes && is_node_name(atom.name);
    if (atom.kind == UserKind::anonymous && want) out.anonymous = true;
    if (atom.kind == UserKind::user && of_nodes && !want) out.node_exceptions.push_back(atom.name);
    if (atom.kind == UserKind::user && !of_nodes && want) out.users.push_back(atom.name);
    if (atom.kind == UserKind::accounts_of && want) out.accounts.push_back(atom.ns + "/*");
    if (atom.kind != UserKind::account) continue;
    const bool all = whole_namespaces.contains(atom.ns);
    if (want && !all) out.accounts.push_back(atom.ns + "/" + atom.name);
    if (!want && all) out.account_exceptions.push_back(atom.ns + "/" + atom.name);
  }
  for (Names* names : {&out.users, &out.accounts, &out.account_exceptions, &out.node_exceptions})
    std::sort(names->begin(), names->end());
  return out;
}

struct UsersWords {
  std::string text;
  bool everybody = false;      // with a name
  bool without_nodes = false;  // all users, but for those of system:nodes
};

UsersWords users_words(const RequestSpace& space, const RequestBox& box) {
  const std::vector<UserAtom>& atoms = space.users().atoms();
  const bool users = box.users.test(RequestUsers::kOtherUser), accounts = box.users.test(RequestUsers::kOtherAccount);
  // Where no node can be, it does not matter whether the box has them.
  const bool any_nodes = users && !space.can_be(RequestUsers::kOtherNode, box);
  const auto has = [&](std::size_t i) { return box.users.test(i) || (any_nodes && is_node_name(atoms[i].name)); };
  const bool nodes = has(RequestUsers::kOtherNode);
  const bool anonymous = box.users.test(RequestUsers::kAnonymous);
  const auto is_in_rest = [&](std::size_t i) {  // part of what the generic words hold
    const UserKind kind = atoms[i].kind;
    if (kind == UserKind::anonymous) return anonymous;
    if (kind == UserKind::account || kind == UserKind::accounts_of) return accounts;
    return users && (nodes || !is_node_name(atoms[i].name));
  };
  // Most boxes hold few users, each by name: nobody else is looked at.
  std::vector<std::size_t> among;
  bool has_many = users || accounts || nodes;
  box.users.for_each([&](std::size_t i) {
    among.push_back(i);
    has_many = has_many || atoms[i].kind == UserKind::accounts_of;
  });
  if (has_many) {
    among.resize(atoms.size());
    std::iota(among.begin(), among.end(), std::size_t{0});
  }
  const Who more = listed(space, among, [&](std::size_t i) { return has(i) && !is_in_rest(i); });
  const Who less = listed(space, among, [&](std::size_t i) { return !has(i) && is_in_rest(i); });
  UsersWords out{{}, users && accounts && less.empty(), users && !nodes};
  if (users && accounts) {
    out.text = anonymous ? "anyone" : "any authenticated user";
    if (!less.empty()) out.text += " but " + less.words();
    if (!more.empty()) out.text += ", and " + more.words();
    return out;
  }
  if (users) out.text = "any user but ServiceAccounts";
  else if (accounts) out.text = "any ServiceAccount";
  // Anonymous users are said apart where not all are meant.
  Who rest = more;
  rest.anonymous = anonymous;
  if (!less.empty()) out.text += (users ? ", " : " but ") + less.words();
  if (!rest.empty()) out.text += (out.text.empty() ? "" : ", and ") + rest.words();
  return out;
}

Names group_names(const RequestSpace& space, const GroupSet& groups) {
  Names out;
  for (const std::uint32_t group : groups) out.push_back(space.users().groups()[group]);
  return out;
}

std::string listed_groups(const Names& groups, const char* last) {
  std::string out;
  for (std::size_t i = 0; i < groups.size(); ++i)
    out += (i == 0 ? "" : i + 1 == groups.size() ? last : ", ") + groups[i];
  return out;
}

}  // namespace

std::string who_of(const RequestSpace& space, const RequestBox& box) {
  const UsersWords users = users_words(space, box);
  std::string out = users.text;
  if (!box.in.empty()) {
    const Names names = group_names(space, box.in);
    const std::string in = (names.size() == 1 ? "group " : "groups ") + listed_groups(names, " and ");
    if (users.everybody && names.size() == 1) out = in;
    else out += " in " + (names.size() == 1 ? in : "all of " + in);
  }
  Names without = group_names(space, box.not_in);
  if (users.without_nodes) without.emplace_back("system:nodes");
  if (!without.empty())
    out += (without.size() == 1 ? " not in group " : " in none of groups ") + listed_groups(without, ", ");
  return out;
}

std::string words_of(const RequestSpace& space, const RequestBox& box) {
  std::string out = verbs_words(choice_of(space, box, kVerbSide), box.is_url);
  if (box.is_url) {
    out += paths_words(space, box);
  } else {
    out += resources_words(choice_of(space, box, kGroupSide), choice_of(space, box, kResourceSide));
    out += namespaces_words(space, box);
  }
  return out + " by " + who_of(space, box);
}

bool is_system_traffic(const RequestSpace& space, const RequestBox& box) {
  for (const std::uint32_t group : box.in) {
    if (space.users().groups()[group].starts_with("system:")) return true;
  }
  if (!box.in.empty() || box.users.test(RequestUsers::kOtherUser) || box.users.test(RequestUsers::kOtherAccount))
    return false;
  bool found = false;
  box.users.for_each([&](std::size_t i) {
    const UserAtom& atom = space.users().atoms()[i];
    const bool has_name = atom.kind == UserKind::user || atom.kind == UserKind::other_node;
    found = found || atom.ns == "kube-system" || (has_name && atom.name.starts_with("system:"));
  });
  return found;
}

}  // namespace apf
