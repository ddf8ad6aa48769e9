#include "replay/passes/harm.h"

#include <algorithm>
#include <cmath>

#include "base/identities.h"

namespace apf {

namespace {

constexpr Nanos kLongWait = kSecond;
constexpr Nanos kNoticedWait = 10 * kMillisecond;  // machines delay requests by as much
constexpr double kScatters = 2;                    // so many standard errors of the mean are beyond chance

std::uint64_t refusals_of(const RequestTally& tally) { return tally.rejected() - tally.outcomes[Outcome::gave_up]; }

}  // namespace

bool is_protected_level(const std::string& level) {
  return level == "workload-high" || level == "system" || level == "node-high" || level == "leader-election";
}

bool is_protected(const FlowReport& flow) {
  return is_control_plane(flow.user) || is_protected_level(flow.priority_level);
}

Harm& Harm::operator+=(const Harm& other) {
  for (std::size_t kind = 0; kind < of.size(); ++kind) of[kind] += other.of[kind];
  return *this;
}

Harm harm_of(const ReplayReport& report, const IsIsolated& is_isolated) {
  Harm out;
  for (const FlowReport& flow : report.all_flows) {
    const RequestTally& tally = flow.tally;
    const auto refused = static_cast<std::int64_t>(refusals_of(tally));
    const std::uint64_t late = tally.outcomes[Outcome::time_out] + tally.outcomes[Outcome::cancelled];
    const auto waited_beyond = [&](Nanos bound) {
      return static_cast<std::int64_t>(tally.wait.count() -
                                       std::min(tally.wait.count(), tally.wait.count_up_to(bound)));
    };
    const auto noticed = std::max<std::int64_t>(0, waited_beyond(kNoticedWait) - static_cast<std::int64_t>(late));
    if (is_isolated(flow)) {
      out.of[Harm::isolated] += refused + noticed;
      continue;
    }
    const auto is_long = std::max<std::int64_t>(0, waited_beyond(kLongWait) - static_cast<std::int64_t>(late));
    out.of[is_protected(flow) ? Harm::refused_protected : Harm::refused] += refused;
    out.of[Harm::long_waits] += is_long;
    out.of[Harm::waits] += noticed - std::min(noticed, is_long);
  }
  return out;
}

std::map<std::string, std::uint64_t> protected_refusals(const ReplayReport& report) {
  std::map<std::string, std::uint64_t> out;
  for (const FlowReport& flow : report.all_flows)
    if (is_protected(flow)) out[flow.user.empty() ? flow.flow_schema : flow.user] += refusals_of(flow.tally);
  return out;
}

int paired_difference(const std::vector<double>& differences, double least) {
  if (differences.empty()) return 0;
  const auto count = static_cast<double>(differences.size());
  double sum = 0, squares = 0;
  bool all_more = true, all_less = true;
  for (const double difference : differences) {
    sum += difference;
    squares += difference * difference;
    all_more = all_more && difference > least;
    all_less = all_less && difference < -least;
  }
  const double mean = sum / count;
  if (all_more || all_less) return all_more ? 1 : -1;
  if (differences.size() < 2 || std::abs(mean) <= least) return 0;
  const double variance = std::max(0.0, squares - sum * mean) / (count - 1);
  if (std::abs(mean) <= kScatters * std::sqrt(variance / count)) return 0;
  return mean > 0 ? 1 : -1;
}

int paired_harm(const std::vector<Harm>& before, const std::vector<Harm>& after) {
  for (std::size_t kind = 0; kind < Harm::isolated; ++kind) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i)
      differences.push_back(static_cast<double>(after[i].of[kind] - before[i].of[kind]));
    if (const int sign = paired_difference(differences, 0); sign != 0) return sign;
  }
  return 0;
}

}  // namespace apf
