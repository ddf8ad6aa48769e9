#include "metrics_flags.h"

#include <apf/report.h>

#include "interrupts.h"
#include "output.h"

namespace apfctl {

namespace {

// What Prometheus scrapes API servers at in most installations.
constexpr const char* kStep = "15s";

}  // namespace

void MetricsSeriesFlags::declare(CommandLine& line) {
  line.option("--metrics-series", text, "[STEP=]FILE",
              "Write the metrics over time as OpenMetrics text with timestamps, for 'promtool tsdb create-blocks-from "
              "openmetrics'. STEP: time between two scrapes (default 15s). Runs of more than 4,096 scrapes, or of far "
              "more scrapes than requests, get a multiple of it.");
}

void MetricsSeriesFlags::check(bool apf_on) const {
  if (text.empty()) return;
  if (path().empty()) throw UsageError("--metrics-series " + apf::printable(text) + ": the file name is missing");
  if (!apf_on) throw UsageError("--metrics-series cannot be combined with --apf=off");
}

void MetricsSeriesFlags::set(apf::ReplayOptions& options) const {
  if (text.empty()) return;
  options.metrics = true;
  options.metrics_step = parse_duration("--metrics-series", file_at() > 0 ? text.substr(0, file_at() - 1) : kStep);
  if (options.metrics_step < apf::kMillisecond) throw UsageError("--metrics-series: STEP must be at least 1ms");
}

// A STEP begins with a digit.
std::size_t MetricsSeriesFlags::file_at() const {
  const std::size_t equals = text.find('=');
  const bool has_step = equals != std::string::npos && text[0] >= '0' && text[0] <= '9';
  return has_step ? equals + 1 : 0;
}

void MetricsSeriesFlags::write(const std::string& path, const ReplayOutcome& outcome) {
  if (path.empty() || skip_interrupted(path)) return;
  Output out(path);
  out.write(apf::render_openmetrics(outcome.reports));
  out.close();
}

}  // namespace apfctl
