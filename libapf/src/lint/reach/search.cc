// Searching the index: which parts meet, cover or match a target.
#include <algorithm>

#include "classify/flow_schema.h"
#include "lint/reach/index.h"
#include "lint/reach/seen_requests.h"

namespace apf {

namespace {

// How many parts are looked at for one target. Beyond, what they may take is not known, and the target counts as
// reachable: thousands of FlowSchemas that all meet each other must not take quadratic time.
constexpr std::size_t kMaxLookedAt = 1024;

// Parts of one subject among which meeting ones are searched without the help of values.
constexpr std::size_t kMaxWalked = 64;

bool holds_id(const IdSet& set, std::uint32_t id) {
  return (set.mask >> (id % 64) & 1) != 0 && std::binary_search(set.ids.begin(), set.ids.end(), id);
}

// The values are sorted, but for an unnamed one at the end.
bool cover_side(const IdSet& set, const std::vector<std::uint32_t>& values, bool is_namespace, Bits& out) {
  if (set.any && !is_namespace) {
    out.assign(values.size(), true);
    return !values.empty();
  }
  out.assign(values.size(), false);
  bool some = false;
  const bool is_long = set.ids.size() > values.size() * 8;
  auto at = set.ids.begin();
  for (std::size_t i = 0; i < values.size(); ++i) {
    bool holds = set.any && values[i] != kNoNamespace;
    if (!holds && (set.mask >> (values[i] % 64) & 1) != 0) {
      if (is_long) at = std::lower_bound(at, set.ids.end(), values[i]);
      else
        while (at != set.ids.end() && *at < values[i]) ++at;
      holds = at != set.ids.end() && *at == values[i];
    }
    if (!holds) continue;
    out.set(i);
    some = true;
  }
  return some;
}

bool meets(const ReachPart& part, const ReachTarget& target) {
  if (part.is_url != target.is_url) return false;
  const std::size_t sides = part.is_url ? 1 : kSides;
  for (std::size_t side = 0; side < sides; ++side) {
    const IdSet& set = part.sides[side];
    if (set.any && (part.is_url || side != kNamespaceSide)) continue;
    const auto holds = [&](std::uint32_t id) { return (set.any && id != kNoNamespace) || holds_id(set, id); };
    if (std::none_of(target.values[side].begin(), target.values[side].end(), holds)) return false;
  }
  if (!part.is_url || part.any_path) return true;
  return std::any_of(target.values[kPathSide].begin(), target.values[kPathSide].end(),
                     [&](std::uint32_t i) { return holds_path(part, target, i); });
}

}  // namespace

ReachTarget ReachIndex::target_of(const ReachPart& part) const {
  ReachTarget out;
  out.is_url = part.is_url;
  for (std::size_t side = 0; side < kSides; ++side) {
    out.values[side] = part.sides[side].ids;
    std::erase_if(out.values[side], [&](std::uint32_t id) { return !can_be_seen(part.is_url, side, text(id)); });
    if (part.sides[side].any) out.values[side].push_back(kUnnamed);
  }
  if (!part.is_url) return out;
  for (std::size_t i = 0; i < part.exact_paths.size(); ++i) {
    const bool any = part.exact_paths[i] == "*";
    paths_.add_path(any ? "/" + unnamed_ : part.exact_paths[i], out);
    paths_.add_path(any ? "/" + unnamed_ : part.path_prefixes[i] + unnamed_, out);
  }
  out.values[kPathSide].clear();
  for (std::uint32_t i = 0; i < out.paths.size(); ++i) out.values[kPathSide].push_back(i);
  out.values[2] = out.values[3] = {kUnnamed};
  return out;
}

std::vector<Box> ReachIndex::unseen(const ReachTarget& target) const {
  std::vector<Box> out;
  if (target.is_url) return out;
  const auto bits_where = [&](std::size_t side, auto wanted) {
    Bits bits;
    bits.assign(target.values[side].size(), false);
    for (std::size_t i = 0; i < target.values[side].size(); ++i) {
      const std::uint32_t id = target.values[side][i];
      if (id != kUnnamed && wanted(text(id))) bits.set(i);
    }
    return bits;
  };
  const auto all = [&](std::size_t side) {
    Bits bits;
    bits.assign(target.values[side].size(), true);
    return bits;
  };
  const auto is_sub = [](std::string_view resource) { return resource.find('/') != resource.npos; };
  const auto add = [&](Bits verbs, Bits resources, Bits namespaces) {
    Box box = {std::move(verbs), all(kGroupSide), std::move(resources), std::move(namespaces)};
    if (std::none_of(box.begin(), box.end(), [](const Bits& bits) { return bits.none(); }))
      out.push_back(std::move(box));
  };
  const Bits nowhere = bits_where(kNamespaceSide, [](std::string_view ns) { return ns.empty(); });
  add(bits_where(kVerbSide, is_verb_of_collections), bits_where(kResourceSide, is_sub), all(kNamespaceSide));
  add(bits_where(kVerbSide, is_verb_of_names),
      bits_where(kResourceSide, [](std::string_view resource) { return resource == "namespaces"; }), nowhere);
  add(all(kVerbSide),
      bits_where(kResourceSide, [](std::string_view resource) { return resource.starts_with("namespaces/"); }),
      nowhere);
  return out;
}

ReachTarget ReachIndex::common_target(const ReachPart& a, const ReachPart& b) const {
  ReachTarget out;
  out.is_url = a.is_url;
  if (a.is_url != b.is_url) return out;
  out = target_of(a);
  const ReachTarget other = target_of(b);
  for (std::size_t side = 0; side < kSides; ++side) {
    if (a.is_url && side == kPathSide) continue;
    std::vector<std::uint32_t>& values = out.values[side];
    std::vector<std::uint32_t> more = other.values[side];
    values.insert(values.end(), more.begin(), more.end());
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (a.is_url && side > kPathSide) continue;
    const bool is_namespace = !a.is_url && side == kNamespaceSide;
    std::erase_if(values, [&](std::uint32_t id) {
      const auto holds = [&](const IdSet& set) {
        return (set.any && !(is_namespace && id == kNoNamespace)) || holds_id(set, id);
      };
      return !holds(a.sides[side]) || !holds(b.sides[side]);
    });
  }
  if (!a.is_url) return out;
  for (const std::string& path : other.paths) paths_.add_path(path, out);
  out.values[kPathSide].clear();
  for (std::uint32_t i = 0; i < out.paths.size(); ++i) {
    if (holds_path(a, out, i) && holds_path(b, out, i)) out.values[kPathSide].push_back(i);
  }
  return out;
}

ReachTarget ReachIndex::target_of(const RequestInfo& request) const {
  ReachTarget out;
  out.is_url = !request.is_resource_request;
  out.values[kVerbSide] = {find(request.verb)};
  if (out.is_url) {
    paths_.add_path(request.path, out);
    out.values[kPathSide] = {0};
    out.values[2] = out.values[3] = {kUnnamed};
    return out;
  }
  out.values[kGroupSide] = {find(request.api_group)};
  out.values[kResourceSide] = {find(joined_resource(request))};
  out.values[kNamespaceSide] = {find(request.ns)};
  return out;
}

bool cover(const ReachPart& part, const ReachTarget& target, Box& out) {
  if (part.is_url != target.is_url) return false;
  for (std::size_t side = 0; side < (part.is_url ? kPathSide : kSides); ++side) {
    if (!cover_side(part.sides[side], target.values[side], !part.is_url && side == kNamespaceSide, out[side])) {
      return false;
    }
  }
  if (!part.is_url) return true;
  const std::vector<std::uint32_t>& paths = target.values[kPathSide];
  bool some = false;
  out[kPathSide].assign(paths.size(), false);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!holds_path(part, target, paths[i])) continue;
    out[kPathSide].set(i);
    some = true;
  }
  for (std::size_t side = kPathSide + 1; side < kSides; ++side) out[side].assign(target.values[side].size(), true);
  return some;
}

