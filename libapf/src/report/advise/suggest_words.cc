#include "report/advise/suggest_words.h"

#include <fmt/core.h>

#include "report/core/units.h"
#include "report/replay/doubts.h"

namespace apf {

const char* key_of(SuggestField field) {
  switch (field) {
    case SuggestField::shares:
      return "nominalConcurrencyShares";
    case SuggestField::borrowing:
      return "borrowingLimitPercent";
    case SuggestField::lendable:
      return "lendablePercent";
    case SuggestField::queue_length:
      return "queueLengthLimit";
    case SuggestField::queues:
      return "queues";
    case SuggestField::hand:
      return "handSize";
    case SuggestField::level:
      return "level";
    case SuggestField::seats:
      return "serverConcurrencyLimit";
  }
  return "";
}

namespace {

std::string words_of_level(const SuggestChange& change) {
  const std::string with = fmt::format("{} with {} shares for {}", change.level, change.to, change.user);
  const std::string number = fmt::format("(matchingPrecedence {})", change.precedence);
  if (change.flow_schemas.empty()) return fmt::format("a new FlowSchema and level {} {}", with, number);
  std::string moved;
  for (const std::string& name : change.flow_schemas) moved += (moved.empty() ? "" : ", ") + name;
  const bool one = change.flow_schemas.size() == 1;
  return fmt::format("a new level {}, to which {} {} {}{}", with, one ? "FlowSchema" : "FlowSchemas", moved,
                     one ? "leads" : "lead",
                     change.precedence > 0 ? fmt::format("; a new one for its other requests {}", number) : "");
}

}  // namespace

std::string words_of(const SuggestChange& change) {
  if (change.field == SuggestField::level) return words_of_level(change);
  if (change.field == SuggestField::seats)
    return fmt::format("{} instead of {} (--max-requests-inflight + --max-mutating-requests-inflight)",
                       seats_in_words(change.to), grouped(change.from));
  if (change.to < 0) return fmt::format("{}: no {} instead of {}", change.level, key_of(change.field), change.from);
  return fmt::format("{}: {} {} instead of {}", change.level, key_of(change.field), change.to,
                     change.from < 0 ? "none" : std::to_string(change.from));
}

std::string words_of(const std::vector<SuggestChange>& changes) {
  std::string out;
  for (const SuggestChange& change : changes) out += (out.empty() ? "" : "; ") + words_of(change);
  return out.empty() ? "nothing" : out;
}

std::string reason_of(const SuggestTried& tried, const SuggestReport& report) {
  if (tried.miss > 0 && !tried.goal.empty()) return tried.goal + ": " + tried.found;
  if (!tried.finding.empty()) return tried.finding;
  if (tried.cost > report.cost + 1e-6) {
    const std::string cost = fmt::format("{:.1f}", tried.cost), least = fmt::format("{:.1f}", report.cost);
    return cost == least ? "meets the goals, but changes a little more"
                         : fmt::format("meets the goals, but changes more (cost {} instead of {})", cost, least);
  }
  if (!tried.worse.empty()) return "meets the goals, but others are worse off: " + tried.worse;
  return "meets the goals, but is not smaller and helps nobody else";
}

namespace {

std::string harm_of(const SuggestReport& report) {
  std::string whom;
  for (const SuggestLoser& loser : report.losers)
    if (loser.is_protected && loser.after.rejected_high > loser.before.rejected_high)
      whom += fmt::format("{}{}, {} of {}", whom.empty() ? "" : "; ", loser.flow, grouped(loser.after.rejected_high),
                          counted(loser.after.requests, "request", "requests"));
  return fmt::format(
      "What meets the goals refuses requests of protected clients that are served now{}: use --allow-harm if that may "
      "be.",
      whom.empty() ? "" : " (" + whom + ")");
}

}  // namespace

std::string verdict_of(const SuggestReport& report) {
  const bool doubtful = !doubts_of(report.log).empty();
  if (report.met_before && doubtful)
    return "Whether a change is needed is not decided by this log: its replay meets the goals without one.";
  if (report.met && doubtful)
    return "What is needed is not decided by this log. In its replay, " +
           (report.changes.size() == 1 ? "one change meets the goals:"
                                       : fmt::format("{} changes meet the goals:", report.changes.size()));
  if (report.met_before) return "No change is needed: this configuration meets the goals.";
  if (report.harms) return harm_of(report);
  if (report.met)
    return report.changes.size() == 1 ? "One change meets the goals:"
                                      : fmt::format("{} changes meet the goals:", report.changes.size());
  if (report.interrupted) return "Interrupted: no configuration that meets the goals was found until then.";
  const std::string seats = seats_in_words(report.seats_before);
  if (report.proof.seats_by_counting > 0)
    return fmt::format("No such configuration: at {} the load needs at least {}{}.", seats,
                       grouped(report.proof.seats_by_counting),
                       report.proof.seats ? fmt::format("; {} are enough", grouped(*report.proof.seats)) : "");
  const bool by_lint = report.objection.starts_with("lint");
  if (report.objected > 0)
    return fmt::format("{} of {} {} the goals at {}{}, but {}{}.", grouped(report.objected),
                       counted(report.configurations, "configuration", "configurations"),
                       report.objected == 1 ? "meets" : "meet", seats, report.variants > 1 ? " in one replay" : "",
                       !report.objection.empty() ? report.objection + (by_lint && report.objected > 1 ? " in each" : "")
                                                 : "something is against each of them",
                       report.out_of_budget ? "; the budget is used up" : "");
  if (report.out_of_budget && !report.proof.seats)
    return fmt::format("None of {} meets the goals, and the budget is used up.",
                       counted(report.configurations, "configuration", "configurations"));
  const std::string none = fmt::format("None was found: at {} none of {} meets the goals", seats,
                                       counted(report.configurations, "configuration", "configurations"));
  if (report.proof.seats)
    return fmt::format("{}; at {} one does{}.", none, seats_in_words(*report.proof.seats),
                       report.out_of_budget ? "; the budget is used up" : "");
  return none + ", nor did one of those that were tried with up to 8 times the seats.";
}

std::vector<std::string> proof_of(const SuggestReport& report) {
  std::vector<std::string> out;
  const SuggestProof& proof = report.proof;
  if (proof.seats_by_counting > 0) {
    const double seconds = static_cast<double>(proof.to - proof.from) / static_cast<double>(kSecond);
    out.push_back(fmt::format(
        "By counting: {}{} arrive in the {:.1f}s from {} on. If each is served, and begins as late as it may, they "
        "hold "
        "{:.1f} seat-seconds within that time, at one seat each: at least {}, whatever the configuration.",
        counted(proof.requests, "request", "requests"), proof.subject == "total" ? "" : " of " + proof.subject, seconds,
        format_rfc3339(proof.from), proof.seat_seconds, seats_in_words(proof.seats_by_counting)));
  }
  if (!proof.seats) return out;
  const std::string with = proof.with.empty() ? "" : fmt::format(" and {}", words_of(proof.with));
  const std::string missed = proof.goal.empty() ? proof.found : proof.goal + ": " + proof.found;
  out.push_back(fmt::format("By replays: with {}{} the goals are met{}.", seats_in_words(*proof.seats), with,
                            missed.empty() ? missed : "; with one seat less, " + missed));
  return out;
}

}  // namespace apf
