#include "log_gate.h"

#include <algorithm>
#include <string>
#include <vector>

#include <apf/error.h>
#include <apf/output.h>
#include <apf/report.h>
#include <apf/time.h>
#include <fmt/core.h>

#include "damaged_logs.h"
#include "remark_hints.h"

namespace apfctl {

namespace {

const apf::Remark* find(const std::vector<apf::Remark>& remarks, apf::RemarkKind kind) {
  const auto at = std::find_if(remarks.begin(), remarks.end(), [&](const apf::Remark& r) { return r.kind == kind; });
  return at == remarks.end() ? nullptr : &*at;
}

// Those of the server that wrote the log.
bool are_seats_logged(const apf::ReplayReport& report) {
  return report.what_if ? report.what_if->seats_by_log : report.seats_by_log;
}

// What the log contradicts is a replay of max-in-flight, not one of API Priority and Fairness that goes before it.
bool is_of_limits(const apf::ReplayReport& report) {
  return report.in_flight && !find(report.warnings, apf::RemarkKind::log_contradicts_recorded);
}

bool has_refusals_at_exempt(const apf::ReplayReport& report) {
  const auto is_exempt = [&](const std::string& name) {
    return std::any_of(report.levels.begin(), report.levels.end(),
                       [&](const auto& level) { return level.exempt && level.name == name; });
  };
  return std::any_of(report.recorded.levels.begin(), report.recorded.levels.end(),
                     [&](const auto& level) { return level.refused_log > 0 && is_exempt(level.name); });
}

// API Priority and Fairness refuses at some levels while others are served.
bool has_refusals_everywhere(const apf::ReplayReport& report) {
  std::size_t limited = 0, refusing = 0;
  for (const apf::LevelReport& level : report.levels) limited += !level.exempt && level.tally.requests > 0 ? 1 : 0;
  for (const apf::RecordedReport::Level& level : report.recorded.levels) refusing += level.refused_log > 0 ? 1 : 0;
  return limited > 1 && refusing == limited;
}

bool is_large_part(std::uint64_t part, std::uint64_t all) {
  constexpr std::uint64_t kLarge = 5;
  return part * kLarge >= all;
}

std::string without_end(std::string sentence) {
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

}  // namespace

void declare_allow_disagreement(CommandLine& line, bool& allowed) {
  line.flag("--allow-disagreement", allowed,
            "Decide by the replay although the log contradicts it. Without it, apfctl exits 2 if the refusals or waits "
            "in the log are far from those of a replay of the server that is assumed to have written it.");
}

void LogGate::note(const RecordedFlags& recorded, bool inflight_given, bool objects_given) {
  replayed_seats = inflight_given;
  seats = inflight_given || recorded.values.has_seats();
  objects = objects_given;
  same = recorded.same();
  other = recorded.given() && !same;
  config = other;
}

// Whoever says all of it has decided. That the log is of what is replayed is nothing but a claim, which the log denies.
bool LogGate::is_vouched_for(const apf::ReplayReport& report) const {
  if (is_of_limits(report)) return seats;
  return (seats || are_seats_logged(report)) && objects && config && !same;
}

void LogGate::add_hint(apf::ReplayReport& report) const {
  const auto at = std::find_if(report.warnings.begin(), report.warnings.end(), apf::is_contradiction);
  if (at == report.warnings.end()) {
    if (replayed_seats || report.seats_by_log || report.in_flight) return;
    report.warnings.push_back(
        {.kind = apf::RemarkKind::seats_assumed, .count = static_cast<std::uint64_t>(report.server_concurrency_limit)});
    add_hints(report.warnings);
    return;
  }
  if (is_of_limits(report)) {
    at->hint = fmt::format(
        "What most likely differs: its limits ({} and {} are {}: --max-requests-inflight and "
        "--max-mutating-requests-inflight), or it is several servers (--server NAME=LOG for each)",
        report.in_flight->read_only.limit, report.in_flight->mutating.limit, seats ? "given" : "assumed");
    return;
  }
  if (at->kind == apf::RemarkKind::log_contradicts_at_end) {
    at->hint =
        fmt::format("A log that goes on for {} longer decides", apf::format_go_duration(at->duration.value_or(0)));
    return;
  }
  const int number = report.what_if ? report.what_if->recorded_seats : report.server_concurrency_limit;
  const bool is_of_recorded = other || (report.what_if && at->kind == apf::RemarkKind::log_contradicts_recorded);
  const std::string flag = is_of_recorded ? "--recorded server-concurrency" : "--server-concurrency";
  const bool seats_known = seats || are_seats_logged(report);
  std::vector<std::string> causes;
  const bool exempt_refused = has_refusals_at_exempt(report);  // which neither seats nor widths explain
  if (exempt_refused)
    causes.emplace_back("API Priority and Fairness is off, as exempt levels refuse nobody (--apf off)");
  if (!seats_known && !exempt_refused) causes.push_back(fmt::format("its seats ({} are assumed: {})", number, flag));
  if (!exempt_refused && has_refusals_everywhere(report))
    causes.emplace_back("API Priority and Fairness is off, as all levels that had requests refused some (--apf off)");
  const apf::Remark* watches = find(report.assumptions, apf::RemarkKind::watch_init_assumed);
  if (watches && at->count > at->other && is_large_part(*watches->count, report.recorded.compared))
    causes.push_back(fmt::format("how long watches take to initialize ({} for {} of them: --watch-init)",
                                 watches->duration > 0 ? apf::format_go_duration(*watches->duration) : "0 is assumed",
                                 apf::grouped(*watches->count)));
  causes.push_back(fmt::format("its objects ({})", other ? "--recorded config" : of_config));
  const apf::Remark* lists = find(report.assumptions, apf::RemarkKind::object_counts_missing);
  if (!objects && !exempt_refused)
    causes.push_back(lists ? fmt::format("the widths of its lists ({} of them cost 1 seat: --objects)",
                                         apf::grouped(lists->count.value_or(0)))
                           : std::string("the widths of its lists (--objects)"));
  if (seats_known && !exempt_refused)
    causes.push_back(fmt::format("its seats ({} are given: {})", apf::grouped(number), flag));
  causes.push_back("several servers whose logs are mixed (--server NAME=LOG for each)");
  at->hint = "What most likely differs, most likely first: ";
  for (std::size_t i = 0; i < causes.size(); ++i)
    at->hint += (i == 0 ? "" : i + 1 == causes.size() ? ", or " : ", ") + causes[i];
}

std::string assumed_seats(const apf::ReplayReport& report) {
  const apf::Remark* remark = find(report.warnings, apf::RemarkKind::seats_assumed);
  return remark ? apf::render_text(*remark) : std::string();
}

void LogGate::refuse_without_ends(const apf::ReplayReport& report) const {
  const apf::Remark* remark = find(report.incomplete, apf::RemarkKind::no_request_ends);
  if (!remark || execution || allow_empty || report.interrupted) return;
  throw apf::Error(without_end(apf::sentence_of(*remark)) +
                   "; give a log with ends, or how long requests run (--refused-execution)" + kAllowEmpty);
}

std::string LogGate::why_undecided(const std::string& flag, const apf::ReplayReport& report) const {
  if (report.interrupted) return {};
  const auto remark = std::find_if(report.warnings.begin(), report.warnings.end(), apf::is_contradiction);
  // Refusals alone contradict every replay: what held the seats is not in the log.
  const bool is_traffic = allow_empty || !find(report.incomplete, apf::RemarkKind::only_refusals);
  const bool contradicts =
      is_traffic && remark != report.warnings.end() && !allow_disagreement && !is_vouched_for(report);
  const bool certain = contradicts && flag.empty() && same && remark->kind == apf::RemarkKind::log_contradicts_replay;
  if (contradicts && (certain || !flag.empty())) {
    const std::string what =
        certain ? "--recorded config=same: the log is not of this configuration" : flag + " is not decided";
    return what + ": " + without_end(apf::sentence_of(*remark)) +
           (remark->kind == apf::RemarkKind::log_contradicts_at_end ? "; give a log that goes on for longer"
                                                                    : "; give what it ran") +
           ", or use --allow-disagreement to accept that";
  }
  // Whose load, time-out or limit was to be another one is not in the log: the figure is not of what was asked for.
  using enum apf::RemarkKind;
  for (const apf::RemarkKind kind : {scale_unused, client_model_unused, client_timeout_unused, client_limit_unused})
    if (const apf::Remark* unused = find(report.warnings, kind); unused && !flag.empty())
      return flag + " is not decided: " + without_end(apf::sentence_of(*unused));
  if (allow_empty) return {};
  if (flag.empty()) return why_damaged(flag, report.warnings, kAllowEmpty);
  if (const std::string why = why_unusable(report); !why.empty()) return flag + " is not decided: " + why + kAllowEmpty;
  const auto selection = std::find_if(report.incomplete.begin(), report.incomplete.end(), apf::is_of_selection);
  if (selection != report.incomplete.end())
    return flag + " is not decided: " + without_end(apf::sentence_of(*selection)) + kAllowEmpty;
  return why_damaged(flag, report.warnings, kAllowEmpty);
}

void LogGate::refuse_undecided(const std::string& flag, const apf::ReplayReport& report) const {
  if (const std::string why = why_undecided(flag, report); !why.empty()) throw apf::Error(why);
}

void LogGate::mark_undecided(const apf::ReplayReport& report, std::vector<apf::ExpectationResult>& results) const {
  if (why_undecided("--expect", report).empty()) return;
  for (apf::ExpectationResult& result : results) result.decided = false;
}

}  // namespace apfctl
