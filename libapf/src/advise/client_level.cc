#include "advise/client_level.h"

#include <apf/change.h>
#include <fmt/core.h>

#include <algorithm>

#include "advise/clients.h"
#include "base/identities.h"
#include "base/releases.h"

namespace apf {

namespace {

constexpr int kFirstShares = 5;
constexpr std::int32_t kBeforeAll = 1;  // the number of exempt, which no other FlowSchema may have
constexpr std::int32_t kAnyNumber = 1000;
constexpr const char* kVersion = "flowcontrol.apiserver.k8s.io/v1";

// A name for objects: of system:serviceaccount:shop:order-sync shop-order-sync.
std::string name_for(const Config& config, const std::string& user, bool with_schema) {
  const std::string whole = user.ends_with(":*") ? user.substr(0, user.size() - 2) : user;
  const auto taken = [&](const std::string& candidate) {
    const auto is = [&](const auto& object) { return object.meta.name == candidate; };
    return (with_schema && std::any_of(config.flow_schemas.begin(), config.flow_schemas.end(), is)) ||
           std::any_of(config.priority_levels.begin(), config.priority_levels.end(), is);
  };
  const std::string base = whole.starts_with(kServiceAccountPrefix) ? whole.substr(kServiceAccountPrefix.size())
                                                                    : whole.substr(whole.rfind(':') + 1);
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

// The numbers behind those that are to come first, and before the first of those that have these requests now.
std::optional<LadderGap> room_of(const LadderPlace& place, const Config& config, const ClientRequests& requests) {
  const std::int32_t before = requests.first_other->matching_precedence;
  std::int32_t after = requests.last_before() ? requests.last_before()->matching_precedence : kBeforeAll;
  // Also of those that keep requests that this log happens not to have.
  for (const LadderLoss& loss : place.losses)
    if (loss.matching_precedence < before && keeps_its_requests(config, loss.flow_schema))
      after = std::max(after, loss.matching_precedence);
  if (before - after < 2) return std::nullopt;
  const LadderGap all{after + 1, before - 1};
  if (!place.without_harm) return all;
  const LadderGap both{std::max(all.first, place.without_harm->first), std::min(all.last, place.without_harm->last)};
  return both.first <= both.last ? both : all;
}

// The last number that is round and nobody's, with room for so many more behind it, if there is one; else the last.
// lint looks at built-in FlowSchemas whether the server has them or not.
std::int32_t choose(const LadderGap& gap, const ReplayOptions& options, std::size_t followers) {
  const Config builtins = bootstrap_config(options.version);
  const auto is_free = [&](std::int32_t number) {
    const auto has_it = [&](const FlowSchema& schema) { return schema.matching_precedence == number; };
    return std::none_of(options.config.flow_schemas.begin(), options.config.flow_schemas.end(), has_it) &&
           std::none_of(builtins.flow_schemas.begin(), builtins.flow_schemas.end(), has_it);
  };
  std::int32_t last = gap.last;
  for (std::size_t left = followers; left > 0 && last > gap.first; --last)
    if (is_free(last)) --left;
  for (const std::int32_t step : {1000, 500, 100, 10, 1}) {
    std::int32_t round = last / step * step;
    while (round >= gap.first && !is_free(round)) round -= step;
    if (round >= gap.first) return round;
  }
  return followers > 0 ? choose(gap, options, followers - 1) : gap.last;
}

}  // namespace

FlowSchema schema_of(const SuggestChange& change) {
  FlowSchema out;
  out.meta.api_version = kVersion;
  out.meta.name = change.level;
  out.priority_level = change.level;
  out.matching_precedence = change.precedence;
  if (change.user.ends_with('*')) out.distinguisher_method = "ByUser";
  if (const std::optional<Subject> subject = subject_of(change.user))
    out.rules.push_back({{*subject}, {{{"*"}, {"*"}, {"*"}, {"*"}, true}}, {{{"*"}, {"*"}}}});
  return out;
}

int kept_lend_percent(const SuggestChange& level) {
  constexpr std::int64_t kLargePart = 5;
  constexpr int kTenth = 10;
  const std::int64_t shares = level.to;
  return shares * kLargePart >= level.from + shares ? kTenth : 0;
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
    limited.lendable_percent = change.keeps_seats ? kept_lend_percent(change) : kIsolatedLendPercent;
    if (!change.keeps_seats) limited.borrowing_limit_percent = 0;
  }
  limited.limit_response = "Queue";
  // Many flows: in 64 queues, hands of 4 rarely collide (APF401); a larger one would make lists narrower.
  limited.queuing = change.user.ends_with('*') ? Queuing{64, 4, change.keeps_seats ? 50 : 20}
                                               : Queuing{1, 1, change.keeps_seats ? 50 : 20};
  return out;
}

std::optional<SuggestChange> level_for(const ReplayOptions& options, const std::string& user, bool keeps_seats,
                                       const ClientRequests& requests, std::size_t followers) {
  if (!subject_of(user) || !requests.need_a_level()) return std::nullopt;
  SuggestChange change;
  change.field = SuggestField::level;
  change.user = user;
  change.keeps_seats = keeps_seats;
  change.level = name_for(options.config, user, requests.first_other.has_value());
  change.from = shares_of(options.config);
  change.to = kFirstShares;
  change.flow_schemas = requests.own_schemas;
  if (!requests.first_other) return change;
  change.precedence = kAnyNumber;
  const LadderPlace place = place_on_ladder(options.config, schema_of(change), "");
  const std::optional<LadderGap> gap = room_of(place, options.config, requests);
  if (!gap) return std::nullopt;
  change.precedence = choose(*gap, options, followers);
  return change;
}

}  // namespace apf
