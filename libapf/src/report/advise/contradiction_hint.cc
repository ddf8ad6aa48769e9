#include "report/advise/contradiction_hint.h"

#include <fmt/core.h>

#include <algorithm>

#include <apf/output.h>
#include <apf/time.h>

namespace apf {

namespace {

bool has_refusals_at_exempt(const ReplayReport& report) {
  const auto is_exempt = [&](const std::string& name) {
    return std::any_of(report.levels.begin(), report.levels.end(),
                       [&](const auto& level) { return level.exempt && level.name == name; });
  };
  return std::any_of(report.recorded.levels.begin(), report.recorded.levels.end(),
                     [&](const auto& level) { return level.refused_log > 0 && is_exempt(level.name); });
}

// API Priority and Fairness refuses at some levels while others are served.
bool has_refusals_everywhere(const ReplayReport& report) {
  std::size_t limited = 0, refusing = 0;
  for (const LevelReport& level : report.levels) limited += !level.exempt && level.tally.requests > 0 ? 1 : 0;
  for (const RecordedReport::Level& level : report.recorded.levels) refusing += level.refused_log > 0 ? 1 : 0;
  return limited > 1 && refusing == limited;
}

bool is_large_part(std::uint64_t part, std::uint64_t all) {
  constexpr std::uint64_t kLarge = 5;
  return part * kLarge >= all;
}

}  // namespace

const Remark* find_remark(const std::vector<Remark>& remarks, RemarkKind kind) {
  const auto at = std::find_if(remarks.begin(), remarks.end(), [&](const Remark& r) { return r.kind == kind; });
  return at == remarks.end() ? nullptr : &*at;
}

bool is_of_in_flight(const ReplayReport& report) {
  return report.in_flight && !find_remark(report.warnings, RemarkKind::log_contradicts_recorded);
}

bool are_seats_logged(const ReplayReport& report) {
  return report.what_if ? report.what_if->seats_by_log : report.seats_by_log;
}

std::string contradiction_hint(const ReplayReport& report, const Remark& contradiction, const LogEvidence& evidence,
                               const std::string& config_flag) {
  if (is_of_in_flight(report))
    return fmt::format(
        "What most likely differs: its limits ({} and {} are {}: --max-requests-inflight and "
        "--max-mutating-requests-inflight), or it is several servers (--server NAME=LOG for each)",
        report.in_flight->read_only.limit, report.in_flight->mutating.limit, evidence.seats ? "given" : "assumed");
  if (contradiction.kind == RemarkKind::log_contradicts_at_end)
    return fmt::format("A log that goes on for {} longer decides",
                       format_go_duration(contradiction.duration.value_or(0)));
  const int number = report.what_if ? report.what_if->recorded_seats : report.server_concurrency_limit;
  const bool is_of_recorded =
      evidence.other || (report.what_if && contradiction.kind == RemarkKind::log_contradicts_recorded);
  const std::string flag = is_of_recorded ? "--recorded server-concurrency" : "--server-concurrency";
  const bool seats_known = evidence.seats || are_seats_logged(report);
  std::vector<std::string> causes;
  const bool exempt_refused = has_refusals_at_exempt(report);  // which neither seats nor widths explain
  if (exempt_refused)
    causes.emplace_back("API Priority and Fairness is off, as exempt levels refuse nobody (--apf off)");
  if (!seats_known && !exempt_refused) causes.push_back(fmt::format("its seats ({} are assumed: {})", number, flag));
  if (!exempt_refused && has_refusals_everywhere(report))
    causes.emplace_back("API Priority and Fairness is off, as all levels that had requests refused some (--apf off)");
  const Remark* watches = find_remark(report.assumptions, RemarkKind::watch_init_assumed);
  if (watches && contradiction.count > contradiction.other &&
      (is_large_part(*watches->count, report.recorded.compared) ||
       2 * watches->other.value_or(0) > report.recorded.refused_in_log))
    causes.push_back(fmt::format("how long watches take to initialize ({} for {} of them: --watch-init)",
                                 watches->duration > 0 ? format_go_duration(*watches->duration) : "0 is assumed",
                                 grouped(*watches->count)));
  causes.push_back(fmt::format("its objects ({})", evidence.other ? "--recorded config" : config_flag));
  const Remark* lists = find_remark(report.assumptions, RemarkKind::object_counts_missing);
  if (!evidence.objects && !exempt_refused)
    causes.push_back(lists ? fmt::format("the widths of its lists ({} of them cost 1 seat: --objects)",
                                         grouped(lists->count.value_or(0)))
                           : std::string("the widths of its lists (--objects)"));
  if (seats_known && !exempt_refused)
    causes.push_back(fmt::format("its seats ({} are given: {})", grouped(number), flag));
  causes.push_back("several servers whose logs are mixed (--server NAME=LOG for each)");
  std::string out = "What most likely differs, most likely first: ";
  for (std::size_t i = 0; i < causes.size(); ++i)
    out += (i == 0 ? "" : i + 1 == causes.size() ? ", or " : ", ") + causes[i];
  return out;
}

}  // namespace apf
