#include "lint/reach/request_space.h"

#include <algorithm>
#include <iterator>

#include "lint/reach/index.h"
#include "lint/reach/part.h"

namespace apf {

namespace {

// How many boxes a question whether something is covered may look at.
constexpr std::size_t kMaxCoveringBoxes = 4096;

// A word that is part of no text of the configurations.
std::string unnamed_by(std::span<const FlowSchema* const> schemas) {
  std::string out = "any-other";
  std::string all;
  const auto add = [&](std::string_view text) {
    if (text.find("any-other") != text.npos) (all += text) += '\n';
  };
  for (const FlowSchema* schema : schemas) {
    for (const PolicyRule& rule : schema->rules) {
      for (const Subject& subject : rule.subjects) {
        if (subject.user) add(*subject.user);
        if (subject.group) add(*subject.group);
        if (subject.service_account) add(subject.service_account->ns + ':' + subject.service_account->name);
      }
      for (const ResourceRule& part : rule.resource_rules) {
        for (const auto* list : {&part.verbs, &part.api_groups, &part.resources, &part.namespaces})
          std::for_each(list->begin(), list->end(), add);
      }
      for (const NonResourceRule& part : rule.non_resource_rules) {
        for (const auto* list : {&part.verbs, &part.urls}) std::for_each(list->begin(), list->end(), add);
      }
    }
  }
  for (int number = 2; all.find(out) != all.npos; ++number) out = "any-other-" + std::to_string(number);
  return out;
}

}  // namespace

RequestSpace::RequestSpace(std::span<const FlowSchema* const> schemas)
    : unnamed_(unnamed_by(schemas)), users_(schemas, unnamed_), parts_(schemas, unnamed_) {}

std::vector<RequestBox> RequestSpace::boxes_of(const FlowSchema& schema) const {
  std::vector<RequestBox> out;
  for (const PolicyRule& rule : schema.rules) {
    std::vector<RequestBox> who(1);
    who[0].users.assign(users_.atoms().size(), false);
    GroupSet in_groups;
    for (const Subject& subject : rule.subjects) users_.add_subject(subject, who[0].users, in_groups);
    if (who[0].users.none()) who.clear();
    for (const std::uint32_t group : in_groups) {
      RequestBox& box = who.emplace_back();
      box.users = users_.everyone();
      box.in = {group};
    }
    for (const RequestBox& by : who) {
      const auto add = [&](bool is_url, Box sides) {
        for (std::size_t side = 0; side < RequestParts::sides(is_url); ++side) {
          if (sides[side].none()) return;
        }
        RequestBox& box = out.emplace_back(by);
        box.is_url = is_url;
        box.sides = std::move(sides);
      };
      for (const ResourceRule& part : rule.resource_rules) add(false, parts_.sides_of(part));
      for (const NonResourceRule& part : rule.non_resource_rules) add(true, parts_.sides_of(part));
    }
  }
  return out;
}

RequestBox RequestSpace::whole(bool is_url) const {
  return {.is_url = is_url, .users = users_.everyone(), .in = {}, .not_in = {}, .sides = parts_.whole(is_url)};
}

bool RequestSpace::locate(const RequestInfo& request, const User& user, RequestBox& out) const {
  out = {};
  out.is_url = !request.is_resource_request;
  std::array<std::size_t, kSides> atoms{};
  if (!parts_.locate(request, atoms)) return false;
  for (std::size_t side = 0; side < RequestParts::sides(out.is_url); ++side) {
    out.sides[side].assign(parts_.atoms(out.is_url, side).size(), false);
    out.sides[side].set(atoms[side]);
  }
  out.users.assign(users_.atoms().size(), false);
  out.users.set(users_.find(user));
  for (std::uint32_t group = 0; group < users_.groups().size(); ++group) {
    const bool has = std::find(user.groups.begin(), user.groups.end(), users_.groups()[group]) != user.groups.end();
    (has ? out.in : out.not_in).push_back(group);
  }
  return is_possible(out);
}

bool RequestSpace::holds_request(const RequestBox& box, const RequestInfo& request, const User& user) const {
  std::array<std::size_t, kSides> atoms{};
  if (box.is_url == request.is_resource_request || !parts_.locate(request, atoms)) return false;
  for (std::size_t side = 0; side < RequestParts::sides(box.is_url); ++side) {
    if (!box.sides[side].test(atoms[side])) return false;
  }
  return box.users.test(users_.find(user)) && users_.has_groups(user, box.in, box.not_in);
}

bool RequestSpace::can_be(std::size_t user, const RequestBox& box) const {
  Bits one;
  one.assign(users_.atoms().size(), false);
  one.set(user);
  return !users_.able(std::move(one), box.in, box.not_in).none();
}

bool RequestSpace::is_possible(const RequestBox& box) const {
  if (users_.able(box.users, box.in, box.not_in).none()) return false;
  for (std::size_t side = 0; side < RequestParts::sides(box.is_url); ++side) {
    if (box.sides[side].none()) return false;
  }
  return !share_one(box.in, box.not_in) && parts_.any_seen(box.is_url, box.sides);
}

bool RequestSpace::meet(const RequestBox& a, const RequestBox& b) const {
  if (a.is_url != b.is_url || !a.users.meets(b.users)) return false;
  for (std::size_t side = 0; side < RequestParts::sides(a.is_url); ++side) {
    if (!a.sides[side].meets(b.sides[side])) return false;
  }
  if (share_one(a.in, b.not_in) || share_one(a.not_in, b.in)) return false;
  if (!parts_.all_combine(a.is_url)) {
    Box sides = a.sides;
    for (std::size_t side = 0; side < RequestParts::sides(a.is_url); ++side) sides[side] &= b.sides[side];
    if (!parts_.any_seen(a.is_url, sides)) return false;
  }
  if (a.in.empty() && b.in.empty() && a.not_in.empty() && b.not_in.empty()) return true;
  Bits users = a.users;
  users &= b.users;
  GroupSet in, not_in;
  std::set_union(a.in.begin(), a.in.end(), b.in.begin(), b.in.end(), std::back_inserter(in));
  std::set_union(a.not_in.begin(), a.not_in.end(), b.not_in.begin(), b.not_in.end(), std::back_inserter(not_in));
  return !users_.able(std::move(users), in, not_in).none();
}

RequestBox RequestSpace::common(const RequestBox& a, const RequestBox& b) const {
  RequestBox out = a;
  out.users &= b.users;
  for (std::size_t side = 0; side < RequestParts::sides(a.is_url); ++side) out.sides[side] &= b.sides[side];
  for (const std::uint32_t group : b.in) insert(out.in, group);
  for (const std::uint32_t group : b.not_in) insert(out.not_in, group);
  users_.prune(out.in, out.not_in);
  return out;
}

bool RequestSpace::within(const RequestBox& a, const RequestBox& b) const {
  if (a.is_url != b.is_url || !a.users.within(b.users)) return false;
  for (std::size_t side = 0; side < RequestParts::sides(a.is_url); ++side) {
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
  for (std::size_t side = 0; side < RequestParts::sides(a.is_url); ++side)
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
    if (left.size() > kMaxCoveringBoxes) return false;
  }
  return false;
}

}  // namespace apf
