// The parts (resourceRules, nonResourceRules) of all consulted FlowSchemas, filed by subject and by the values they
// name, so that one part is compared only with those that can meet it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <apf/config.h>
#include <apf/request.h>

#include "classify/string_table.h"
#include "lint/box.h"

namespace apf {

// A text that no FlowSchema names stands for all such texts: only a "*" matches it.
inline constexpr std::uint32_t kUnnamed = 0;

inline constexpr std::size_t kVerbSide = 0, kGroupSide = 1, kResourceSide = 2, kNamespaceSide = 3;
inline constexpr std::size_t kPathSide = 1;  // of nonResourceRules

struct IdSet {
  bool any = false;                // all texts; of namespaces: all but the empty one
  std::vector<std::uint32_t> ids;  // sorted
  bool holds(std::uint32_t id) const;
};

struct ReachPart {
  std::uint32_t schema = 0, rule = 0, index = 0;  // place in consulted order, in its rules, in that rule's parts
  bool is_url = false;
  std::array<IdSet, kSides> sides;  // namespaces: with the empty one for clusterScope. Of URLs: verbs only
  bool any_path = false;
  std::vector<std::string> exact_paths, path_prefixes;  // by entry

  bool holds_path(std::string_view path) const;
};

// What a part matches, in representatives: where it says "*" one unnamed text stands for all. A part is taken from
// completely if and only if it is in all representatives: what takes an unnamed text says "*" itself, so it takes the
// named ones too.
struct ReachTarget {
  bool is_url = false;
  std::array<std::vector<std::uint32_t>, kSides> values;  // ids; of paths: numbers of `paths`
  std::vector<std::string> paths;                         // of entry i: 2i exactly, 2i + 1 below it
  std::array<std::size_t, kSides> sizes() const;
};

// A user, and under which subjects what concerns it is filed.
struct ReachUser {
  User user;
  std::vector<std::uint32_t> subjects;
};

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

  struct Candidates {
    std::vector<std::uint32_t> parts;  // ascending, that is in consulted order
    std::size_t looked_at = 0;
    bool complete = true;  // false: there were too many
  };
  // Parts of schemas in [from, to) that match something of the target for this user.
  Candidates candidates(const ReachUser& user, const ReachTarget& target, std::uint32_t from, std::uint32_t to) const;

  // Parts of schemas in [from, to) that match a request which this part matches too. Where there are many, those whose
  // "*" meets a name of theirs may be missed.
  Candidates meeting(const ReachUser& user, const ReachPart& part, std::uint32_t from, std::uint32_t to) const;

  // The first schema that matches a target of one point; UINT32_MAX if none does.
  std::uint32_t first_match(const ReachUser& user, const ReachTarget& point) const;

 private:
  struct ValueIndex {
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> filed;
    std::array<std::vector<std::uint32_t>, 2> unfiled;  // resourceRules, nonResourceRules
  };
  struct SubjectList {
    std::vector<std::uint32_t> parts;  // ascending
    std::unique_ptr<ValueIndex> by_value;  // of long lists
  };

  void add_part(const ResourceRule& rule, ReachPart part);
  void add_part(const NonResourceRule& rule, ReachPart part);
  std::uint32_t add_text(std::string_view text);
  IdSet add_list(const std::vector<std::string>& list);
  std::uint32_t add_subject(std::string key);
  void file_by_value(SubjectList& list);
  void choose_unnamed(std::span<const FlowSchema* const> schemas);
  std::vector<std::uint32_t> segments_of(const ReachPart& part) const;
  template <class Visit>
  void visit_lists(const SubjectList& list, const ReachTarget& target, Visit visit) const;
  bool meets(const ReachPart& part, const ReachTarget& target) const;

  StringTable strings_;
  std::vector<std::string_view> texts_;  // by id
  std::vector<ReachPart> parts_;
  std::vector<std::vector<std::uint32_t>> segments_;  // by part: first segments of paths; empty = any
  std::vector<std::vector<std::uint32_t>> rule_begins_;  // by schema and rule: first part; one more at the end
  std::unordered_map<std::string, std::uint32_t> subject_ids_;
  std::vector<SubjectList> subjects_;
  std::string unnamed_;
  std::uint32_t no_namespace_ = 0;
};

}  // namespace apf
