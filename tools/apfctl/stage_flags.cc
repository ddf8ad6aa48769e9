#include "stage_flags.h"

#include <fmt/core.h>

#include <apf/flag_values.h>
#include <apf/report.h>

#include "admission_files.h"
#include "flag_value.h"
#include "input.h"

namespace apfctl {

namespace {

const Choices<bool> kOnOff = {{"on", true}, {"off", false}};

// LAG[/WRITE]
apf::QuotaConflicts parse_quota_conflicts(const std::string& text) {
  apf::QuotaConflicts out;
  const std::size_t slash = text.find('/');
  out.lag = parse_duration("--quota-conflicts", text.substr(0, slash));
  if (slash != std::string::npos) out.write = parse_duration("--quota-conflicts", text.substr(slash + 1));
  if (out.write == 0) throw UsageError("--quota-conflicts: an update cannot take 0s");
  return out;
}

}  // namespace

void StageFlags::declare(CommandLine& line) {
  line.heading("Stages");
  line.option("--apf", apf_text, "WHEN",
              "on (default), or off: requests pass the max-in-flight filter instead, with the limits "
              "--max-requests-inflight and --max-mutating-requests-inflight (0 = no limit).");
  line.option("--client-qps", qps_text, "N",
              "Limit each client to N requests per second, as client-go's rate limiter does (0: its default of 5; "
              "negative: no limit).");
  line.option("--client-burst", burst_text, "N",
              "Number of requests that a client may send at once (0: client-go's default of 10).");
  line.list("--client-limit", limit_texts, "AGENT=QPS/BURST",
            "The same for clients whose user agent starts with AGENT, such as kubectl/=50/300. Repeatable.");
  line.option("--event-rate-limit", event_rate_limit, "FILE",
              "Limit events as the EventRateLimit admission plugin does. FILE: its Configuration, or an "
              "AdmissionConfiguration that contains or names it.");
  line.option("--event-sender", event_sender, "HOW",
              "What senders do when EventRateLimit refuses an event: server (default: as Kubernetes does, drop it and "
              "send the next), abandon[:DURATION] (send no events for this time, 1s), retry[:DURATION] (send it again "
              "after this time, 10s, up to 11 times).");
  line.list("--quota", quotas, "FILE",
            "Enforce the ResourceQuotas of namespaces. FILE: the quotas, or the configuration of the admission plugin. "
            "Repeatable.");
  line.option("--quota-used", quota_used, "auto|status|zero",
              "Usage to start with: status (from the quota's status), zero, or auto (default): the status if the quota "
              "has one.");
  line.option("--quota-resync", quota_resync, "DURATION|off",
              "Interval at which the quota controller recounts usage, such as 5m; until then deleted objects still "
              "count (default off: they stop counting at once).");
  line.option(
      "--quota-conflicts", quota_conflicts, "LAG[/WRITE]|off",
      "Simulate conflicting updates of a quota's status by several servers and the quota controller. The loser "
      "retries and finally gets 409 or 500. LAG: how far a server's cache is behind, such as 20ms; WRITE: how long an "
      "update takes (5ms). Default off.");
  line.choices("--apf", kOnOff.words());
  line.choices("--quota-used", kQuotaStarts.words());
}

void StageFlags::set(apf::ReplayOptions& options, const InflightFlags& inflight) const {
  options.quota_start = kQuotaStarts.parse("--quota-used", quota_used);
  if (quota_used != "auto" && quotas.empty()) throw UsageError("--quota-used needs --quota FILE");
  if (quota_resync != "off") {
    if (quotas.empty()) throw UsageError("--quota-resync needs --quota FILE");
    options.quota_resync = parse_duration("--quota-resync", quota_resync);
  }
  if (quota_conflicts != "off") {
    if (quotas.empty()) throw UsageError("--quota-conflicts needs --quota FILE");
    options.quota_conflicts = parse_quota_conflicts(quota_conflicts);
  }
  options.event_sending = value_of("--event-sender", [&] { return apf::parse_event_sending(event_sender); });
  if (options.event_sending.sender != apf::EventSender::server && event_rate_limit.empty())
    throw UsageError("--event-sender needs --event-rate-limit FILE");
  if (!kOnOff.parse("--apf", apf_text)) {
    if (inflight.sum_given())
      throw UsageError(
          "--server-concurrency cannot be used with --apf=off, which limits reads and writes separately: use "
          "--max-requests-inflight and --max-mutating-requests-inflight");
    options.in_flight = apf::InFlightLimits{inflight.read_only(), inflight.mutating()};
    options.in_flight_recorded = apf_was_off;
  }
  std::optional<float> qps;
  std::optional<int> burst;
  std::vector<apf::ClientLimitOf> by_user_agent;
  if (qps_text) qps = value_of("--client-qps", [&] { return apf::parse_client_qps(*qps_text); });
  if (burst_text) burst = value_of("--client-burst", [&] { return apf::parse_client_burst(*burst_text); });
  for (const std::string& text : limit_texts)
    by_user_agent.push_back(value_of("--client-limit", [&] { return apf::parse_client_limit(text); }));
  options.client_limits = apf::client_limits_of(qps, burst, std::move(by_user_agent));
}

std::string StageFlags::origin(const InflightFlags& inflight, bool seats_by_log) const {
  std::string events = event_rate_limit.empty() ? "" : "; events limited by " + apf::printable(event_rate_limit);
  if (!quotas.empty()) events += "; quotas of " + apf::printable(join(quotas));
  if (apf_text != "off") return (seats_by_log ? "seats of the server's log" : inflight.origin()) + events;
  return fmt::format("API Priority and Fairness off (--max-requests-inflight {}, --max-mutating-requests-inflight {})",
                     inflight.read_only(), inflight.mutating()) +
         events;
}

bool StageFlags::load_event_rate_limit(apf::ReplayOptions& options, const Console& console) const {
  if (event_rate_limit.empty()) return true;
  const std::vector<std::string> paths = {event_rate_limit};
  options.event_rate_limit = event_rate_limit_of(read_configs(paths), event_rate_limit, console);
  return options.event_rate_limit.has_value();
}

bool StageFlags::load_quotas(apf::ReplayOptions& options, const Console& console, bool no_validate) const {
  if (quotas.empty()) return true;
  std::optional<QuotaFiles> found = quotas_of(read_configs(quotas), quotas, console, no_validate);
  if (!found) return false;
  options.resource_quotas = std::move(found->quotas);
  options.resource_quota_configuration = std::move(found->configuration);
  return true;
}

}  // namespace apfctl
