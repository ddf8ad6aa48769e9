// Requests in a box that show what is said of it.
#include <algorithm>

#include "lint/reach/box_text.h"
#include "lint/reach/index.h"
#include "lint/reach/witness.h"

namespace apf {

namespace {

constexpr std::size_t kMaxUsers = 6;  // tried for one witness

// Somebody who stands for many before somebody with a name.
std::vector<std::size_t> user_choices(const RequestSpace& space, const RequestBox& box) {
  std::vector<std::size_t> out;
  for (const UserKind kind : {UserKind::other_user, UserKind::accounts_of, UserKind::account, UserKind::user,
                              UserKind::other_account, UserKind::anonymous}) {
    for (std::size_t i = 0; i < space.users().atoms().size(); ++i) {
      if (box.users.test(i) && space.users().atoms()[i].kind == kind && space.can_be(i, box)) out.push_back(i);
    }
  }
  if (out.size() > kMaxUsers) out.resize(kMaxUsers);
  return out;
}

// Atoms as the search for likely requests takes them: 0 is what is not named.
ReachTarget target_of(const RequestSpace& space, const RequestBox& box) {
  ReachTarget out;
  out.is_url = box.is_url;
  for (std::size_t side = 0; side < RequestParts::sides(box.is_url); ++side) {
    const std::vector<std::string>& atoms = space.parts().atoms(box.is_url, side);
    if (box.is_url && side == kPathSide) {
      for (std::uint32_t i = 0; i < atoms.size(); ++i) {
        if (!box.sides[side].test(i)) continue;
        out.values[side].push_back(static_cast<std::uint32_t>(out.paths.size()));
        out.paths.push_back(atoms[i] + (space.parts().is_below(i) ? space.unnamed() : ""));
        if (!space.parts().is_below(i) || atoms[i] == "/") continue;
        out.values[side].push_back(static_cast<std::uint32_t>(out.paths.size()));
        out.paths.push_back(atoms[i]);
      }
      continue;
    }
    const std::size_t named = atoms.size() - (space.parts().has_other(box.is_url, side) ? 1 : 0);
    // What is not named leaves the choice of something that everybody knows.
    if (named < atoms.size() && box.sides[side].test(named)) out.values[side].push_back(kUnnamed);
    for (std::uint32_t i = 0; i < named; ++i) {
      if (box.sides[side].test(i)) out.values[side].push_back(i + 1);
    }
  }
  return out;
}

// One request for each verb of the box, of the first of all else, whether or not a real one is like this.
std::vector<RequestInfo> plain_requests(const RequestSpace& space, const RequestBox& box) {
  std::vector<RequestInfo> out;
  const auto first = [&](std::size_t side) { return space.parts().atoms(box.is_url, side)[box.sides[side].first()]; };
  for (const char* verb : {"list", "get", "watch", "create", "update", "patch", "delete", "deletecollection", "proxy",
                           "post", "put", "head", "options", ""}) {
    RequestInfo& info = out.emplace_back();
    info.verb = verb;
    info.is_resource_request = !box.is_url;
    if (box.is_url) {
      const std::size_t path = box.sides[kPathSide].first();
      info.path = first(kPathSide) + (space.parts().is_below(path) ? space.unnamed() : "");
      continue;
    }
    info.api_group = first(kGroupSide);
    info.ns = first(kNamespaceSide);
    const std::string resource = first(kResourceSide);
    const std::size_t slash = resource.find('/');
    info.resource = resource.substr(0, slash);
    if (slash != std::string::npos) info.subresource = resource.substr(slash + 1);
    const bool of_collection =
        info.verb == "list" || info.verb == "create" || info.verb == "watch" || info.verb == "deletecollection";
    if (!of_collection || !info.subresource.empty()) info.name = "any";
  }
  return out;
}

}  // namespace

std::optional<Witness> witness_in(const RequestSpace& space, const RequestBox& box, const std::string& flags) {
  const ReachTarget target = target_of(space, box);
  const RequestNames names = {
      [&](std::size_t side, std::uint32_t id) {
        return std::string_view(id == kUnnamed ? space.unnamed() : space.parts().atoms(box.is_url, side)[id - 1]);
      },
      space.unnamed()};
  std::optional<Witness> best;
  LikelyRequests requests(names, target);
  requests.append(plain_requests(space, box));
  for (const std::size_t atom : user_choices(space, box)) {
    const User user = space.users().user_of(atom, box.in);
    for (const RequestInfo& request : requests) {
      if (!space.holds_request(box, request, user)) continue;
      Witness witness{user, request, explain_command(user, request, flags)};
      if (!witness.command.empty()) return witness;
      if (!best) best = std::move(witness);
    }
  }
  return best;
}

}  // namespace apf
