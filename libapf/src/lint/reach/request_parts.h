// The verbs, API groups, resources, namespaces and paths that some configurations tell apart, side by side. What none
// of them names is one atom: "any other verb". Left out is what no server sees (seen_requests.h).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>

#include "lint/reach/box.h"

namespace apf {

class RequestParts {
 public:
  static constexpr std::size_t kNoNamespace = 0;  // the atom of cluster-scoped objects and of all namespaces at once

  // All FlowSchemas that matter; they need not outlive it. `unnamed` occurs in no text of theirs.
  RequestParts(std::span<const FlowSchema* const> schemas, std::string unnamed);

  // Sides of resource requests: verb, API group, resource, namespace; of others: verb, path.
  static std::size_t sides(bool is_url) { return is_url ? 2 : kSides; }
  // By atom; the last one is what is not named, with the text `unnamed`. Of verbs it may be missing.
  const std::vector<std::string>& atoms(bool is_url, std::size_t side) const { return atoms_[is_url][side]; }
  bool has_other(bool is_url, std::size_t side) const { return has_other_[is_url][side]; }
  // Of paths: the atom is all below this one ("/healthz/") that has no atom of its own; else the path itself.
  bool is_below(std::size_t path) const { return path_is_below_[path]; }

  Box whole(bool is_url) const;
  Box sides_of(const ResourceRule& rule) const;
  Box sides_of(const NonResourceRule& rule) const;
  // Can a server see every combination of atoms?
  bool all_combine(bool is_url) const { return is_url || all_combine_; }
  // Is there a request that a server can see among the combinations of these sides? None of them is empty.
  bool any_seen(bool is_url, const Box& sides) const;
  // Boxes of one atom on each side that together have one of each sort of requests, as far as there are any.
  std::vector<Box> corners(bool is_url, const Box& sides) const;
  // By side the atom of the request; false if it is none of the space.
  bool locate(const RequestInfo& request, std::array<std::size_t, kSides>& out) const;

 private:
  void add_atom(bool is_url, std::size_t side, const std::string& text);
  void add_list(bool is_url, std::size_t side, const std::vector<std::string>& list);
  void add_other(bool is_url, std::size_t side);
  void add_paths(std::span<const FlowSchema* const> schemas);
  void file_atoms();
  std::vector<Bits> sorts_of(bool is_url, std::size_t side, const Bits& set) const;
  Bits list_bits(bool is_url, std::size_t side, const std::vector<std::string>& list) const;
  Bits path_bits(const NonResourceRule& rule) const;
  std::size_t find_path(std::string_view path) const;  // SIZE_MAX: none
  std::size_t find_atom(bool is_url, std::size_t side, std::string_view text) const;

  std::string unnamed_;
  std::array<std::array<std::vector<std::string>, kSides>, 2> atoms_;
  std::array<std::array<std::unordered_map<std::string, std::size_t>, kSides>, 2> atom_ids_;
  std::array<std::array<bool, kSides>, 2> has_other_{};
  std::vector<bool> path_is_below_;
  // Of resource requests: verbs that only whole collections, or only named objects have; resources that are
  // subresources, and "namespaces" with its own.
  Bits of_collections_, of_names_, subresources_, namespaces_;
  bool all_combine_ = true;  // no resource is one of these
};

}  // namespace apf
