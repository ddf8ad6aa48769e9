// Where FlowSchemas meet: equal precedence, parts taken by broader ones, and what none takes.
#include <algorithm>
#include <set>

#include "lint/reach/reach.h"

namespace apf {

namespace {

constexpr std::size_t kMaxOverlaps = 4;          // reported for one FlowSchema
constexpr std::size_t kMaxTried = 32;            // other parts that one part is compared with
constexpr std::size_t kMaxTriedCommonBoxes = 4;  // of what two parts have in common, for a request that looks real

}  // namespace

// A request that both parts match and that the schema `winner` takes, if there is a real one.
std::optional<Witness> Reach::common_request(const ReachUser& user, const ReachPart& a, const ReachPart& b,
                                             std::uint32_t winner) const {
  const ReachTarget common = reach_index_->common_target(a, b);
  const Rest rest = subtract(user, common, winner, Effort::within_budget);
  for (std::size_t i = 0; i < std::min(rest.region.boxes().size(), kMaxTriedCommonBoxes); ++i) {
    std::optional<Witness> witness = witness_of(user, within(common, rest.region.boxes()[i]), winner);
    if (witness && !witness->command.empty()) return witness;
  }
  return std::nullopt;
}

// Each schema of those that the part meets for the user, up to kMaxOverlaps in `met`.
void Reach::add_overlaps(const ReachUser& user, const ReachPart& part, ReachIndex::Meeting& meeting,
                         std::set<std::uint32_t>& met, std::vector<Overlap>& out) const {
  std::size_t tried = 0;
  for (auto found = meeting.next(); !found.empty(); found = meeting.next()) {
    for (const std::uint32_t number : found) {
      const ReachPart& other = reach_index_->parts()[number];
      if (other.schema == part.schema || met.contains(other.schema)) continue;
      if (++tried > kMaxTried) return;
      const std::uint32_t winner = std::min(part.schema, other.schema);
      std::optional<Witness> witness = common_request(user, part, other, winner);
      if (!witness) continue;
      met.insert(other.schema);
      out.push_back({consulted_[winner], consulted_[std::max(part.schema, other.schema)], std::move(*witness)});
      if (met.size() >= kMaxOverlaps) return;
    }
  }
}

void Reach::overlaps_of(std::uint32_t schema, std::uint32_t group_begin, std::uint32_t group_end,
                        std::vector<Overlap>& out) const {
  const std::vector<PolicyRule>& rules = consulted_[schema]->rules;
  std::set<std::uint32_t> met;
  for (std::uint32_t r = 0; r < rules.size(); ++r) {
    const auto [begin, end] = reach_index_->parts_of(schema, r);
    for (const Subject& subject : rules[r].subjects) {
      for (const ReachUser& user : reach_index_->least_users(subject)) {
        for (std::uint32_t number = begin; number < end; ++number) {
          if (met.size() >= kMaxOverlaps || budget_ <= 0) return;
          const ReachPart& part = reach_index_->parts()[number];
          ReachIndex::Meeting meeting(*reach_index_, user, part, group_begin, group_end);
          add_overlaps(user, part, meeting, met, out);
          budget_ -= 1 + static_cast<std::int64_t>(meeting.looked_at());
        }
      }
    }
  }
}

std::vector<Overlap> Reach::equal_precedence_overlaps() const {
  std::vector<Overlap> found, out;
  for (std::uint32_t begin = 0, end = 0; begin < consulted_.size(); begin = end) {
    while (end < consulted_.size() && consulted_[end]->matching_precedence == consulted_[begin]->matching_precedence)
      ++end;
    if (end - begin < 2) continue;
    for (std::uint32_t schema = begin; schema < end; ++schema) overlaps_of(schema, begin, end, found);
  }
  // Each pair once, though it may be found from both sides.
  std::set<std::pair<const FlowSchema*, const FlowSchema*>> seen;
  for (Overlap& overlap : found) {
    if (seen.emplace(overlap.winner, overlap.other).second) out.push_back(std::move(overlap));
  }
  return out;
}

std::vector<Witness> Reach::gaps() const {
  static const std::vector<std::string> resource_verbs = {"get",    "list",  "watch",  "create",
                                                          "update", "patch", "delete", "deletecollection"};
  static const std::vector<std::string> url_verbs = {"get", "post", "put", "delete"};
  std::vector<Witness> out;
  const std::optional<std::uint32_t> catch_all = index_of("catch-all");
  const auto try_point = [&](const ReachUser& user, const ReachTarget& point) {
    const std::uint32_t taker = reach_index_->first_match(user, point);
    if (taker != UINT32_MAX && taker != catch_all) return false;
    std::optional<Witness> witness = witness_of(user, point, taker);
    if (!witness || witness->command.empty()) return false;
    out.push_back(std::move(*witness));
    return true;
  };
  const auto try_user = [&](const ReachUser& user) {
    ReachTarget point;
    point.values[kGroupSide] = point.values[kResourceSide] = {kUnnamed};
    for (const std::string& verb : resource_verbs) {
      point.values[kVerbSide] = {reach_index_->find(verb)};
      for (const std::uint32_t ns : {kUnnamed, kNoNamespace}) {
        point.values[kNamespaceSide] = {ns};
        if (try_point(user, point)) return;
      }
    }
    RequestInfo anywhere;
    anywhere.path = "/" + reach_index_->unnamed();
    point = reach_index_->target_of(anywhere);
    for (const std::string& verb : url_verbs) {
      point.values[kVerbSide] = {reach_index_->find(verb)};
      if (try_point(user, point)) return;
    }
  };
  for (const char* group : {"system:authenticated", "system:serviceaccounts", "system:unauthenticated"}) {
    for (const ReachUser& user : reach_index_->least_users({"Group", {}, group, {}})) try_user(user);
  }
  return out;
}

std::optional<Witness> Reach::taken_from(std::uint32_t schema, std::uint32_t rule, std::uint32_t subject,
                                         std::uint32_t part, std::uint32_t by_part) const {
  const auto [begin, end] = reach_index_->parts_of(schema, rule);
  if (begin + part >= end) return std::nullopt;
  const ReachPart& by = reach_index_->parts()[by_part];
  for (const ReachUser& user : reach_index_->least_users(consulted_[schema]->rules[rule].subjects[subject])) {
    std::optional<Witness> witness = common_request(user, reach_index_->parts()[begin + part], by, by.schema);
    if (witness) return witness;
  }
  return std::nullopt;
}

}  // namespace apf
