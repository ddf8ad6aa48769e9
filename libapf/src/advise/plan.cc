#include "advise/plan.h"

#include <apf/change.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace apf {

namespace {

constexpr double kCostOfLevel = 4, kCostOfLimit = 2, kCostOfNewLimit = 1.5, kCostOfSeats = 3, kPercentPoints = 50;
// More than that for a client that is to hurt others less takes too much from all other levels.
constexpr double kManyShares = 60;
constexpr int kFirstShares = 5, kLastNumber = 10000;  // of FlowSchemas: 1 … 10000
constexpr const char* kAccount = "system:serviceaccount:";
constexpr const char* kAllNodes = "system:node:*";
constexpr const char* kVersion = "flowcontrol.apiserver.k8s.io/v1";

// Nothing: part of a name.
std::optional<Subject> subject_of(const std::string& user) {
  if (user == kAllNodes) return Subject{"Group", {}, "system:nodes", {}};
  if (user.starts_with(kAccount)) {
    const std::string rest = user.substr(std::string(kAccount).size());
    const std::size_t colon = rest.find(':');
    if (colon == std::string::npos) return std::nullopt;
    const std::string name = rest.substr(colon + 1);
    if (name != "*" && name.find('*') != std::string::npos) return std::nullopt;
    return Subject{"ServiceAccount", {}, {}, Subject::ServiceAccount{rest.substr(0, colon), name}};
  }
  if (user.empty() || user.ends_with('*')) return std::nullopt;
  return Subject{"User", user, {}, {}};
}

// A name for objects: of system:serviceaccount:shop:order-sync order-sync.
std::string name_for(const Config& config, const std::string& user) {
  const std::string whole = user.ends_with(":*") ? user.substr(0, user.size() - 2) : user;
  const std::size_t last = whole.rfind(':');
  const auto taken = [&](const std::string& candidate) {
    const auto is = [&](const auto& object) { return object.meta.name == candidate; };
    return std::any_of(config.flow_schemas.begin(), config.flow_schemas.end(), is) ||
           std::any_of(config.priority_levels.begin(), config.priority_levels.end(), is);
  };
  // Of two accounts of one name, the second gets its namespace as well.
  std::string base = whole.substr(last + 1);
  if (taken(base) && last != std::string::npos && last > 0) base = whole.substr(whole.rfind(':', last - 1) + 1);
  std::string name;
  for (const char c : base) {
    const bool lower = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool upper = c >= 'A' && c <= 'Z';
    name += lower ? c : upper ? static_cast<char>(c - 'A' + 'a') : '-';
  }
  name.resize(std::min<std::size_t>(name.size(), 60));
  while (!name.empty() && name.front() == '-') name.erase(0, 1);
  while (!name.empty() && name.back() == '-') name.pop_back();
  if (name.empty()) name = "client";
  std::string out = name;
  for (int i = 2; taken(out); ++i) out = fmt::format("{}-{}", name, i);
  return out;
}

int shares_of(const Config& config) {
  std::int64_t sum = 0;
  for (const PriorityLevel& level : config.priority_levels) {
    if (level.limited) sum += level.limited->nominal_concurrency_shares.value_or(30);
    else if (level.exempt) sum += level.exempt->nominal_concurrency_shares.value_or(0);
  }
  return static_cast<int>(std::min<std::int64_t>(sum, 1 << 30));
}

void change_limited(LimitedLevel& limited, const SuggestChange& change) {
  switch (change.field) {
    case SuggestField::shares:
      limited.nominal_concurrency_shares = change.to;
      return;
    case SuggestField::borrowing:
      limited.borrowing_limit_percent.reset();
      if (change.to >= 0) limited.borrowing_limit_percent = change.to;
      return;
    case SuggestField::lendable:
      limited.lendable_percent = change.to;
      return;
    case SuggestField::queue_length:
      if (limited.queuing) limited.queuing->queue_length_limit = change.to;
      return;
    case SuggestField::queues:
      if (limited.queuing) limited.queuing->queues = change.to;
      return;
    case SuggestField::hand:
      if (limited.queuing) limited.queuing->hand_size = change.to;
      return;
    case SuggestField::level:
    case SuggestField::seats:
      return;
  }
}

auto place_of(const SuggestChange& change) { return std::tie(change.field, change.level); }

}  // namespace

PriorityLevel* find_level(Config& config, const std::string& name) {
  for (PriorityLevel& level : config.priority_levels)
    if (level.meta.name == name) return &level;
  return nullptr;
}

bool is_mandatory_level(const std::string& name) { return name == "exempt" || name == "catch-all"; }

FlowSchema schema_of(const SuggestChange& change) {
  FlowSchema out;
  out.meta.api_version = kVersion;
  out.meta.name = change.level;
  out.priority_level = change.level;
  out.matching_precedence = change.precedence;
  if (change.user.ends_with('*')) out.distinguisher_method = "ByUser";
  if (const std::optional<Subject> subject = subject_of(change.user))
    out.rules.push_back({{*subject}, {{{"*"}, {"*"}, {"*"}, {"*"}, true}}, {}});
  return out;
}

