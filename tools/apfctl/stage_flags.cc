#include "stage_flags.h"
#include "input.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include <apf/config.h>
#include <apf/error.h>
#include <apf/report.h>

#include "output.h"

namespace apfctl {

namespace {

const Choices<bool> kOnOff = {{"on", true}, {"off", false}};
constexpr std::int64_t kMostBurst = 1'000'000'000;
constexpr float kLeastQps = 0.001F, kMostQps = 1e9F;

float parse_qps(const char* flag, const std::string& text) {
  float qps = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), qps);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(qps))
    throw UsageError(fmt::format("{}: '{}' is not a number of requests a second", flag, apf::printable(text)));
  if (qps < 0) return qps;
  if (qps == 0) return apf::ClientLimit{}.qps;  // as in a client's configuration
  if (qps < kLeastQps || qps > kMostQps)
    throw UsageError(fmt::format("{}: {} is not between {} and {}; a negative number is no limit", flag,
                                 apf::printable(text), kLeastQps, kMostQps));
  return qps;
}

int parse_burst(const char* flag, const std::string& text) {
  const auto burst = static_cast<int>(parse_int(flag, text, 0, kMostBurst));
  return burst == 0 ? apf::ClientLimit{}.burst : burst;
}

apf::EventSending parse_event_sender(const std::string& text) {
  static const Choices<apf::EventSender> kSenders = {
      {"server", apf::EventSender::server}, {"abandon", apf::EventSender::abandon}, {"retry", apf::EventSender::retry}};
  const std::size_t colon = text.find(':');
  apf::EventSending out;
  out.sender = kSenders.parse("--event-sender", text.substr(0, colon));
  if (out.sender == apf::EventSender::server) {
    if (colon != std::string::npos) throw UsageError("--event-sender: server takes no duration");
    return out;
  }
  out.pause = (out.sender == apf::EventSender::retry ? 10 : 1) * apf::kSecond;
  if (colon != std::string::npos) out.pause = parse_duration("--event-sender", text.substr(colon + 1));
  if (out.pause == 0) throw UsageError("--event-sender: the duration must be greater than 0");
  return out;
}

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
              "send the next), abandon[:DURATION] (send no events for so long, 1s), retry[:DURATION] (send it again "
              "after so long, 10s, up to 11 times).");
  line.list("--quota", quotas, "FILE",
            "Enforce the ResourceQuotas of namespaces. FILE: the quotas, or the configuration of the admission plugin. "
            "Repeatable.");
  line.option("--quota-used", quota_used, "auto|status|zero",
              "Usage to start with: status (from the quota's status), zero, or auto (default): the status if the quota "
              "has one.");
  line.option("--quota-resync", quota_resync, "DURATION|off",
              "What is freed counts when the quota controller recounts, one in so long, such as 5m (default off: at "
              "once, as its watches see it).");
  line.option(
      "--quota-conflicts", quota_conflicts, "LAG[/WRITE]|off",
      "Updates of a quota's status by several servers and the quota controller conflict: who loses tries again, "
      "then gets a 409 or 500. LAG: how far a server's cache is behind, such as 20ms; WRITE: how long an update "
      "takes (5ms). Default off.");
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
  options.event_sending = parse_event_sender(event_sender);
  if (options.event_sending.sender != apf::EventSender::server && event_rate_limit.empty())
    throw UsageError("--event-sender needs --event-rate-limit FILE");
  if (!kOnOff.parse("--apf", apf_text)) {
    if (inflight.sum_given())
      throw UsageError(
          "--server-concurrency cannot be used with --apf=off, which limits reads and writes separately: use "
          "--max-requests-inflight and --max-mutating-requests-inflight");
    options.in_flight = apf::InFlightLimits{inflight.read_only(), inflight.mutating()};
  }
  if (!qps_text && !burst_text && limit_texts.empty()) return;
  apf::ClientLimits limits;
  // If only some user agents have limits, the others are unlimited.
  if (!qps_text && !burst_text) limits.of_all.qps = -1;
  if (qps_text) limits.of_all.qps = parse_qps("--client-qps", *qps_text);
  if (burst_text) limits.of_all.burst = parse_burst("--client-burst", *burst_text);
  for (const std::string& text : limit_texts) {
    const std::size_t equals = text.rfind('=');
    const std::size_t slash = equals == std::string::npos ? equals : text.find('/', equals);
    if (equals == std::string::npos || equals == 0 || slash == std::string::npos)
      throw UsageError(
          fmt::format("--client-limit: '{}' is not AGENT=QPS/BURST, such as kubectl/=50/300", apf::printable(text)));
    apf::ClientLimit limit;
    limit.qps = parse_qps("--client-limit", text.substr(equals + 1, slash - equals - 1));
    limit.burst = parse_burst("--client-limit", text.substr(slash + 1));
    limits.by_user_agent.emplace_back(text.substr(0, equals), limit);
  }
  options.client_limits = std::move(limits);
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
  const std::vector<apf::ConfigText> texts = read_configs(paths);
  apf::LoadedConfig loaded = apf::load_config(texts);
  std::vector<apf::Diagnostic> found = loaded.diagnostics;
  for (apf::Diagnostic& d : apf::validate(loaded, apf::kNewestKubeVersion)) found.push_back(std::move(d));
  for (apf::Diagnostic& d : found)  // the replay needs the file here
    if (d.name == kMissingPluginFile) d.severity = apf::Severity::error;
  if (print_findings(std::move(found), texts, console) > 0) {
    write_stderr("apfctl: cannot use this EventRateLimit configuration\n");
    return false;
  }
  const std::string name = apf::printable(event_rate_limit);
  if (loaded.event_rate_limits.empty())
    throw apf::Error(name +
                     " does not configure EventRateLimit; expected its Configuration "
                     "(eventratelimit.admission.k8s.io/v1alpha1) or an AdmissionConfiguration that names the plugin");
  if (loaded.event_rate_limits.size() > 1)
    throw apf::Error(fmt::format("{} contains {} configurations of EventRateLimit; use a file with one", name,
                                 loaded.event_rate_limits.size()));
  options.event_rate_limit = std::move(loaded.event_rate_limits.front());
  return true;
}

