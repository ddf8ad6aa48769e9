#include <apf/log_question.h>

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include <apf/error.h>
#include <apf/limits.h>
#include <apf/logs.h>
#include <apf/logs_report.h>
#include <apf/output.h>
#include <apf/report_words.h>

#include "config/dialect.h"
#include "replay/engine/run_options.h"
#include "report/advise/contradiction_hint.h"

namespace apf {

namespace {

std::string without_end(std::string sentence) {
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

const Remark* contradiction_of(const ReplayReport& report) {
  const auto at = std::find_if(report.warnings.begin(), report.warnings.end(), is_contradiction);
  return at == report.warnings.end() ? nullptr : &*at;
}

std::string contradiction_words(const Remark& contradiction) {
  const bool is_at_end = contradiction.kind == RemarkKind::log_contradicts_at_end;
  return without_end(sentence_of(contradiction)) +
         (is_at_end ? "; give a log that goes on for longer" : "; give what it ran") +
         ", or use --allow-disagreement to accept that";
}

// Bytes say nothing of widths there: what takes 10 seats by the watch cache may return 1 MB or 100 MB.
bool may_measure_widths(const ReplayOptions& options) {
  return options.objects.empty() && options.objects_at.empty() && !options.in_flight &&
         options.config_changes.empty() && options.list_widths.bytes <= 0;
}

}  // namespace

void LogQuestion::take_widths(const KnownServer& known, ReplayOptions& options) {
  if (!known.scrape || !may_measure_widths(options)) return;
  const Config& config = options.recorded ? options.recorded->config : options.config;
  const KubeVersion version = options.recorded ? options.recorded->version : options.version;
  if (!measures_widths(*known.scrape, version)) return;
  const auto seats = known.seats(config);
  if (!seats || !dialect_of(config).is_served() || !can_be_read_again(options)) return;
  MeasuredWidths widths = measured_widths(*known.scrape, count_load(options, config),
                                          compute_limits(config, seats->number, version), version);
  if (widths.resources.empty()) return;
  options.objects = std::move(widths.counts);
  std::string names;
  for (const std::string& resource : widths.resources) names += (names.empty() ? "" : ", ") + resource;
  measured_ = Remark{.kind = RemarkKind::widths_measured, .detail = names};
}

void LogQuestion::take_coverage(LogCoverage coverage, std::vector<Remark> signs,
                                const std::optional<ScrapedSeats>& seats, ReplayOptions& options) {
  coverage_ = std::move(coverage);
  signs_ = std::move(signs);
  if (!seats) return;
  evidence.seats = true;
  if (!options.recorded) {
    if (options.seats_by_log) options.server_concurrency_limit = seats->number;
    evidence.replayed_seats = true;
  } else if (!options.recorded->server_concurrency_limit) {
    options.recorded->server_concurrency_limit = seats->number;
  }
}

LogAnswer LogQuestion::ask(const ReplayOptions& options, bool experiments) const {
  LogAnswer out{replay(options), {}};
  if (experiments) out.report.why = explain_by_replay({.replay = options}, out.report);
  complete(out.report);
  out.why_undecided = why_undecided(out.report);
  return out;
}

void LogQuestion::complete(ReplayReport& report) const {
  if (coverage_) report.coverage = *coverage_;
  report.incomplete.insert(report.incomplete.begin(), signs_.begin(), signs_.end());
  if (measured_) report.assumptions.push_back(*measured_);
  const Remark* no_ends = find_remark(report.incomplete, RemarkKind::no_request_ends);
  if (no_ends && !evidence.execution && !allow_empty && !report.interrupted)
    throw Error(without_end(sentence_of(*no_ends)) +
                "; give a log with ends, or how long requests run (--refused-execution)" + kAllowEmpty);
  add_hints(report);
  add_hint(report);
}

void LogQuestion::add_hint(ReplayReport& report) const {
  const auto at = std::find_if(report.warnings.begin(), report.warnings.end(), is_contradiction);
  if (at != report.warnings.end()) {
    at->hint = contradiction_hint(report, *at, evidence, config_flag);
  } else if (!evidence.replayed_seats && !report.seats_by_log && !report.in_flight) {
    warn_of_seats(report.server_concurrency_limit, report.warnings);
  }
}

// Whoever says all of it has decided. That the log is of what is replayed is nothing but a claim, which the log denies.
bool LogQuestion::is_vouched_for(const ReplayReport& report) const {
  if (is_of_in_flight(report)) return evidence.seats;
  return (evidence.seats || are_seats_logged(report)) && evidence.objects && evidence.config && !evidence.same;
}

bool LogQuestion::is_contradicted(const ReplayReport& report) const {
  // Refusals alone contradict every replay: what held the seats is not in the log.
  const bool is_traffic = allow_empty || !find_remark(report.incomplete, RemarkKind::only_refusals);
  return is_traffic && contradiction_of(report) && !allow_disagreement && !is_vouched_for(report);
}

std::string LogQuestion::why_undecided(const ReplayReport& report) const {
  if (report.interrupted) return {};
  if (is_contradicted(report)) return contradiction_words(*contradiction_of(report));
  // Whose load, time-out or limit was to be another one is not in the log: the figure is not of what was asked for.
  using enum RemarkKind;
  for (const RemarkKind kind : {scale_unused, client_model_unused, client_timeout_unused, client_limit_unused})
    if (const Remark* unused = find_remark(report.warnings, kind)) return without_end(sentence_of(*unused));
  if (allow_empty) return {};
  if (const std::string why = why_unusable(report); !why.empty()) return why + kAllowEmpty;
  const auto selection = std::find_if(report.incomplete.begin(), report.incomplete.end(), is_of_selection);
  if (selection != report.incomplete.end()) return without_end(sentence_of(*selection)) + kAllowEmpty;
  const std::string damaged = why_damaged(report.warnings);
  return damaged.empty() ? damaged : damaged + kAllowEmpty;
}

std::string LogQuestion::why_wrong(const ReplayReport& report) const {
  if (report.interrupted) return {};
  if (evidence.same && is_contradicted(report))
    if (const Remark& contradiction = *contradiction_of(report);
        contradiction.kind == RemarkKind::log_contradicts_replay)
      return "--recorded config=same: the log is not of this configuration: " + contradiction_words(contradiction);
  const std::string damaged = allow_empty ? std::string() : why_damaged(report.warnings);
  return damaged.empty() ? damaged : damaged + kAllowEmpty;
}

void LogQuestion::mark_undecided(const ReplayReport& report, std::vector<ExpectationResult>& results) const {
  if (why_undecided(report).empty()) return;
  for (ExpectationResult& result : results) result.decided = false;
}

std::string no_requests(const std::vector<Remark>& warnings) {
  std::string out = "no requests found in the log";
  for (const Remark& remark : warnings)
    if (remark.kind == RemarkKind::log_damaged) out += ": " + remark.name + " " + remark.detail;
  return out;
}

std::string why_unusable(const LogReport& report) {
  if (!has_too_many_unusable_lines(report)) return {};
  std::uint64_t unusable = 0;
  for (const auto& [reason, lines] : report.unusable) unusable += lines;
  return fmt::format("{} of {} lines are unusable, more than 10 %", grouped(unusable), grouped(report.lines));
}

std::string why_damaged(const std::vector<Remark>& warnings) {
  const Remark* damaged = find_remark(warnings, RemarkKind::log_damaged);
  return damaged ? damaged->name + " " + damaged->detail + "; give the whole log" : std::string();
}

std::string assumed_seats(const ReplayReport& report) {
  const Remark* remark = find_remark(report.warnings, RemarkKind::seats_assumed);
  return remark ? render_text(*remark) : std::string();
}

void add_hints(LogReport& report) {
  add_hints(report.assumptions);
  add_hints(report.incomplete);
  add_hints(report.warnings);
}

void add_hints(ReplayReport& report) {
  add_hints(static_cast<LogReport&>(report));
  if (report.undecided)
    report.undecided->hint =
        "use --recorded config to say what the server ran when the log was written, 'same' if it is what is replayed";
}

}  // namespace apf
