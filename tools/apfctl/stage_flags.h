// Flags that set the stages of a replay: --apf, --client-qps, --client-burst, --client-limit, --event-rate-limit,
// --quota.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/replay.h>

#include "command_line.h"
#include "options.h"

namespace apfctl {

// Where a quota's usage starts: --quota-used of replay, --used of quota.
inline const Choices<apf::QuotaStart> kQuotaStarts = {
    {"auto", apf::QuotaStart::automatic}, {"status", apf::QuotaStart::status}, {"zero", apf::QuotaStart::zero}};

struct StageFlags {
  std::string apf_text = "on";
  bool apf_was_off = false;  // in the server that wrote the log
  std::string event_rate_limit;
  std::vector<std::string> quotas;
  std::string quota_used = "auto", quota_resync = "off", quota_conflicts = "off", event_sender = "server";
  std::optional<std::string> qps_text, burst_text;
  std::vector<std::string> limit_texts;

  void declare(CommandLine& line);
  void set(apf::ReplayOptions& options, const InflightFlags& inflight) const;
  // Loads --event-rate-limit. False if the configuration has errors, which it prints. Throws apf::Error if there is
  // none.
  bool load_event_rate_limit(apf::ReplayOptions& options, const Console& console) const;
  // Loads --quota, in the same way.
  bool load_quotas(apf::ReplayOptions& options, const Console& console, bool no_validate) const;
  // Describes the limits for the report: seats, or limits of requests in flight.
  // `seats_by_log`: the server's own log names them.
  std::string origin(const InflightFlags& inflight, bool seats_by_log) const;
};

}  // namespace apfctl
