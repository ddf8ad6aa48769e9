#include "lint/known_flows.h"

#include <algorithm>
#include <set>

#include <apf/hand.h>

#include "base/sort_stably.h"
#include "lint/given_schemas.h"
#include "lint/reach/reach.h"

namespace apf {

namespace {

// The names that distinguish what comes through one FlowSchema: users, or namespaces.
class Distinguishers {
 public:
  Distinguishers(const FlowSchema& schema, const SchemaReach& reach) : schema_(schema), reach_(reach) {}

  std::set<std::string> list() {
    if (!reach_.reached) return {};
    if (!schema_.distinguisher_method) return {""};
    for (std::size_t i = 0; i < schema_.rules.size(); ++i) {
      if (!reach_.rules[i].reached) continue;
      if (*schema_.distinguisher_method == "ByUser") add_users(i);
      else add_namespaces(i);
    }
    return std::move(names_);
  }

 private:
  void add_users(std::size_t rule) {
    const std::vector<Subject>& subjects = schema_.rules[rule].subjects;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      if (reach_.rules[rule].subjects[i]) names_.insert(only_user(subjects[i]));
    }
  }

  void add_namespaces(std::size_t rule) {
    const std::vector<ResourceRule>& resources = schema_.rules[rule].resource_rules;
    for (const PartReach& part : reach_.rules[rule].parts) {
      if (!part.reached) continue;
      if (part.is_url) {
        names_.insert("");
        continue;
      }
      const ResourceRule& written = resources[part.index];
      if (written.cluster_scope && part.cluster_scope) names_.insert("");
      for (std::size_t i = 0; i < written.namespaces.size(); ++i) {
        if (part.namespaces[i]) names_.insert(written.namespaces[i]);
      }
    }
  }

  const FlowSchema& schema_;
  const SchemaReach& reach_;
  std::set<std::string> names_;
};

using Hand = std::vector<std::uint32_t>;

// Looks for the fewest other flows that together have all queues of one.
class CoverSearch {
 public:
  CoverSearch(const std::vector<Hand>& hands, std::size_t flow, std::int64_t& steps) : steps_(steps) {
    const Hand& hand = hands[flow];
    all_ = (std::uint64_t{1} << hand.size()) - 1;
    std::set<std::uint64_t> seen;
    for (std::size_t other = 0; other < hands.size(); ++other) {
      if (other == flow) continue;
      std::uint64_t common = 0;
      for (std::size_t i = 0; i < hand.size(); ++i) {
        if (std::find(hands[other].begin(), hands[other].end(), hand[i]) != hands[other].end())
          common |= std::uint64_t{1} << i;
      }
      if (common != 0 && seen.insert(common).second) others_.push_back({common, other});
    }
  }

  std::vector<std::size_t> fewest(int most) {
    for (int count = 1; count <= most; ++count) {
      if (cover(all_, count)) return std::move(chosen_);
    }
    return {};
  }

 private:
  struct Other {
    std::uint64_t common;
    std::size_t flow;
  };

  bool cover(std::uint64_t left, int count) {
    if (left == 0) return true;
    if (count == 0 || --steps_ < 0) return false;
    const std::uint64_t first = left & (~left + 1);
    for (const Other& other : others_) {
      if (!(other.common & first)) continue;
      chosen_.push_back(other.flow);
      if (cover(left & ~other.common, count - 1)) return true;
      chosen_.pop_back();
    }
    return false;
  }

  std::vector<Other> others_;
  std::vector<std::size_t> chosen_;
  std::uint64_t all_ = 0;
  std::int64_t& steps_;
};

// Far more than what the flows of real configurations need.
constexpr std::size_t kMostFlows = 1000;
constexpr std::int64_t kMostSteps = 2'000'000;

}  // namespace

std::string KnownFlow::words() const { return distinguisher.empty() ? schema : schema + "/" + distinguisher; }

std::vector<KnownFlow> known_flows(const LintContext& context, std::string_view level) {
  std::vector<KnownFlow> out;
  const Reach& reach = context.reach();
  for (std::uint32_t i = 0; i < reach.consulted().size(); ++i) {
    const FlowSchema& schema = *reach.consulted()[i];
    if (schema.priority_level != level) continue;
    for (const std::string& name : Distinguishers(schema, reach.of(i)).list()) out.push_back({schema.meta.name, name});
  }
  return out;
}

Coverings find_coverings(const std::vector<KnownFlow>& flows, int queues, int hand_size, int most) {
  Coverings out;
  if (flows.size() > kMostFlows) return {{}, false};
  std::vector<Hand> hands;
  for (const KnownFlow& flow : flows)
    hands.push_back(deal_hand(flow_hash(flow.schema, flow.distinguisher), queues, hand_size));
  std::int64_t steps = kMostSteps;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    std::vector<std::size_t> by = CoverSearch(hands, i, steps).fewest(most);
    if (!by.empty()) out.found.push_back({i, std::move(by)});
  }
  out.complete = steps >= 0;
  sort_stably(out.found, [](const Covering& a, const Covering& b) { return a.by.size() < b.by.size(); });
  return out;
}

}  // namespace apf
