// replay(): log files in, report out.
#include <apf/error.h>
#include <apf/replay.h>

#include <optional>

#include "base/decimal.h"
#include "replay/books/worst_case.h"
#include "replay/engine/load_scaler.h"
#include "replay/passes/contradiction.h"
#include "replay/passes/ensemble.h"
#include "replay/passes/quota_rounds.h"
#include "replay/passes/recording.h"
#include "replay/passes/replay_into.h"
#include "replay/passes/run.h"

namespace apf {

std::optional<ReplayTime> ReplayTime::parse(std::string_view text) {
  Nanos nanos = 0;
  if (const std::optional<Nanos> instant = read_integer(text, nanos) ? nanos : parse_rfc3339(text))
    return is_time_in_range(*instant) ? std::optional(ReplayTime{false, *instant}) : std::nullopt;
  const std::optional<Nanos> duration = parse_go_duration(text);
  return duration && is_duration_in_range(*duration) ? std::optional(ReplayTime{true, *duration}) : std::nullopt;
}

namespace {

// What the log alone comes to.
void add_without_fill(const ReplayOptions& options, ReplayReport& report) {
  ReplayOptions plain = without_outputs(options);
  plain.fill.reset();
  auto without = std::make_shared<ReplayReport>(replay(plain));
  report.interrupted = report.interrupted || without->interrupted;
  report.without_fill = std::move(without);
}

}  // namespace

namespace {

constexpr const char* kWrittenOutOfOrder =
    "the lines of the log are not in order of time, and what was written of it cannot be taken back: write decisions "
    "and timeline to regular files, or sort the log";

void begin_again(OutputFile& decisions, OutputFile& timeline, const char* refusal) {
  for (const OutputFile* file : {&decisions, &timeline}) check_can_begin_again(*file, refusal);
  decisions.begin_again();
  timeline.begin_again();
}

ReplayReport replay_round(const QuotaRounds& rounds, const ReplayOptions& options, OutputFile& decisions,
                          OutputFile& timeline, HeldAgainstLog held) {
  if (rounds.single()) return replay_into(options, decisions, timeline, held);
  ReplayOptions own = options;
  own.quota_round = rounds.of(0);
  return replay_into(own, decisions, timeline, held);
}

}  // namespace

ReplayReport replay(const ReplayOptions& options) {
  ReplayReport report = replay_unsettled(options);
  finish_lists(report, options.top, options.all_flows);
  warn_of_contradiction(options, report);
  return report;
}

ReplayReport replay_unsettled(const ReplayOptions& options, HeldAgainstLog held) {
  OutputFile decisions(options.decisions_path), timeline(options.timeline_path);
  QuotaRounds rounds({&options, 1});
  ReplayReport report = replay_round(rounds, options, decisions, timeline, held);
  while (rounds.again({&report, 1})) {
    begin_again(decisions, timeline, kWrittenInRounds);
    report = replay_round(rounds, options, decisions, timeline, held);
  }
  if (report.interrupted) return report;  // a part must not replace a whole file
  decisions.commit();
  timeline.commit();
  return report;
}

ReplayReport replay_alone(const ReplayOptions& options, OutputFile& decisions, OutputFile& timeline) {
  return run_with_window([&](Nanos window) { return Run(options, decisions, timeline, window); },
                         [](Run& run) { return run.run(); },
                         [&] { begin_again(decisions, timeline, kWrittenOutOfOrder); });
}

ReplayReport read_into(const ReplayOptions& options, EventSink& sink) {
  OutputFile nowhere("");
  return run_with_window([&](Nanos window) { return Run(options, nowhere, nowhere, window, &sink); },
                         [](Run& run) { return run.run(); }, [&] { sink.begin_again(); });
}

ReplayReport read_into(const ReplayOptions& options, EventSink& sink, std::unique_ptr<RequestSource> source) {
  OutputFile nowhere("");
  return Run(options, nowhere, nowhere, std::move(source), &sink).run();
}

void check_options(const ReplayOptions& options) {
  check_releases(options);
  check_named_once(options);
  if (options.spread > 0 && !options.recorded &&
      !(Recording::can_be_kept(options) && Recording::is_for_report_alone(options)))
    check_can_be_read_again(options, "a spread");
  if (options.fill) check_can_be_read_again(options, "a fill");
  if (!options.scales.empty()) check_can_be_scaled(options);
  if (options.clients_need_first_replay() && !options.recorded)
    throw Error(
        "how clients wait for their answers is found by replaying the log under the recorded configuration, which "
        "is missing");
}

ReplayReport replay_into(const ReplayOptions& options, OutputFile& decisions, OutputFile& timeline,
                         HeldAgainstLog held) {
  check_options(options);
  const bool is_kept = options.spread > 0 && Recording::can_be_kept(options);
  std::optional<Recording> log;
  if (is_kept && Recording::is_for_report_alone(options)) log = Recording::of_one_configuration(options);
  ReplayOptions own = options;
  own.all_flows = true;
  ReplayReport report = log ? log->replay(own) : replay_alone(own, decisions, timeline);
  if (is_kept && !log && !report.interrupted) log = Recording::of_one_configuration(options);
  const Recording* const recording = log ? &*log : nullptr;
  if (report.undecided && report.others.empty() && !report.interrupted) add_recorded_ends(options, report, recording);
  if (options.fill && options.compare_fill && !report.interrupted) add_without_fill(options, report);
  if (options.spread > 0 && !options.recorded && !report.interrupted) add_spread(options, report, recording);
  const bool can_be_held = recording || can_be_read_again(options);  // else Run has done it
  if (held == HeldAgainstLog::yes && differs_from_log(options) && can_be_held)
    hold_against_log(options, report, [&](const ReplayOptions& plain) {
      return recording ? recording->replay(plain) : replay_unsettled(plain, HeldAgainstLog::no);
    });
  return report;
}

}  // namespace apf
