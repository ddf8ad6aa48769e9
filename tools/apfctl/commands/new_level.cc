#include "commands/new_level.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include <apf/change.h>
#include <apf/error.h>
#include <apf/limits.h>
#include <apf/output.h>
#include <apf/report.h>

#include "commands/new_texts.h"
#include "shared/words.h"

namespace apfctl {

namespace {

constexpr std::size_t kCommentWidth = 100;

// How requests of the level wait. A flow that is alone in its level needs no other queue, but places for a burst.
struct Queuing {
  int queues = 1, hand_size = 1, length = 50;
};

bool is_one_user(const apf::Subject& subject) {
  return subject.user || (subject.service_account && subject.service_account->name != "*");
}

// With 64 queues, four heavy flows fill a light one's hand of 3 or more less than once in a hundred times. A request
// may take a hand's part of the seats: a smaller hand where there are few.
Queuing queuing_for(const NewLevel& wanted, int nominal) {
  if (wanted.subjects.size() == 1 && is_one_user(wanted.subjects.front())) return {1, 1, std::max(50, 5 * nominal)};
  return {64, std::clamp(nominal / 2, 3, 6), 50};
}

std::string comment(const std::string& text) {
  std::string out = "# " + apf::wrapped(text, kCommentWidth, 0) + "\n";
  for (std::size_t at = out.find('\n'); at + 1 < out.size(); at = out.find('\n', at + 1)) out.insert(at + 1, "# ");
  return out;
}

// The roundest number, and of these the last one.
int round_number_in(const apf::LadderGap& gap) {
  for (int step = 1000; step > 1; step /= 10)
    if (const int number = gap.last / step * step; number >= gap.first) return number;
  return gap.last;
}

struct Place {
  int precedence = 0;
  std::string why;
};

// Before the first FlowSchema of the configuration's own that takes something of it.
std::optional<apf::LadderGap> before_own(const apf::LadderPlace& place, const apf::Config& config,
                                         apf::KubeVersion version) {
  const apf::Config builtin = apf::bootstrap_config(version);
  for (const apf::LadderLoss& loss : place.losses) {
    const bool own = std::none_of(builtin.flow_schemas.begin(), builtin.flow_schemas.end(),
                                  [&](const apf::FlowSchema& schema) { return schema.meta.name == loss.flow_schema; });
    if (!own) continue;
    apf::LadderGap gap{1, loss.matching_precedence - 1};
    for (const apf::LadderStep& step : apf::make_ladder(config).steps)
      if (step.matching_precedence < loss.matching_precedence) gap.first = step.matching_precedence + 1;
    if (gap.first <= gap.last) return gap;
  }
  return std::nullopt;
}

Place place_for(const NewLevel& wanted, const apf::Config& config, const apf::FlowSchema& schema) {
  const apf::LadderPlace place = apf::place_on_ladder(config, schema, wanted.server_flags);
  std::optional<apf::LadderGap> gap = place.without_harm;
  if (!gap) gap = before_own(place, config, wanted.version);
  if (!gap)
    throw apf::Error("the server's own FlowSchemas take all requests of " + join(wanted.who) +
                     ", and should: 'apfctl ladder" + wanted.server_flags + "' shows them");
  Place out{round_number_in(*gap), {}};
  out.why = fmt::format("{} is free: the server asks FlowSchemas in the order of this number, the smallest first.",
                        out.precedence);
  std::vector<std::string> first;
  for (const apf::LadderLoss& loss : place.losses)
    if (loss.matching_precedence >= out.precedence)
      first.push_back(fmt::format("{} ({})", loss.flow_schema, loss.matching_precedence));
  if (!first.empty()) out.why += fmt::format(" Without this one, these requests go to {}.", join(first));
  std::vector<std::string> kept;
  for (const apf::LadderLoss& loss : place.losses)
    if (loss.matching_precedence < out.precedence)
      kept.push_back(fmt::format("{} ({})", loss.flow_schema, loss.matching_precedence));
  if (!kept.empty()) out.why += fmt::format(" {} still comes before it, and keeps what it takes.", join(kept));
  return out;
}

apf::FlowSchema schema_of(const NewLevel& wanted) {
  apf::FlowSchema out;
  out.meta.name = wanted.name;
  out.priority_level = wanted.name;
  out.rules.push_back({wanted.subjects, {{{"*"}, {"*"}, {"*"}, {"*"}, true}}, {{{"*"}, {"*"}}}});
  return out;
}

const apf::LevelLimits* find_level(const apf::LimitsTable& table, const std::string& name) {
  const auto at = std::find_if(table.levels.begin(), table.levels.end(),
                               [&](const apf::LevelLimits& level) { return level.name == name; });
  return at == table.levels.end() ? nullptr : &*at;
}

apf::LimitsTable limits_with(const NewLevel& wanted, const apf::Config& config, int shares) {
  apf::Config with = config;
  apf::PriorityLevel level;
  level.meta.name = wanted.name;
  level.type = "Limited";
  level.limited.emplace();
  level.limited->nominal_concurrency_shares = shares;
  level.limited->limit_response = "Reject";  // how requests wait does not change seats
  with.priority_levels.push_back(std::move(level));
  return apf::compute_limits(with, wanted.server_seats, wanted.version);
}

// The fewest shares that give so many seats.
int shares_for(const NewLevel& wanted, const apf::Config& config) {
  const auto seats = [&](int shares) {
    const apf::LimitsTable table = limits_with(wanted, config, shares);
    const apf::LevelLimits* level = find_level(table, wanted.name);
    return level ? level->nominal_cl : 0;
  };
  constexpr int kMostShares = 1'000'000;
  if (seats(kMostShares) < wanted.seats)
    throw apf::Error(fmt::format("--seats {}: the server has {} seats, and its other levels need some of them",
                                 wanted.seats, wanted.server_seats));
  int least = 1, most = kMostShares;
  while (least < most) {
    const int middle = least + (most - least) / 2;
    if (seats(middle) >= wanted.seats) most = middle;
    else least = middle + 1;
  }
  return least;
}

std::string quoted(const std::string& text) { return apf::JsonWriter().value(text).take(); }

std::string subject_text(const apf::Subject& subject) {
  std::string out = "        - kind: " + subject.kind + "\n";
  if (subject.user) out += "          user:\n            name: " + quoted(*subject.user) + "\n";
  if (subject.group) out += "          group:\n            name: " + quoted(*subject.group) + "\n";
  if (subject.service_account)
    out += "          serviceAccount:\n            namespace: " + quoted(subject.service_account->ns) +
           "\n            name: " + quoted(subject.service_account->name) + "\n";
  return out;
}

std::string schema_text(const NewLevel& wanted, const apf::Config& config, bool one_flow) {
  const Place place = place_for(wanted, config, schema_of(wanted));
  std::string out = comment(fmt::format("All requests of {} go to a level of their own.", join(wanted.who)));
  out += fmt::format(
      "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata:\n  name: {0}\nspec:\n"
      "  priorityLevelConfiguration:\n    name: {0}\n",
      yaml_name(wanted.name));
  std::string why = comment(place.why);
  for (std::size_t at = 0; at != std::string::npos && at < why.size();) {
    why.insert(at, "  ");
    at = why.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  out += why + fmt::format("  matchingPrecedence: {}\n", place.precedence);
  if (!one_flow)
    out +=
        "  # Each user is a flow: a busy one fills its own queues. ByNamespace makes one of each namespace.\n"
        "  distinguisherMethod:\n    type: ByUser\n";
  out += "  rules:\n    - subjects:\n";
  for (const apf::Subject& subject : wanted.subjects) out += subject_text(subject);
  return out +
         "      resourceRules:\n        - verbs: [\"*\"]\n          apiGroups: [\"*\"]\n          resources: [\"*\"]\n"
         "          namespaces: [\"*\"]\n          clusterScope: true\n"
         "      nonResourceRules:\n        - verbs: [\"*\"]\n          nonResourceURLs: [\"*\"]\n";
}

std::string level_text(const NewLevel& wanted, const apf::Config& config) {
  const int shares = shares_for(wanted, config);
  const apf::LimitsTable before = apf::compute_limits(config, wanted.server_seats, wanted.version),
                         after = limits_with(wanted, config, shares);
  const int nominal = find_level(after, wanted.name)->nominal_cl;
  const Queuing queuing = queuing_for(wanted, nominal);
  std::vector<std::string> less;
  for (const apf::LevelLimits& level : before.levels)
    if (const apf::LevelLimits* now = find_level(after, level.name); now && now->nominal_cl < level.nominal_cl)
      less.push_back(fmt::format("{} {} -> {}", level.name, level.nominal_cl, now->nominal_cl));
  std::string seats = fmt::format("{} of the {} seats of a server", nominal, wanted.server_seats);
  seats += " (--max-requests-inflight plus --max-mutating-requests-inflight of kube-apiserver)";
  std::string out = comment(seats + (less.empty() ? "." : "; the others get less: " + join(less) + "."));
  out += fmt::format(
      "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata:\n  name: {}\nspec:\n"
      "  type: Limited\n  limited:\n    nominalConcurrencyShares: {}\n"
      "    # Other levels may use half of the seats while they are idle here.\n    lendablePercent: 50\n"
      "    # As many as others lend; with 0 it never has more than its own.\n    # borrowingLimitPercent: 0\n"
      "    limitResponse:\n      type: Queue\n      queuing:\n        queues: {}\n",
      yaml_name(wanted.name), shares, queuing.queues);
  if (queuing.queues > 1)
    out += fmt::format("        # Of {} queues a flow gets {}: how likely others fill them, 'apfctl hand' says.\n",
                       queuing.queues, queuing.hand_size);
  return out + fmt::format("        handSize: {}\n        queueLengthLimit: {}\n", queuing.hand_size, queuing.length);
}

}  // namespace

std::string new_level_text(const NewLevel& wanted, const apf::Config& config) {
  const auto has_name = [&](const auto& object) { return object.meta.name == wanted.name; };
  if (std::any_of(config.flow_schemas.begin(), config.flow_schemas.end(), has_name) ||
      std::any_of(config.priority_levels.begin(), config.priority_levels.end(), has_name))
    throw apf::Error("there is a FlowSchema or level " + wanted.name + " already");
  const bool one_flow = wanted.subjects.size() == 1 && is_one_user(wanted.subjects.front());
  return schema_text(wanted, config, one_flow) + "---\n" + level_text(wanted, config);
}

}  // namespace apfctl
