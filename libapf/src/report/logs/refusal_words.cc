#include "report/logs/refusal_words.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/identities.h"
#include "base/joined.h"
#include "base/rfc3339.h"
#include "logs/answer_cause.h"
#include "report/core/units.h"
#include "report/logs/log_summary_words.h"

namespace apf {

namespace {

// A replay that explains refusals has them, too: then API Priority and Fairness refused.
bool is_filter_open(const LogSummary& summary) {
  const WhyReport& why = summary.why;
  const bool replayed = why.basis == WhyBasis::replay && why.verdict != WhyVerdict::undecided &&
                        why.verdict != WhyVerdict::none && why.verdict != WhyVerdict::max_in_flight;
  return !replayed && answers_by(summary, AnswerCause::apf_or_max_in_flight) > 0;
}

// " The evictions were asked for by sa:kube-system/descheduler (30), alice (3)."
std::string who_evicts(const LogSummary& summary) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> out;
  for (const LogAnswers& a : summary.answers)
    if (a.cause == AnswerCause::disruption_budget)
      for (const LogRow& client : a.clients)
        if (client.names.front() != "…")
          out.push_back(fmt::format("{} ({})", short_name_of(client.names.front()), grouped(client.tally.requests)));
  return out.empty() ? "" : " The evictions were asked for by " + joined_first(out, kNamed) + ".";
}

}  // namespace

std::string refused_sentence(const LogSummary& summary) {
  const LogTally& t = summary.total;
  const bool few = lacks_answers(t);
  const std::uint64_t whole = few ? t.answered : t.requests, unknown = answers_by(summary, AnswerCause::unknown);
  const std::string requests = few ? answered_requests(t) : counted(whole, "request", "requests");
  const std::uint64_t named = t.refused - std::min(t.refused, unknown);
  if (named == 0)
    return fmt::format("{} of {} ({}) {} answered 429, cause not in the log.", grouped(t.refused), requests,
                       human_percent(t.refused, whole), t.refused == 1 ? "was" : "were");
  const std::uint64_t in_flight = answers_by(summary, AnswerCause::max_in_flight);
  const char* const who = is_filter_open(summary) ? "API Priority and Fairness or max-in-flight"
                          : in_flight == named    ? "Max-in-flight"
                                                  : "API Priority and Fairness";
  if (unknown == 0)
    return fmt::format("{} refused {} of {} ({}).", who, grouped(named), requests, human_percent(named, whole));
  return fmt::format("{} of {} ({}) were answered 429: {} refused {}, the cause of {} is not in the log.",
                     grouped(t.refused), requests, human_percent(t.refused, whole), who, grouped(named),
                     grouped(unknown));
}

std::vector<std::string> refusal_evidence(const LogSummary& summary, const std::string& configuration) {
  using Filter = RefusalEvidence::Filter;
  const RefusalEvidence& e = summary.evidence;
  std::vector<std::string> out;
  const std::uint64_t refused = summary.total.refused, unknown = answers_by(summary, AnswerCause::unknown);
  if (e.without_level > 0)
    out.push_back(
        "The server's own log names no level for these: API Priority and Fairness did not refuse them. A server that "
        "shuts down answers so.");
  if (unknown > 0 && e.longest && !e.by_authorization) {
    const std::string longest = human_duration(*e.longest), shortest = human_duration(*e.shortest);
    out.push_back(fmt::format(
        "{} {}, longer than a refusal at once and not as long as requests may wait: API Priority and Fairness does not "
        "refuse like that.",
        unknown == 1 ? "It took" : "They took", shortest == longest ? longest : shortest + " to " + longest));
  }
  if (e.at_exempt > 0 && e.filter != Filter::off) {
    out.push_back(fmt::format(
        "{} of the {} {} at {}, which is exempt by {} and so refuses nobody: {}the server has other objects (-f).",
        grouped(e.at_exempt), grouped(refused), e.at_exempt == 1 ? "was" : "were", e.exempt_level, configuration,
        e.filter == Filter::on ? "" : "max-in-flight refused them, with API Priority and Fairness off, or "));
  } else if (e.filter == Filter::unknown && e.levels > 1 && e.refusing_levels == e.levels) {
    out.push_back(
        fmt::format("All {} levels that had requests then refused some: a sign of max-in-flight, with API Priority and "
                    "Fairness off.",
                    e.levels));
  } else if (e.by_levels) {
    out.push_back(fmt::format(
        "The refusals were at {} of the {} levels that had requests then: max-in-flight would refuse at all.",
        e.refusing_levels, e.levels));
  }
  if (is_filter_open(summary) || unknown > e.without_level)
    out.push_back(
        "What decides: kube-apiserver's own log (-v=3), which names the level (apf_pl) of what API Priority and "
        "Fairness "
        "refuses, or a scrape, which counts it (apiserver_flowcontrol_rejected_requests_total).");
  return out;
}

std::uint64_t refusals_of_others(const LogSummary& summary) {
  std::uint64_t out = 0;
  for (const LogAnswers& a : summary.answers) out += a.code == 429 && !is_refusal(a.cause) ? a.requests : 0;
  return out;
}

std::string refusals_of_others_in_words(const LogSummary& summary) {
  std::uint64_t all = 0;
  std::vector<CountedCause> counts;
  for (const LogAnswers& a : summary.answers) {
    if (a.code != 429) continue;
    all += a.requests;
    counts.emplace_back(a.cause, a.requests);
  }
  const std::string causes = other_refusals(counts);
  if (causes.empty()) return {};
  return fmt::format("{} of the {} answers 429 are not API Priority and Fairness's: {}.{}",
                     grouped(refusals_of_others(summary)), grouped(all), causes, who_evicts(summary));
}

std::string when_refused(const LogSummary& summary) {
  const auto day_of = [](Nanos time) { return format_rfc3339(time).substr(0, 10); };
  // Of a log of several days, the day as well.
  const bool days = day_of(*summary.first) != day_of(*summary.last);
  const auto day = [&](Nanos time) { return days ? day_of(time).substr(5) + " " : std::string(); };
  const Nanos first = *summary.first_refused, last = *summary.last_refused;
  std::string out = fmt::format("First at {}{}, last at {}{}", day(first), clock_of(first), day(last), clock_of(last));
  if (summary.worst_minute) {
    const Nanos begin = summary.worst_minute->begin;
    out += fmt::format("; most in the minute of {}{}: {}", day(begin), minute_of(begin),
                       grouped(summary.worst_minute->tally.refused));
  }
  if (!summary.bursts) return out + ".";
  const MinuteBursts& b = *summary.bursts;
  const bool one = b.from == b.to;
  return out + fmt::format(". {} came in {} of {} minutes: something begins then by the clock.",
                           part_of(b.refused, summary.total.refused),
                           one ? fmt::format("second {}", b.from) : fmt::format("seconds {} to {}", b.from, b.to),
                           grouped(b.minutes));
}

}  // namespace apf
