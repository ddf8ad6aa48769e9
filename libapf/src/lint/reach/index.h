// The parts (resourceRules, nonResourceRules) of all consulted FlowSchemas, filed by subject and by the values they
// name, so that one part is compared only with those that can meet it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>

#include "classify/string_table.h"
#include "lint/reach/box.h"

namespace apf {

// A text that no FlowSchema names represents all such texts: only a "*" matches it.
inline constexpr std::uint32_t kUnnamed = 0;

inline constexpr std::size_t kVerbSide = 0, kGroupSide = 1, kResourceSide = 2, kNamespaceSide = 3;
inline constexpr std::size_t kPathSide = 1;  // of nonResourceRules

struct IdSet {
  bool any = false;                // all texts; of namespaces: all but the empty one
  std::vector<std::uint32_t> ids;  // sorted
  std::uint64_t mask = 0;          // of the ids: sets whose masks have no bit in common have no id in common
};

struct ReachPart {
  std::uint32_t schema = 0, rule = 0, index = 0;  // place in consulted order, in its rules, in that rule's parts
  bool is_url = false;
  std::array<IdSet, kSides> sides;  // namespaces: with the empty one for clusterScope. Of URLs: verbs only
  bool any_path = false;
  std::vector<std::string> exact_paths, path_prefixes;  // by entry
  std::vector<std::uint32_t> path_keys;                 // sorted numbers of both: see ReachTarget
};

// What a part matches, in representatives: where it says "*" one unnamed text represents all. A part is taken from
// completely if and only if it is in all representatives: what takes an unnamed text says "*" itself, so it takes the
// named ones too.
struct ReachTarget {
  bool is_url = false;
  std::array<std::vector<std::uint32_t>, kSides> values;  // ids; of paths: numbers of `paths`
  std::vector<std::string> paths;                         // of entry i: 2i exactly, 2i + 1 below it
  // The numbers of those entries and prefixes that match path i: path_keys from path_key_ends[i - 1] to [i].
  std::vector<std::uint32_t> path_keys;
  std::vector<std::size_t> path_key_ends;
  std::array<std::size_t, kSides> sizes() const;
};

// A user, and under which subjects what concerns it is filed.
struct ReachUser {
  User user;
  std::vector<std::uint32_t> subjects;
};

// How values are filed: by the side of a rule that holds them, or for URLs by verb and path.
inline constexpr std::uint32_t kUrlVerb = 4, kUrlPath = 5;  // after the sides of resourceRules
inline std::uint64_t value_key(std::size_t side, std::uint32_t id) { return std::uint64_t{side} << 32 | id; }

class ReachIndex {
 public:
  // `schemas` in consulted order; they must outlive the index.
  explicit ReachIndex(std::span<const FlowSchema* const> schemas);

  const std::vector<ReachPart>& parts() const { return parts_; }
  // The parts of a rule: their numbers are consecutive, resourceRules first.
  std::pair<std::uint32_t, std::uint32_t> parts_of(std::uint32_t schema, std::uint32_t rule) const;

  // Texts that no FlowSchema names, as path segment, as name of a user, a namespace, a group or a resource.
  const std::string& unnamed() const { return unnamed_; }
  std::string_view text(std::uint32_t id) const { return id == kUnnamed ? std::string_view(unnamed_) : texts_[id]; }
  std::uint32_t find(std::string_view text) const { return strings_.find(text); }
  std::uint32_t no_namespace() const { return no_namespace_; }

  ReachUser file_user(User user) const;
  // The least users that satisfy a subject, by the groups that authentication implies.
  std::vector<ReachUser> least_users(const Subject& subject) const;

  ReachTarget target_of(const ReachPart& part) const;
  // What both match, in representatives; not the whole of it where either says "*". An empty side: nothing.
  ReachTarget common_target(const ReachPart& a, const ReachPart& b) const;
  ReachTarget target_of(const RequestInfo& request) const;

