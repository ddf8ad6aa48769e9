#include "compare_tolerance.h"

#include <fmt/core.h>

#include <cmath>

#include <apf/report.h>

#include "command_line.h"
#include "exit_code.h"
#include "output.h"

namespace apfctl {

namespace {

double share(const apf::ComparedFigure& figure) {
  return figure.requests == 0 ? 0 : 100 * figure.value / static_cast<double>(figure.requests);
}

// How much worse: refusals in percentage points, waits in percent.
double worsening(const apf::ComparedChange& change) {
  const double before = change.old_figure.value, after = change.new_figure.value;
  using Metric = apf::ComparedChange::Metric;
  if (change.metric == Metric::rejected || change.metric == Metric::hung_up)
    return share(change.new_figure) - share(change.old_figure);
  return before <= 0 ? HUGE_VAL : 100 * (after - before) / before;  // a wait where there was none is beyond any
}

std::string value_of(const apf::ComparedChange& change, const apf::ComparedFigure& figure) {
  using Metric = apf::ComparedChange::Metric;
  if (change.metric == Metric::rejected || change.metric == Metric::hung_up)
    return fmt::format("{:.2f} %", share(figure));
  return apf::format_go_duration(static_cast<apf::Nanos>(figure.value));
}

const char* words_of(apf::ComparedChange::Metric metric) {
  constexpr const char* kWords[] = {"refused", "hung up", "mean wait", "p99 wait"};
  return kWords[static_cast<std::size_t>(metric)];
}

std::string subject_of(const apf::ComparedChange& change) {
  if (change.name.empty()) return "all requests";
  return (change.what == apf::ComparedChange::What::level ? "level " : "FlowSchema ") + apf::printable(change.name);
}

}  // namespace

Tolerance::Tolerance(const std::string& text) : given_(!text.empty()) {
  if (!given_) return;
  most_ = parse_number("--tolerance", text.ends_with('%') ? text.substr(0, text.size() - 1) : text);
  if (!(most_ >= 0)) throw UsageError("--tolerance must not be negative");
}

int Tolerance::check(const apf::CompareReport& comparison, const std::vector<std::string>& names) const {
  int code = 0;
  if (!given_) return code;
  for (const apf::ComparedChange& change : comparison.changes) {
    const bool counts =
        change.verdict == apf::ComparedChange::Verdict::worse &&
        (change.what == apf::ComparedChange::What::level || change.what == apf::ComparedChange::What::flow_schema);
    if (!counts || worsening(change) <= most_) continue;
    code = kNotOk;
    write_stderr(fmt::format("apfctl compare: beyond --tolerance: {}{}: {} → {}\n",
                             names.size() > 1 ? apf::printable(names[change.new_side]) + ": " : "",
                             subject_of(change) + ", " + words_of(change.metric), value_of(change, change.old_figure),
                             value_of(change, change.new_figure)));
  }
  return code;
}

}  // namespace apfctl
