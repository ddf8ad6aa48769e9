#include "advise/client_level.h"

#include <apf/change.h>
#include <fmt/core.h>

#include <algorithm>

#include "advise/plan.h"
#include "base/releases.h"

namespace apf {

namespace {

constexpr int kFirstShares = 5;
constexpr std::int32_t kBeforeAll = 1;  // the number of exempt, which no other FlowSchema may have
constexpr const char* kAccount = "system:serviceaccount:";
constexpr const char* kAccounts = "system:serviceaccounts:";
constexpr const char* kNodes = "system:nodes";
constexpr const char* kAllNodes = "system:node:*";
constexpr const char* kVersion = "flowcontrol.apiserver.k8s.io/v1";

// Nothing: part of a name.
std::optional<Subject> subject_of(const std::string& user) {
  if (user == kAllNodes) return Subject{"Group", {}, kNodes, {}};
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

// Whether all whom it names are the client, or clients that it stands for.
bool names_only(const Subject& subject, const std::string& user) {
  if (subject.service_account) {
    const auto& [ns, name] = *subject.service_account;
    return is_client(user, kAccount + ns + ":" + name);
  }
  if (subject.user) return *subject.user != "*" && is_client(user, *subject.user);
  if (!subject.group) return false;
  if (user == kAllNodes) return *subject.group == kNodes;
  return user.starts_with(kAccount) && user.ends_with(":*") &&
         *subject.group ==
             kAccounts + user.substr(std::string(kAccount).size(), user.size() - std::string(kAccount).size() - 2);
}

bool is_for_only(const FlowSchema& schema, const std::string& user) {
  return std::all_of(schema.rules.begin(), schema.rules.end(), [&](const PolicyRule& rule) {
    return std::all_of(rule.subjects.begin(), rule.subjects.end(),
                       [&](const Subject& subject) { return names_only(subject, user); });
  });
}

// The numbers behind those that are to come first, and before the first of those that have these requests now.
std::optional<LadderGap> room_of(const LadderPlace& place, const Config& config, const ClientRequests& requests) {
  if (!requests.first_other) return std::nullopt;
  const std::int32_t before = requests.first_other->matching_precedence;
  std::int32_t after = requests.last_own ? requests.last_own->matching_precedence : kBeforeAll;
  for (const LadderLoss& loss : place.losses)
    if (loss.matching_precedence < before && keeps_its_requests(config, loss.flow_schema))
      after = std::max(after, loss.matching_precedence);
  if (before - after < 2) return std::nullopt;
  const LadderGap all{after + 1, before - 1};
  if (!place.without_harm) return all;
  const LadderGap both{std::max(all.first, place.without_harm->first), std::min(all.last, place.without_harm->last)};
  return both.first <= both.last ? both : all;
}

}  // namespace

bool is_client(const std::string& pattern, const std::string& user) {
  return pattern.ends_with('*') ? user.starts_with(pattern.substr(0, pattern.size() - 1)) : user == pattern;
}

bool is_one_of(const std::vector<std::string>& clients, const std::string& user) {
  return std::any_of(clients.begin(), clients.end(), [&](const std::string& c) { return is_client(c, user); });
}

bool can_be_named(const std::string& user) { return subject_of(user).has_value(); }

std::vector<std::string> own_levels(const Config& config, const std::string& user) {
  std::vector<std::string> out;
  for (const PriorityLevel& level : config.priority_levels) {
    const std::string& name = level.meta.name;
    if (!level.limited || is_mandatory_level(name)) continue;
    bool any = false, others = false;
    for (const FlowSchema& schema : config.flow_schemas) {
      if (schema.priority_level != name || schema.rules.empty()) continue;
      any = true;
      others = others || !is_for_only(schema, user);
    }
    if (any && !others) out.push_back(name);
  }
  return out;
}

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
PriorityLevel level_of(const SuggestChange& change, KubeVersion version) {
  PriorityLevel out;
  out.meta.api_version = kVersion;
  out.meta.name = change.level;
  out.type = "Limited";
  LimitedLevel& limited = out.limited.emplace();
  limited.nominal_concurrency_shares = change.to;
  if (has(version, Feature::borrowing)) {
    limited.lendable_percent = change.keeps_seats ? 0 : kIsolatedLendPercent;
    if (!change.keeps_seats) limited.borrowing_limit_percent = 0;
  }
  limited.limit_response = "Queue";
  // Many flows: in 64 queues, hands of 4 rarely collide (APF401); a larger one would make lists narrower.
  limited.queuing = change.user.ends_with('*') ? Queuing{64, 4, change.keeps_seats ? 50 : 20}
                                               : Queuing{1, 1, change.keeps_seats ? 50 : 20};
  return out;
}

std::optional<SuggestChange> level_for(const Config& config, const std::string& user, bool keeps_seats,
                                       const ClientRequests& requests) {
  if (!can_be_named(user)) return std::nullopt;
  SuggestChange change;
  change.field = SuggestField::level;
  change.user = user;
  change.keeps_seats = keeps_seats;
  change.level = name_for(config, user);
  change.from = shares_of(config);
  change.to = kFirstShares;
  change.precedence = 1000;
  const std::optional<LadderGap> gap = room_of(place_on_ladder(config, schema_of(change), ""), config, requests);
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