bool StageFlags::load_quotas(apf::ReplayOptions& options, const Console& console, bool no_validate) const {
  if (quotas.empty()) return true;
  const std::vector<apf::ConfigText> texts = read_configs(quotas);
  apf::LoadedConfig loaded = apf::load_config(texts);
  std::vector<apf::Diagnostic> found = loaded.diagnostics;
  // An old cluster enforces quotas that its server would reject today.
  if (!no_validate)
    for (apf::Diagnostic& d : apf::validate(loaded, apf::kNewestKubeVersion)) found.push_back(std::move(d));
  const std::size_t errors = print_findings(std::move(found), texts, console);
  if (errors > 0 && !no_validate) {
    write_stderr(fmt::format("apfctl: kube-apiserver would reject these quotas ({})\n",
                             loaded.has_errors() ? "use --no-validate to skip what cannot be decoded"
                                                 : "use --no-validate to load them anyway"));
    return false;
  }
  const std::string names = apf::printable(join(quotas));
  if (loaded.resource_quotas.empty() && loaded.resource_quota_configurations.empty())
    throw apf::Error(names + ": no ResourceQuota found; check the path of --quota");
  if (loaded.resource_quota_configurations.size() > 1)
    throw apf::Error(fmt::format("{} contain {} configurations of the ResourceQuota plugin; a server has one", names,
                                 loaded.resource_quota_configurations.size()));
  options.resource_quotas = std::move(loaded.resource_quotas);
  if (!loaded.resource_quota_configurations.empty())
    options.resource_quota_configuration = std::move(loaded.resource_quota_configurations.front());
  return true;
}

}  // namespace apfctl
