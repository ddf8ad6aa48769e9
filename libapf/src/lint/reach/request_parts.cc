#include "lint/reach/request_parts.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "classify/flow_schema.h"
#include "lint/reach/index.h"
#include "lint/reach/seen_requests.h"

namespace apf {

namespace {

bool is_resource_path(const std::string& path) {
  ParsedRequest parsed;
  parse_audited_request("get", path, parsed);
  return parsed.url_error.empty() && (parsed.info.is_resource_request || !parsed.info_error.empty());
}

}  // namespace

RequestParts::RequestParts(std::span<const FlowSchema* const> schemas, std::string unnamed)
    : unnamed_(std::move(unnamed)) {
  add_atom(false, kNamespaceSide, "");
  for (const FlowSchema* schema : schemas) {
    for (const PolicyRule& rule : schema->rules) {
      for (const ResourceRule& part : rule.resource_rules) {
        add_list(false, kVerbSide, part.verbs);
        add_list(false, kGroupSide, part.api_groups);
        add_list(false, kResourceSide, part.resources);
        add_list(false, kNamespaceSide, part.namespaces);
      }
      for (const NonResourceRule& part : rule.non_resource_rules) add_list(true, kVerbSide, part.verbs);
    }
  }
  if (atoms_[false][kVerbSide].size() < std::size(kSeenVerbs)) add_other(false, kVerbSide);
  add_other(false, kGroupSide);
  add_other(false, kResourceSide);
  add_other(false, kNamespaceSide);
  add_other(true, kVerbSide);
  add_paths(schemas);
  file_atoms();
}

void RequestParts::add_atom(bool is_url, std::size_t side, const std::string& text) {
  std::vector<std::string>& atoms = atoms_[is_url][side];
  if (atom_ids_[is_url][side].try_emplace(text, atoms.size()).second) atoms.push_back(text);
}

void RequestParts::add_list(bool is_url, std::size_t side, const std::vector<std::string>& list) {
  if (is_any(list)) return;
  for (const std::string& text : list) {
    if (can_be_seen(is_url, side, text)) add_atom(is_url, side, text);
  }
}

void RequestParts::add_other(bool is_url, std::size_t side) {
  has_other_[is_url][side] = true;
  add_atom(is_url, side, unnamed_);
}

void RequestParts::add_paths(std::span<const FlowSchema* const> schemas) {
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

void RequestParts::file_atoms() {
  const std::vector<std::string>&verbs = atoms_[false][kVerbSide], &resources = atoms_[false][kResourceSide];
  of_collections_.assign(verbs.size(), false);
  of_names_.assign(verbs.size(), false);
  subresources_.assign(resources.size(), false);
  namespaces_.assign(resources.size(), false);
  // Those that are not named are one atom: it is of a sort if all of them are.
  const bool has_other_verb = has_other_[false][kVerbSide];
  for (std::size_t i = 0; i < verbs.size(); ++i) {
    const auto all_are = [&](bool (*is)(std::string_view)) {
      if (!has_other_verb || i + 1 < verbs.size()) return is(verbs[i]);
      return std::all_of(std::begin(kSeenVerbs), std::end(kSeenVerbs), [&](std::string_view verb) {
        return atom_ids_[false][kVerbSide].contains(std::string(verb)) || is(verb);
      });
    };
    if (all_are(is_verb_of_collections)) of_collections_.set(i);
    if (all_are(is_verb_of_names)) of_names_.set(i);
  }
  for (std::size_t i = 0; i + 1 < resources.size(); ++i) {
    const std::size_t slash = resources[i].find('/');
    if (slash != std::string::npos) subresources_.set(i);
    if (resources[i].substr(0, slash) == "namespaces") namespaces_.set(i);
  }
  all_combine_ = subresources_.none() && namespaces_.none();
}

std::size_t RequestParts::find_path(std::string_view path) const {
  const auto& ids = atom_ids_[true][kPathSide];
  if (const auto exact = ids.find(std::string(path)); exact != ids.end()) return exact->second;
  for (std::size_t slash = path.rfind('/'); slash != path.npos;
       slash = slash == 0 ? path.npos : path.rfind('/', slash - 1)) {
    if (const auto below = ids.find(std::string(path.substr(0, slash + 1))); below != ids.end()) return below->second;
  }
  return SIZE_MAX;
}

std::size_t RequestParts::find_atom(bool is_url, std::size_t side, std::string_view text) const {
  if (const auto at = atom_ids_[is_url][side].find(std::string(text)); at != atom_ids_[is_url][side].end())
    return at->second;
  return has_other_[is_url][side] ? atoms_[is_url][side].size() - 1 : SIZE_MAX;
}

Bits RequestParts::list_bits(bool is_url, std::size_t side, const std::vector<std::string>& list) const {
  Bits out;
  const bool any = is_any(list);
  out.assign(atoms_[is_url][side].size(), any);
  if (any) return out;
  for (const std::string& text : list) {
    if (const auto at = atom_ids_[is_url][side].find(text); at != atom_ids_[is_url][side].end()) out.set(at->second);
  }
  return out;
}

Bits RequestParts::path_bits(const NonResourceRule& rule) const {
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

Box RequestParts::whole(bool is_url) const {
  Box out;
  for (std::size_t side = 0; side < sides(is_url); ++side) out[side].assign(atoms_[is_url][side].size(), true);
  return out;
}

Box RequestParts::sides_of(const ResourceRule& rule) const {
  Box out = {list_bits(false, kVerbSide, rule.verbs), list_bits(false, kGroupSide, rule.api_groups),
             list_bits(false, kResourceSide, rule.resources), list_bits(false, kNamespaceSide, rule.namespaces)};
  Bits none;
  none.assign(atoms_[false][kNamespaceSide].size(), false);
  none.set(kNoNamespace);
  out[kNamespaceSide] -= none;
  if (rule.cluster_scope) out[kNamespaceSide] |= none;
  return out;
}

Box RequestParts::sides_of(const NonResourceRule& rule) const {
  return {list_bits(true, kVerbSide, rule.verbs), path_bits(rule), {}, {}};
}

bool RequestParts::any_seen(bool is_url, const Box& sides) const {
  if (is_url || all_combine_) return true;
  Bits special = sides[kResourceSide], plain = special;
  special &= subresources_;
  plain -= subresources_;
  Bits of_namespaces = plain;
  plain -= namespaces_;
  if (!plain.none()) return true;
  const Bits &verbs = sides[kVerbSide], &namespaces = sides[kNamespaceSide];
  const bool in_some = !namespaces.test(kNoNamespace) || namespaces.count() > 1;
  of_namespaces &= namespaces_;
  if (!of_namespaces.none() && (in_some || !verbs.within(of_names_))) return true;
  if (special.none() || verbs.within(of_collections_)) return false;
  return in_some || !special.within(namespaces_);
}

namespace {

Bits single(const Bits& of, std::size_t atom) {
  Bits out = of;
  out -= of;
  out.set(atom);
  return out;
}

// The set inside and outside of `by`; only what is not empty.
std::vector<Bits> divided(const std::vector<Bits>& sets, const Bits& by) {
  std::vector<Bits> out;
  for (const Bits& set : sets) {
    Bits inside = set, outside = set;
    inside &= by;
    outside -= by;
    if (!outside.none()) out.push_back(std::move(outside));
    if (!inside.none()) out.push_back(std::move(inside));
  }
  return out;
}

}  // namespace

std::vector<Bits> RequestParts::sorts_of(bool is_url, std::size_t side, const Bits& set) const {
  if (side == kVerbSide) {
    std::vector<Bits> out;
    for (std::size_t i = 0; i < atoms_[is_url][side].size(); ++i) {
      if (set.test(i)) out.push_back(single(set, i));
    }
    return out;
  }
  if (is_url || side == kGroupSide) return {set};
  if (side == kNamespaceSide) return divided({set}, single(set, kNoNamespace));
  return divided(divided({set}, subresources_), namespaces_);
}

std::vector<Box> RequestParts::corners(bool is_url, const Box& sides) const {
  std::vector<Box> out = {sides};
  for (std::size_t side = 0; side < RequestParts::sides(is_url); ++side) {
    std::vector<Box> next;
    for (const Bits& sort : sorts_of(is_url, side, sides[side])) {
      for (const Box& box : out) {
        next.push_back(box);
        next.back()[side] = single(sort, sort.first());
      }
    }
    out = std::move(next);
  }
  std::erase_if(out, [&](const Box& box) { return !any_seen(is_url, box); });
  return out;
}

bool RequestParts::locate(const RequestInfo& request, std::array<std::size_t, kSides>& out) const {
  const bool is_url = !request.is_resource_request;
  if (!can_be_seen(request)) return false;
  out[kVerbSide] = find_atom(is_url, kVerbSide, request.verb);
  if (is_url) {
    out[kPathSide] = find_path(request.path);
  } else {
    out[kGroupSide] = find_atom(false, kGroupSide, request.api_group);
    out[kResourceSide] = find_atom(false, kResourceSide, joined_resource(request));
    out[kNamespaceSide] = find_atom(false, kNamespaceSide, request.ns);
  }
  return std::find(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(sides(is_url)), SIZE_MAX) ==
         out.begin() + static_cast<std::ptrdiff_t>(sides(is_url));
}

}  // namespace apf