// A level that keeps its client within its seats, and lends half of them; or one that keeps its seats for its client.
PriorityLevel level_of(const SuggestChange& change) {
  PriorityLevel out;
  out.meta.api_version = kVersion;
  out.meta.name = change.level;
  out.type = "Limited";
  LimitedLevel& limited = out.limited.emplace();
  limited.nominal_concurrency_shares = change.to;
  limited.lendable_percent = change.keeps_seats ? 0 : 50;
  if (!change.keeps_seats) limited.borrowing_limit_percent = 0;
  limited.limit_response = "Queue";
  // Many flows: in 64 queues, hands of 4 rarely collide (APF401); a larger one would make lists narrower.
  limited.queuing = change.user.ends_with('*') ? Queuing{64, 4, change.keeps_seats ? 50 : 20}
                                               : Queuing{1, 1, change.keeps_seats ? 50 : 20};
  return out;
}

void apply_plan(const Plan& plan, ReplayOptions& options) {
  for (const SuggestChange& change : plan) {
    if (change.field == SuggestField::seats) {
      options.server_concurrency_limit = change.to;
      options.seats_by_log = false;
    } else if (change.field == SuggestField::level) {
      options.config.flow_schemas.push_back(schema_of(change));
      options.config.priority_levels.push_back(level_of(change));
    } else if (PriorityLevel* level = find_level(options.config, change.level); level && level->limited) {
      change_limited(*level->limited, change);
    }
  }
}

double cost_of(const SuggestChange& change) {
  if (change.field == SuggestField::level) {
    if (!change.keeps_seats) return kCostOfLevel + std::max(0.0, std::log2(change.to / kManyShares));
    return kCostOfLevel + static_cast<double>(change.to) / std::max(1.0, static_cast<double>(change.to) + change.from);
  }
  if (change.from == change.to) return 0;
  if (change.field == SuggestField::borrowing && change.to < 0) return kCostOfLimit;
  if (change.field == SuggestField::borrowing && change.from < 0) return kCostOfNewLimit;
  if (change.field == SuggestField::borrowing || change.field == SuggestField::lendable)
    return 1 + std::abs(change.to - change.from) / kPercentPoints;
  const double from = std::max(change.from, 1), to = std::max(change.to, 1);
  const double cost = 1 + std::abs(std::log2(to / from));
  return change.field == SuggestField::seats ? kCostOfSeats * cost : cost;
}

double cost_of(const Plan& plan) {
  double cost = 0;
  for (const SuggestChange& change : plan) cost += cost_of(change);
  return cost;
}

Plan without_change(Plan plan, const SuggestChange& change) {
  std::erase_if(plan, [&](const SuggestChange& c) { return place_of(c) == place_of(change); });
  return plan;
}

Plan with_change(Plan plan, const SuggestChange& change) {
  plan = without_change(std::move(plan), change);
  const auto before = [](const SuggestChange& a, const SuggestChange& b) { return place_of(a) < place_of(b); };
  plan.insert(std::upper_bound(plan.begin(), plan.end(), change, before), change);
  return plan;
}

std::string key_of(const Plan& plan) {
  std::string out;
  for (const SuggestChange& c : plan)
    out += fmt::format("{}/{}={}/{}/{}/{}\n", static_cast<int>(c.field), c.level, c.to, c.user, c.precedence,
                       c.keeps_seats);
  return out;
}

bool is_client(const std::string& pattern, const std::string& user) {
  return pattern.ends_with('*') ? user.starts_with(pattern.substr(0, pattern.size() - 1)) : user == pattern;
}

namespace {

// What is exempt stays so, and heartbeats and leader election stay where they are (APF202).
bool keeps_its_requests(const LadderLoss& loss, const Config& config) {
  if (loss.flow_schema == "system-node-high" || loss.flow_schema == "system-leader-election") return true;
  return std::any_of(config.priority_levels.begin(), config.priority_levels.end(), [&](const PriorityLevel& level) {
    return level.meta.name == loss.priority_level && level.type == "Exempt";
  });
}

// Numbers with which a FlowSchema gets the client's requests, if need be from FlowSchemas that are for it.
std::optional<LadderGap> room_of(const LadderPlace& place, const Config& config) {
  if (place.without_harm) return place.without_harm;
  if (place.for_all) return place.for_all;
  std::int32_t after = 0, before = kLastNumber + 1;
  for (const LadderLoss& loss : place.losses)
    if (keeps_its_requests(loss, config)) after = std::max(after, loss.matching_precedence);
  for (const LadderLoss& loss : place.losses)
    if (loss.matching_precedence > after) before = std::min(before, loss.matching_precedence);
  if (before - after < 2) return std::nullopt;
  return LadderGap{after + 1, before - 1};
}

}  // namespace

std::optional<SuggestChange> level_for(const Config& config, const std::string& user, bool keeps_seats) {
  if (!subject_of(user)) return std::nullopt;
  SuggestChange change;
  change.field = SuggestField::level;
  change.user = user;
  change.keeps_seats = keeps_seats;
  change.level = name_for(config, user);
  change.from = shares_of(config);
  change.to = kFirstShares;
  change.precedence = 1000;
  const std::optional<LadderGap> gap = room_of(place_on_ladder(config, schema_of(change), ""), config);
  if (!gap) return std::nullopt;
  // The last one that is round and nobody's, if there is one.
  const auto is_free = [&](int number) {
    return std::none_of(config.flow_schemas.begin(), config.flow_schemas.end(),
                        [&](const FlowSchema& schema) { return schema.matching_precedence == number; });
  };
  change.precedence = gap->last;
  for (const int step : {1000, 500, 100, 10, 1}) {
    int round = gap->last / step * step;
    while (round >= gap->first && !is_free(round)) round -= step;
    if (round < gap->first) continue;
    change.precedence = round;
    break;
  }
  return change;
}

}  // namespace apf