ReachIndex::Walk::Walk(const ReachIndex& index, const ReachUser& user, const ReachTarget& target, std::uint32_t end)
    : index_(index), end_(end) {
  for (const std::uint32_t subject : user.subjects) {
    index.subjects_.visit(subject, target,
                          [&](std::span<const std::uint32_t> list, std::size_t side, std::size_t value) {
                            if (list.empty() || list.front() >= end) return;
                            sources_.push_back({list.data(), list.data() + list.size(), side, value});
                          });
  }
}

std::optional<std::uint32_t> ReachIndex::Walk::next() {
  if (looked_at_ >= kMaxLookedAt) {
    complete_ = complete_ && sources_.empty();
    return std::nullopt;
  }
  looked_at_ += 1 + sources_.size() / 8;
  std::uint32_t least = UINT32_MAX;
  for (const Source& source : sources_) least = std::min(least, *source.at);
  if (least >= end_) return std::nullopt;
  // A part may be in several lists.
  for (Source& source : sources_) source.at += *source.at == least;
  std::erase_if(sources_, [](const Source& source) { return source.at == source.end; });
  return least;
}

void ReachIndex::Walk::forget_taken(const Region& left) {
  std::erase_if(sources_,
                [&](const Source& source) { return source.side < kSides && !left.holds(source.side, source.value); });
}

