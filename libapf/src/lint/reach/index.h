// The parts (resourceRules, nonResourceRules) of all consulted FlowSchemas, filed by subject and by the values they
// name, so that one part is compared only with those that can meet it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>

#include "classify/string_table.h"
#include "lint/reach/box.h"
#include "lint/reach/part.h"
#include "lint/reach/path_numbers.h"
#include "lint/reach/subject_lists.h"

namespace apf {

// Which of the target's values the part matches. False if on some side it matches none.
bool cover(const ReachPart& part, const ReachTarget& target, Box& out);

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

  ReachUser file_user(User user) const { return subjects_.file_user(std::move(user)); }
  // The least users that satisfy a subject, with the groups that authenticators give them.
  std::vector<ReachUser> least_users(const Subject& subject) const;

  // Without values that no request has.
  ReachTarget target_of(const ReachPart& part) const;
  // Those combinations of its values that no server sees: see seen_requests.h.
  std::vector<Box> unseen(const ReachTarget& target) const;
  // What both match, in representatives; not the whole of it where either says "*". An empty side: nothing.
  ReachTarget common_target(const ReachPart& a, const ReachPart& b) const;
  ReachTarget target_of(const RequestInfo& request) const;

  // The parts, in consulted order, that can take something of a target; see below.
  class Walk;

  // Parts that match a request which another matches, too; see below.
  class Meeting;

  // The first schema that matches a target of one point; UINT32_MAX if none does.
  std::uint32_t first_match(const ReachUser& user, const ReachTarget& point) const;

 private:
  void add_part(const ResourceRule& rule, ReachPart part);
  void add_part(const NonResourceRule& rule, ReachPart part);
  std::uint32_t add_text(std::string_view text);
  IdSet add_list(const std::vector<std::string>& list);
  void choose_unnamed(std::span<const FlowSchema* const> schemas);

  StringTable strings_;
  std::vector<std::string_view> texts_;  // by id
  std::vector<ReachPart> parts_;
  std::vector<std::vector<std::uint32_t>> rule_begins_;  // by schema and rule: first part; one more at the end
  PathNumbers paths_;
  SubjectLists subjects_;
  std::string unnamed_;
};

class ReachIndex::Walk {
 public:
  // Over parts before the one with number `end`. All must outlive the walk.
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

// Parts of schemas in [from, to) that match a request which `part` matches too, ascending, some at a time: who has
// enough asks no further. Where there are many, those whose "*" meets a name of theirs may be missed.
class ReachIndex::Meeting {
 public:
  // All must outlive it.
  Meeting(const ReachIndex& index, const ReachUser& user, const ReachPart& part, std::uint32_t from, std::uint32_t to);

  // The next ones; none at the end, or when too many were looked at.
  std::span<const std::uint32_t> next();

  std::size_t looked_at() const { return looked_at_; }

 private:
  bool sides_meet(const ReachPart& other) const;
  void take_until(std::uint32_t schema);

  const ReachIndex& index_;
  const ReachPart& part_;
  std::uint32_t from_;  // schemas before it are done
  const std::uint32_t to_;
  std::uint32_t width_ = 8;  // schemas that are looked at next
  std::vector<std::span<const std::uint32_t>> lists_;
  std::vector<std::uint32_t> found_;
  std::size_t looked_at_ = 0;
};

}  // namespace apf