  // Which of the target's values the part matches. False if on some side it matches none.
  bool cover(const ReachPart& part, const ReachTarget& target, Box& out) const;

  // The parts, in consulted order, that can take something of a target; see below.
  class Walk;

  struct Candidates {
    std::vector<std::uint32_t> parts;  // ascending, that is in consulted order
    std::size_t looked_at = 0;
  };
  // Parts of schemas in [from, to) that match a request which this part matches too. Where there are many, those whose
  // "*" meets a name of theirs may be missed.
  Candidates meeting(const ReachUser& user, const ReachPart& part, std::uint32_t from, std::uint32_t to) const;

  // The first schema that matches a target of one point; UINT32_MAX if none does.
  std::uint32_t first_match(const ReachUser& user, const ReachTarget& point) const;

 private:
  // Which parts of a long list name a value.
  struct ValueIndex {
    std::vector<std::uint64_t> keys;     // sorted
    std::vector<std::uint32_t> ends;     // by key: where its numbers end
    std::vector<std::uint32_t> numbers;  // of parts, ascending for each key
    std::span<const std::uint32_t> find(std::uint64_t key) const;
    std::array<std::vector<std::uint32_t>, 2> unfiled;  // resourceRules, nonResourceRules
  };
  struct SubjectList {
    std::vector<std::uint32_t> parts;      // ascending
    std::unique_ptr<ValueIndex> by_value;  // of long lists
  };

  void add_part(const ResourceRule& rule, ReachPart part);
  void add_part(const NonResourceRule& rule, ReachPart part);
  std::uint32_t add_text(std::string_view text);
  IdSet add_list(const std::vector<std::string>& list);
  std::uint32_t add_subject(std::string key);
  void file_by_value(SubjectList& list);
  void choose_unnamed(std::span<const FlowSchema* const> schemas);
  void number_paths();
  void add_path(std::string path, ReachTarget& out) const;
  std::span<const std::uint32_t> keys_of(const ReachTarget& target, std::uint32_t path) const;
  bool holds_path(const ReachPart& part, const ReachTarget& target, std::uint32_t path) const;
  bool cover_side(const IdSet& set, const std::vector<std::uint32_t>& values, bool is_namespace, Bits& out) const;
  // The lists, ascending each, that together hold every part of `list` that can meet the target: each with the side and
  // the number of the value that it was found by, or kSides where that is not known.
  template <class Visit>
  void visit_lists(const SubjectList& list, const ReachTarget& target, Visit visit) const;
  bool meets(const ReachPart& part, const ReachTarget& target) const;

  StringTable strings_;
  std::vector<std::string_view> texts_;  // by id
  std::vector<ReachPart> parts_;
  StringTable paths_;                                    // entries and prefixes of URLs
  std::vector<std::size_t> prefix_lengths_;              // of URLs, sorted
  std::vector<std::vector<std::uint32_t>> rule_begins_;  // by schema and rule: first part; one more at the end
  std::unordered_map<std::string, std::uint32_t> subject_ids_;
  std::vector<SubjectList> subjects_;
  std::string unnamed_;
  std::uint32_t no_namespace_ = 0;
};

class ReachIndex::Walk {
 public:
  // Over parts of schemas before `end`. All must outlive the walk.
  Walk(const ReachIndex& index, const ReachUser& user, const ReachTarget& target, std::uint32_t end);

  // The next part; nothing at the end, or when there were too many.
  std::optional<std::uint32_t> next();
  // Passes over what could only take values that are no longer left.
  void forget_taken(const Region& left);

  std::size_t looked_at() const { return looked_at_; }
  bool complete() const { return complete_; }

 private:
  struct Source {
    const std::uint32_t *at, *end;
    std::size_t side, value;
  };
  const ReachIndex& index_;
  std::uint32_t end_;
  std::vector<Source> sources_;
  std::size_t looked_at_ = 0;
  bool complete_ = true;
};

}  // namespace apf
