// How much of the traffic a log holds: the flags of replay and log.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/log_question.h>
#include <apf/report.h>
#include <apf/server.h>

#include "flags/audit_policy_flag.h"
#include "flags/options.h"

namespace apfctl {

struct CoverageFlags {
  AuditPolicyFlag policy;
  std::string metrics;
  bool fill = false;

  void declare(CommandLine& line, bool can_fill);
  // Throws UsageError.
  void check(const std::vector<std::string>& logs) const;
  bool any() const { return policy.given() || !metrics.empty(); }

  struct Found {
    apf::LogCoverage coverage;
    std::vector<apf::Remark> signs;          // that the log is not the whole traffic
    std::optional<apf::FillPlan> plan;       // with --fill
    std::optional<apf::ScrapedSeats> seats;  // of the recorded server
    std::string seats_words() const;         // "600 seats (by --server-metrics)"
  };
  // Reads the files and, with --server-metrics, the log. `config`: of the server that wrote it. Nothing: the policy has
  // errors, which were printed. Throws apf::Error.
  std::optional<Found> find(const apf::LogOptions& log, const apf::Config& config, const Console& console) const;
  // The same of the logs that `options` replays, which the question and the options take: what to fill in, and the
  // server's seats where nothing else says them.
  std::optional<Found> find(const std::vector<std::string>& logs, apf::LogQuestion& question,
                            apf::ReplayOptions& options, const Console& console) const;
};

}  // namespace apfctl