ReachIndex::Meeting::Meeting(const ReachIndex& index, const ReachUser& user, const ReachPart& part, std::uint32_t from,
                             std::uint32_t to)
    : index_(index), part_(part), from_(from), to_(to) {
  const auto begins_at = [&](std::uint32_t number, std::uint32_t schema) {
    return index.parts_[number].schema < schema;
  };
  const auto in_range = [&](std::span<const std::uint32_t> list) {
    const auto begin = std::lower_bound(list.begin(), list.end(), from, begins_at);
    return std::span(begin, std::lower_bound(begin, list.end(), to, begins_at));
  };
  const ReachTarget target = index.target_of(part);
  for (const std::uint32_t subject : user.subjects) {
    const auto all = in_range(index.subjects_.parts_of(subject));
    if (all.size() <= kMaxWalked) {
      lists_.push_back(all);
      continue;
    }
    index.subjects_.visit(subject, target, [&](std::span<const std::uint32_t> list, std::size_t, std::size_t) {
      lists_.push_back(in_range(list));
    });
  }
}

bool ReachIndex::Meeting::sides_meet(const ReachPart& other) const {
  if (other.is_url != part_.is_url) return false;
  for (std::size_t side = 0; side < (part_.is_url ? 1 : kSides); ++side) {
    const IdSet &a = part_.sides[side], &b = other.sides[side];
    if ((a.any && b.any) || (a.any && !b.ids.empty()) || (b.any && !a.ids.empty())) continue;
    if ((a.mask & b.mask) == 0 || !share_one(a.ids, b.ids)) return false;
  }
  return true;
}

// Looks at what the lists have of schemas before `schema`.
void ReachIndex::Meeting::take_until(std::uint32_t schema) {
  for (std::span<const std::uint32_t>& list : lists_) {
    std::size_t taken = 0;
    for (; taken < list.size() && index_.parts_[list[taken]].schema < schema; ++taken) {
      if (++looked_at_ > kMaxLookedAt) return;
      if (sides_meet(index_.parts_[list[taken]])) found_.push_back(list[taken]);
    }
    list = list.subspan(taken);
  }
}

std::span<const std::uint32_t> ReachIndex::Meeting::next() {
  found_.clear();
  while (found_.empty() && from_ < to_ && looked_at_ <= kMaxLookedAt) {
    from_ = to_ - from_ > width_ ? from_ + width_ : to_;
    width_ *= 4;
    take_until(from_);
  }
  std::sort(found_.begin(), found_.end());
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  return found_;
}

std::uint32_t ReachIndex::first_match(const ReachUser& user, const ReachTarget& point) const {
  std::uint32_t best = UINT32_MAX;
  for (const std::uint32_t subject : user.subjects) {
    subjects_.visit(subject, point, [&](std::span<const std::uint32_t> list, std::size_t, std::size_t) {
      for (const std::uint32_t number : list) {
        if (parts_[number].schema >= best) return;
        if (meets(parts_[number], point)) {
          best = parts_[number].schema;
          return;
        }
      }
    });
  }
  return best;
}

}  // namespace apf
