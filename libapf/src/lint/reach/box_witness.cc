// Requests in a box that show what is said of it.
#include <algorithm>
#include <iterator>

#include "lint/reach/box_text.h"
#include "lint/reach/index.h"
#include "lint/reach/seen_requests.h"
#include "lint/reach/witness.h"

namespace apf {

namespace {

constexpr std::size_t kMaxUsers = 6;  // tried for one witness

// Somebody who stands for many before somebody with a name.
std::vector<std::size_t> user_choices(const RequestSpace& space, const RequestBox& box) {
  std::vector<std::size_t> members, out;
  box.users.for_each([&](std::size_t i) { members.push_back(i); });
  for (const UserKind kind : {UserKind::other_user, UserKind::other_node, UserKind::accounts_of, UserKind::account,
                              UserKind::user, UserKind::other_account, UserKind::anonymous}) {
    for (const std::size_t i : members) {
      if (space.users().atoms()[i].kind == kind && space.can_be(i, box)) out.push_back(i);
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

// One request for each sort of those in the box, whether or not a real one is like this.
std::vector<RequestInfo> plain_requests(const RequestSpace& space, const RequestBox& box) {
  static const std::vector<std::string> url_verbs = {"get",   "post", "put",     "delete",
                                                     "patch", "head", "options", "trace"};
  static const std::vector<std::string> resource_verbs(std::begin(kSeenVerbs), std::end(kSeenVerbs));
  std::vector<RequestInfo> out;
  for (const Box& corner : space.parts().corners(box.is_url, box.sides)) {
    const auto text = [&](std::size_t side) { return space.parts().atoms(box.is_url, side)[corner[side].first()]; };
    std::vector<std::string> verbs = {text(kVerbSide)};
    if (verbs[0] == space.unnamed()) verbs = box.is_url ? url_verbs : resource_verbs;
    for (std::string& verb : verbs) {
      RequestInfo& info = out.emplace_back();
      info.verb = std::move(verb);
      info.is_resource_request = !box.is_url;
      if (box.is_url) {
        info.path = text(kPathSide) + (space.parts().is_below(corner[kPathSide].first()) ? space.unnamed() : "");
        continue;
      }
      info.api_group = text(kGroupSide);
      const std::string ns = text(kNamespaceSide), resource = text(kResourceSide);
      info.ns = ns;
      const std::size_t slash = resource.find('/');
      info.resource = resource.substr(0, slash);
      if (slash != std::string::npos) info.subresource = resource.substr(slash + 1);
      if (!is_verb_of_collections(info.verb) && (info.verb != "create" || !info.subresource.empty())) info.name = "any";
    }
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
