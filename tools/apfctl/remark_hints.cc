#include "remark_hints.h"

#include <utility>

namespace apfctl {

namespace {

using Kind = apf::RemarkKind;

constexpr std::pair<Kind, const char*> kHints[] = {
    {Kind::clock_from_log, "--from leaves the first part out of the report"},
    {Kind::clock_fitted, "--start sets another time"},
    {Kind::clock_guessed, "--start sets another time"},
    {Kind::clock_missing, "--start sets the start of a replay"},
    {Kind::seats_differ, "set by --max-requests-inflight and --max-mutating-requests-inflight"},
    {Kind::configuration_unknown, "--config-at adds one"},
    {Kind::execution_estimated, "--refused-execution sets another time"},
    {Kind::watch_init_assumed, "--watch-init sets another time"},
    {Kind::watch_init_missing, "--watch-init sets the time for a replay"},
    {Kind::object_counts_missing, "--objects gives it"},
    {Kind::object_count_unknown, "--objects gives it"},
    {Kind::seats_missing, "--objects makes estimates better"},
    {Kind::log_year_unknown, "--log-year sets another year"},
    {Kind::logs_unrelated, "--log-year sets the year"},
    {Kind::namespace_needed, "-n names one"},
    {Kind::pods_depend_on_nodes, "--nodes says how many"},
};

}  // namespace

void add_hints(std::vector<apf::Remark>& remarks) {
  for (apf::Remark& remark : remarks)
    for (const auto& [kind, hint] : kHints)
      if (remark.kind == kind) remark.hint = hint;
}

void add_hints(apf::ReplayReport& report) {
  add_hints(report.assumptions);
  add_hints(report.warnings);
}

}  // namespace apfctl
