// APF312: much of the server is kept by levels that lend nothing of it.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/releases.h"
#include "config/tree.h"
#include "lint/given_levels.h"

namespace apf {

namespace {

constexpr int kLeastPart = 4;  // a quarter of the seats

struct Withholding {
  const PriorityLevel* level = nullptr;
  std::string field;
  int seats = 0;
};

// Where it is not written, at the shares.
std::string place_of_percent(const PriorityLevel& level, const char* percent, const std::string& shares) {
  return find_field(*level.meta.source.tree, percent).exact ? percent : shares;
}

// The given levels that lend nothing, the largest first.
std::vector<Withholding> withholding_levels(const LintContext& context) {
  std::vector<Withholding> out;
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    if (limits.lendable_cl == 0 && limits.nominal_cl > 0)
      out.push_back({given.level,
                     place_of_percent(*given.level, "spec.limited.lendablePercent", shares_field(*given.level)),
                     limits.nominal_cl});
  }
  for (const PriorityLevel& level : context.stored.priority_levels) {
    const LevelLimits* limits = level.type == "Exempt" ? limits_of(context.limits, level.meta.name) : nullptr;
    if (limits && limits->exempt && limits->min_cl > 0)
      out.push_back({&level,
                     place_of_percent(level, "spec.exempt.lendablePercent", "spec.exempt.nominalConcurrencyShares"),
                     limits->min_cl});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Withholding& a, const Withholding& b) { return a.seats > b.seats; });
  return out;
}

void check_withheld_seats(const LintContext& context, Findings& findings) {
  if (!has(context.options.version, Feature::borrowing)) return;
  const std::vector<Withholding> levels = withholding_levels(context);
  std::int64_t sum = 0;
  for (const Withholding& one : levels) sum += one.seats;
  const int total = context.limits.server_concurrency_limit;
  if (levels.empty() || kLeastPart * sum < total) return;
  const Withholding& first = levels.front();
  Diagnostic& d = findings.add(
      *first.level, first.field,
      levels.size() == 1
          ? fmt::format("this level keeps {} of the {} seats to itself even while it is idle: it lends none", sum,
                        total)
          : fmt::format("{} levels keep {} of the {} seats to themselves even while they are idle: they lend none",
                        levels.size(), sum, total));
  for (std::size_t i = 1; i < levels.size(); ++i)
    d.notes.push_back(
        note_at(levels[i].level->meta, levels[i].field,
                fmt::format("\"{}\" keeps {}", levels[i].level->meta.name, count_of(levels[i].seats, "seat"))));
  d.notes.push_back(
      {"without lendablePercent a level lends nothing; with 50 it lends half of what it doesn't use, and "
       "takes it back when it needs it",
       {}});
}

}  // namespace

extern const Rule rule_withheld_seats = {
    .code = "APF312",
    .name = "withheld-seats",
    .severity = Severity::warning,
    .group = RuleGroup::concurrency,
    .summary = "a quarter of the seats or more is never lent",
    .what = R"(The given levels with lendablePercent 0, or without it, have a quarter of the server's seats or more
together. Of the exempt level, the seats that it doesn't lend count.)",
    .why = R"(What a level doesn't lend stays unused while it has nothing to do, and the other levels wait or reject
with fewer seats. The built-in levels lend half of their seats or more, but for those of leader election and
catch-all.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: platform
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 200
    limitResponse:
      type: Queue
      queuing: {}
)",
    .instead = R"(    nominalConcurrencyShares: 200
    lendablePercent: 50
)",
    .check = check_withheld_seats,
};

}  // namespace apf
