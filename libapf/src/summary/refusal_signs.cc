#include "summary/refusal_signs.h"

#include <algorithm>
#include <string_view>

namespace apf {
namespace {

using Filter = RefusalEvidence::Filter;

// API Priority and Fairness refuses at some levels while others are served; max-in-flight refuses whoever comes then.
constexpr std::uint64_t kLeastServed = 50;
constexpr std::uint64_t kPartRefused = 4;  // one of
// Between refusals that are farther apart max-in-flight, too, may have had room.
constexpr Nanos kClose = 50 * kMillisecond;

std::uint64_t requests_with(const LogSummary& s, AnswerCause cause) {
  std::uint64_t out = 0;
  for (const LogAnswers& answers : s.answers) out += answers.cause == cause ? answers.requests : 0;
  return out;
}

bool is_switched_off(const LogStat& stat) {
  const auto value = [&](const char* flag) {
    const auto at = stat.server_flags.find(flag);
    return at == stat.server_flags.end() ? std::string_view() : std::string_view(at->second);
  };
  return value("enable-priority-and-fairness") == "false" ||
         value("feature-gates").find("APIPriorityAndFairness=false") != std::string_view::npos;
}

// By lines of the server's own log that only its flow controller writes, and by what the requests say.
Filter filter_of(const LogSummary& s, std::optional<bool> apf_on) {
  if (apf_on) return *apf_on ? Filter::on : Filter::off;
  const LogStat& stat = s.stat;
  if (is_switched_off(stat)) return Filter::off;
  const std::uint64_t waited =
      requests_with(s, AnswerCause::apf) + requests_with(s, AnswerCause::hung_up) + s.total.waited;
  if (waited + stat.with_flow_schema + stat.rebalancings + stat.limit_changes + stat.starts + stat.configurations > 0)
    return Filter::on;
  return requests_with(s, AnswerCause::max_in_flight) > 0 ? Filter::off : Filter::unknown;
}

bool is_exempt(const Config* config, std::string_view level) {
  if (config == nullptr) return level == "exempt";
  return std::any_of(config->priority_levels.begin(), config->priority_levels.end(),
                     [&](const auto& one) { return one.meta.name == level && one.type == "Exempt"; });
}

}  // namespace

void RefusalSigns::add(const RequestFacts& facts, AnswerCause cause, bool mutating, bool decided) {
  decided_ |= decided;
  if (cause == AnswerCause::unknown && facts.answered && *facts.answered > facts.arrival) {
    ++timed_;
    shortest_ = std::min(shortest_, *facts.answered - facts.arrival);
    longest_ = std::max(longest_, *facts.answered - facts.arrival);
  }
  without_level_ += cause == AnswerCause::max_in_flight ? 1 : 0;  // of the server's own log
  const bool at_once = cause == AnswerCause::apf_or_max_in_flight;
  Level& level = level_of(all_, facts.level);
  ++level.requests;
  level.refused += facts.refused ? 1 : 0;
  add_meanwhile(kinds_[mutating ? 1 : 0], facts.level, facts.arrival, at_once);
}

void RefusalSigns::add_meanwhile(Kind& kind, std::uint32_t level, Nanos arrival, bool at_once) {
  const bool close = kind.refusal && arrival - *kind.refusal <= kClose;
  if (!at_once) {
    if (close) kind.since_then.push_back(level);
    return;
  }
  if (close)
    for (const std::uint32_t served : kind.since_then) ++level_of(meanwhile_, served).requests;
  kind.since_then.clear();
  kind.refusal = arrival;
  Level& refusing = level_of(meanwhile_, level);
  ++refusing.requests;
  ++refusing.at_once;
}

RefusalEvidence RefusalSigns::find(const LogSummary& summary, std::optional<bool> apf_on, const Config* config,
                                   const LogNames& names) {
  RefusalEvidence out;
  out.filter = filter_of(summary, apf_on);
  out.by_authorization = decided_;
  if (timed_ > 0) {
    out.shortest = shortest_;
    out.longest = longest_;
  }
  out.without_level = out.filter == Filter::on ? without_level_ : 0;
  std::uint64_t loud = 0, refused = 0, quiet = 0;
  for (std::uint32_t i = 0; i < all_.size(); ++i) {
    if (i == Names::kNone || i == Names::kOthers) continue;
    if (is_exempt(config, names.levels.text(i))) {
      out.at_exempt += all_[i].refused;
      if (all_[i].refused > 0) out.exempt_level = names.levels.text(i);
    }
    const Level level = i < meanwhile_.size() ? meanwhile_[i] : Level();
    if (level.requests == 0) continue;
    ++out.levels;
    out.refusing_levels += level.at_once > 0 ? 1 : 0;
    (level.at_once > 0 ? loud : quiet) += level.requests;
    refused += level.at_once;
  }
  if (out.filter == Filter::unknown && out.at_exempt == 0 && quiet >= kLeastServed && refused * kPartRefused >= loud) {
    out.filter = Filter::on;
    out.by_levels = true;
  }
  return out;
}

bool refuses_by_levels(const LogSummary& summary) {
  return summary.total.refused == 0 || summary.evidence.filter == Filter::on;
}

AnswerCause cause_by(const RefusalEvidence& evidence, AnswerCause cause, bool undecided) {
  using enum AnswerCause;
  if (cause == apf_or_max_in_flight || (undecided && evidence.by_authorization)) {
    if (evidence.filter == Filter::on) return apf;
    if (evidence.filter == Filter::off) return max_in_flight;
    return evidence.at_exempt > 0 ? unknown : apf_or_max_in_flight;
  }
  // API Priority and Fairness names its level in the server's log.
  return cause == max_in_flight && evidence.filter == Filter::on ? unknown : cause;
}

}  // namespace apf
