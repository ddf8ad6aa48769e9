// Which requests reach which FlowSchema, decided over the matching language itself.
//
// Matching only grows with a user's groups, so for each subject the least users that satisfy it decide, with the groups
// that their authenticator gives them (identity.h). For such a user what a part of a rule matches is a box over verb,
// group, resource and namespace, or over verb and path; what no server sees (seen_requests.h) and what earlier
// FlowSchemas take is subtracted from it. Where a part says "*" one text that nobody names represents all: what takes
// that one says "*" too. Nobody is taken to call himself a service account without a namespace and a name.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>
#include <apf/version.h>

#include "lint/reach/index.h"

namespace apf {

// A request that shows something. `command` shows it with apfctl; empty where no real request is like this.
struct Witness {
  User user;
  RequestInfo request;
  std::string command;
};

// Of one resourceRule or nonResourceRule.
struct PartReach {
  bool is_url = false;
  std::uint32_t index = 0;
  bool matches_something = false;  // false: no request is like this, as where a list is empty
  bool reached = false;
  // By entry of each list as written. For namespaces: without clusterScope.
  std::vector<bool> verbs, api_groups, resources, namespaces, urls;
  bool cluster_scope = true;  // reached, or not asked for
};

struct RuleReach {
  bool matches_something = false, reached = false;
  std::vector<bool> subjects;        // reached
  std::vector<bool> known_subjects;  // can match somebody
  std::vector<PartReach> parts;      // resourceRules, then nonResourceRules
};

struct SchemaReach {
  bool matches_something = false, reached = false;
  bool complete = true;  // false: too much to compare, and what was left counts as reached
  std::vector<RuleReach> rules;
};

// What of a FlowSchema is meant: all of it, or one rule, subject, part or value in it.
struct ReachSelection {
  std::optional<std::uint32_t> rule, subject;
  std::optional<std::uint32_t> part;  // in RuleReach::parts
  std::optional<std::size_t> side;    // kVerbSide, …, or kPathSide
  std::string value;                  // on that side; of namespaces: empty = clusterScope
};

struct Shadow {
  std::vector<const FlowSchema*> taken_by;  // in consulted order
  std::optional<Witness> witness;           // what is meant matches it, and the first of them takes it
  const FlowSchema* taker = nullptr;        // of the witness
};

struct Overlap {
  const FlowSchema* winner = nullptr;  // takes the witness
  const FlowSchema* other = nullptr;   // matches it too
  Witness witness;
};

class Reach {
 public:
  // `effective` must outlive it. `further_levels`: levels that exist, though nothing is known of them.
  explicit Reach(const Config& effective, KubeVersion version = {},
                 const std::set<std::string, std::less<>>& further_levels = {});
  // The FlowSchemas of a server in the order in which it consults them; they must outlive it.
  explicit Reach(std::vector<const FlowSchema*> consulted);
  ~Reach();

  // In the order in which the server consults them; those without a well-formed level are left out.
  const std::vector<const FlowSchema*>& consulted() const { return consulted_; }
  std::optional<std::uint32_t> index_of(std::string_view name) const;
  const ReachIndex& index() const { return *reach_index_; }
  // What every command that shows a request ends with: files and release.
  const std::string& command_flags() const { return command_flags_; }

  // What reaches the FlowSchema and its parts after all earlier ones. Computed at the first call.
  const SchemaReach& of(std::uint32_t schema) const;

  // Who takes what is meant, and a request that shows it. For what is not reached.
  Shadow shadow(std::uint32_t schema, const ReachSelection& selection) const;

  // Which FlowSchema takes a request; nothing if only the fallback to catch-all does.
  std::optional<std::uint32_t> first_match(const User& user, const RequestInfo& request) const;

  // A request that the FlowSchema takes, as real as can be found.
  std::optional<Witness> example(std::uint32_t schema) const;

  // Requests that the FlowSchema takes by one of its rules: first those that none of its earlier rules matches. `visit`
  // returns true if it needs no more.
  void examples(std::uint32_t schema, std::uint32_t rule, const std::function<bool(Witness&)>& visit) const;

  // FlowSchemas of equal precedence that both match some request which neither loses to an earlier one. Only least
  // users are asked: that somebody may be in both of two groups is no overlap.
  std::vector<Overlap> equal_precedence_overlaps() const;

  // Requests that a FlowSchema's least users can make and no consulted one but catch-all takes.
  std::vector<Witness> gaps() const;

  // A request of `part` that `by` takes from the FlowSchema; nothing if it takes none.
  std::optional<Witness> taken_from(std::uint32_t schema, std::uint32_t rule, std::uint32_t subject, std::uint32_t part,
                                    std::uint32_t by_part) const;

 private:
  // What is left of a target after earlier FlowSchemas.
  struct Rest {
    Region region;
    std::uint32_t schema = 0;  // whose target it was
    bool complete = true;
    std::vector<std::uint32_t> takers;  // in consulted order
  };
  enum class Effort { within_budget, whatever_it_takes };
  // After all parts before the one with number `end`: of the schema, if not given, its first.
  Rest subtract(const ReachUser& user, const ReachTarget& target, std::uint32_t schema, Effort effort,
                std::optional<std::uint32_t> end = std::nullopt) const;
  static ReachTarget within(const ReachTarget& target, const Box& box);
  SchemaReach compute(std::uint32_t schema) const;
  ReachTarget narrowed(const ReachPart& part, const ReachSelection& selection) const;
  // A request of the target that is as real as can be and that `wanted` takes; of none wanted, any.
  std::optional<Witness> witness_of(const ReachUser& user, const ReachTarget& target,
                                    std::optional<std::uint32_t> wanted) const;
  void find_shadow_witness(const ReachUser& user, const ReachTarget& target, const Rest& rest, Shadow& out) const;
  std::optional<Witness> common_request(const ReachUser& user, const ReachPart& a, const ReachPart& b,
                                        std::uint32_t winner) const;
  void add_overlaps(const ReachUser& user, const ReachPart& part, ReachIndex::Meeting& meeting,
                    std::set<std::uint32_t>& met, std::vector<Overlap>& out) const;
  void overlaps_of(std::uint32_t schema, std::uint32_t group_begin, std::uint32_t group_end,
                   std::vector<Overlap>& out) const;

  std::vector<const FlowSchema*> consulted_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
  std::unique_ptr<ReachIndex> reach_index_;
  std::string command_flags_;  // files and release, as every command needs them
  mutable std::vector<std::unique_ptr<SchemaReach>> reaches_;
  // Steps left for all comparisons together, by the size of the configuration; then all that is left counts as reached.
  mutable std::int64_t budget_ = 0;
};

}  // namespace apf
