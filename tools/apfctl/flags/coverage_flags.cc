#include "flags/coverage_flags.h"

#include <apf/error.h>
#include <apf/lint.h>

#include <algorithm>

#include <fmt/core.h>

#include "shared/input.h"
#include "shared/output.h"

namespace apfctl {

namespace {

apf::ServerLoad load_of(const std::string& files) {
  const std::size_t comma = files.find(',');
  const auto scrape = [](const std::string& path) {
    if (path.empty()) throw UsageError("--server-metrics: a file is missing in 'BEFORE,AFTER'");
    return apf::parse_scrape(read_text(path), path == "-" ? "standard input" : path);
  };
  if (comma == std::string::npos) return apf::load_since_start(scrape(files));
  return apf::load_between(scrape(files.substr(0, comma)), scrape(files.substr(comma + 1)));
}

void add(std::vector<apf::Remark> from, std::vector<apf::Remark>& to) {
  for (apf::Remark& remark : from) to.push_back(std::move(remark));
}

}  // namespace

void CoverageFlags::declare(CommandLine& line, bool can_fill) {
  line.heading("Completeness of the log");
  policy.declare(line);
  line.option("--server-metrics", metrics, "BEFORE,AFTER",
              "Two scrapes of the server's /metrics, from before and after the log, or one from after it if the server "
              "started with the log: shows which part of the dispatched requests is in the log, which --expect "
              "'coverage >= 95%' is about.");
  if (can_fill)
    line.flag("--fill", fill,
              "With --server-metrics: add as many requests to each FlowSchema as the log lacks, and compare with the "
              "replay without them.");
}

void CoverageFlags::check(const std::vector<std::string>& logs) const {
  if (metrics.empty() && fill && policy.given())
    throw UsageError(
        "--fill needs --server-metrics BEFORE,AFTER: the audit policy says which requests are missing, but only the "
        "server's counters say how many");
  if (metrics.empty() && fill)
    throw UsageError("--fill needs --server-metrics BEFORE,AFTER, which say how many requests are missing");
  if (!metrics.empty() && std::find(logs.begin(), logs.end(), "-") != logs.end())
    throw UsageError("--server-metrics reads the log several times: it cannot read standard input (-)");
}

std::string CoverageFlags::Found::seats_words() const {
  return seats->is_guess() ? fmt::format("{} seats (guessed by --server-metrics: its levels share {} to {})",
                                         seats->number, seats->least, seats->most)
                           : fmt::format("{} seats (by --server-metrics)", seats->number);
}

std::optional<CoverageFlags::Found> CoverageFlags::find(const apf::LogOptions& log, const apf::Config& config,
                                                        const Console& console) const {
  Found out;
  if (policy.given()) {
    if (apf::is_kep(config))
      throw apf::Error("--audit-policy needs objects of the API: no server reads the dialect of KEP-1040");
    const std::optional<apf::AuditPolicy> loaded = policy.load(console);
    if (!loaded) return std::nullopt;
    out.coverage.policy = apf::policy_coverage(config, *loaded);
  }
  if (!metrics.empty()) {
    const apf::ServerLoad load = load_of(metrics);
    const apf::LoggedLoad logged = apf::count_load(log, config);
    out.coverage.metrics = apf::compare_load(load, logged, config);
    if (fill) out.plan = apf::plan_fill(load, logged, *out.coverage.metrics, config);
    for (const apf::FillPlan::Schema& schema : out.plan ? out.plan->schemas : std::vector<apf::FillPlan::Schema>())
      if (schema.source == apf::FillPlan::Schema::Source::whole_log)
        out.coverage.executions_unknown.push_back(schema.name);
    out.seats = apf::seats_by_limits(load.levels, config, apf::kNewestKubeVersion);
    add(apf::signs_of(*out.coverage.metrics, logged), out.signs);
  }
  if (out.coverage.policy) add(apf::signs_of(*out.coverage.policy), out.signs);
  return out;
}

std::optional<CoverageFlags::Found> CoverageFlags::find(const std::vector<std::string>& logs,
                                                        apf::LogQuestion& question, apf::ReplayOptions& options,
                                                        const Console& console) const {
  apf::LogOptions log = options;
  log.logs = logs;
  std::optional<Found> found = find(log, options.recorded ? options.recorded->config : options.config, console);
  if (!found) return found;
  options.fill = found->plan;
  question.take_coverage(found->coverage, found->signs, found->seats, options);
  return found;
}

}  // namespace apfctl
