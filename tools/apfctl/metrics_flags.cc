#include "metrics_flags.h"

#include "interrupts.h"
#include "output.h"

namespace apfctl {

namespace {

// What Prometheus scrapes API servers at in most installations.
constexpr const char* kStep = "15s";

}  // namespace

void MetricsSeriesFlags::declare(CommandLine& line) {
  line.option("--metrics-series", path, "FILE",
              "Write the metrics over time as OpenMetrics text with timestamps, for 'promtool tsdb create-blocks-from "
              "openmetrics'.");
  line.option("--metrics-step", step, "DURATION",
              "With --metrics-series: time between two scrapes (default 15s). Runs of more than 4,096 scrapes, or "
              "of far more scrapes than requests, get a multiple of it.");
}

void MetricsSeriesFlags::check(bool apf_on) const {
  if (path.empty() && step) throw UsageError("--metrics-step needs --metrics-series");
  if (!path.empty() && !apf_on) throw UsageError("--metrics-series cannot be combined with --apf=off");
}

void MetricsSeriesFlags::set(apf::ReplayOptions& options) const {
  if (path.empty()) return;
  options.metrics = true;
  options.metrics_step = parse_duration("--metrics-step", step.value_or(kStep));
  if (options.metrics_step < apf::kMillisecond) throw UsageError("--metrics-step must be at least 1ms");
}

void MetricsSeriesFlags::write(const ReplayOutcome& outcome) const {
  if (path.empty() || skip_interrupted(path)) return;
  Output out(path);
  out.write(apf::render_openmetrics(outcome.reports));
  out.close();
}

}  // namespace apfctl
