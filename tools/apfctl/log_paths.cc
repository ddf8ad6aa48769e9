#include "log_paths.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include <apf/error.h>
#include <apf/report.h>

#include "replay_flags.h"

namespace apfctl {

void find_logs_in(std::vector<std::string>& logs, apf::LogTexts& texts, const Console& console) {
  static std::deque<apf::FoundLogs> kept;  // the texts are theirs
  const apf::FoundLogs& found = kept.emplace_back(apf::find_logs(logs));
  for (const apf::Remark& warning : found.warnings) console.warn(apf::printable(apf::render_text(warning)));
  logs = found.logs;
  texts.insert(found.texts.begin(), found.texts.end());
}

namespace {

// What the flags of a log say, where no file said it.
class ServerFlagTaker {
 public:
  ServerFlagTaker(const apf::KnownServer& known, const apf::ServerFlags& log) : known_(known), log_(log) {}

  std::optional<std::string> find(const std::string& name) const {
    if (const apf::KnownServer::Fact* fact = known_.flag(name)) return fact->value;
    const auto at = log_.flags.find(name);
    return at == log_.flags.end() ? std::nullopt : std::optional(at->second);
  }
  // Of the log alone.
  std::optional<int> seats(const char* name) const {
    const auto at = log_.flags.find(name);
    if (at == log_.flags.end()) return std::nullopt;
    return static_cast<int>(parse_int(fmt::format("{}: --{}", log_.log, name).c_str(), at->second, 0, kMostSeats));
  }

 private:
  const apf::KnownServer& known_;
  const apf::ServerFlags& log_;
};

void refuse_other_server(const apf::KnownServer& known, const apf::ServerFlags& log, std::optional<int> logged) {
  const std::string cure = ": give files of the server that wrote the log";
  if (const auto seats = known.seats({}); seats && logged && (*logged < seats->least || *logged > seats->most))
    throw apf::Error(apf::printable(fmt::format("--server: {} says {} seats, and the log {} says {}{}", seats->from,
                                                seats->number, log.log, *logged, cure)));
  const std::optional<apf::KubeVersion> release = known.release();
  if (release && log.version && *release != *log.version)
    throw apf::Error(
        apf::printable(fmt::format("--server: {} is of Kubernetes {}, and the log {} of {}{}", known.version->from,
                                   known.version->value, log.log, log.version_text, cure)));
}

void take_event_rate_limit(ReplayFlags& flags, const apf::KnownServer& known) {
  if (flags.table.given("event-rate-limit") || flags.systems) return;
  if (known.event_rate_limit) flags.table.take("event-rate-limit", known.event_rate_limit->value);
  else if (known.has_plugin("EventRateLimit").value_or(false))
    flags.console.warn(apf::printable(
        fmt::format("{} enables EventRateLimit, but its configuration is not there: events are not limited; give its "
                    "file with --event-rate-limit",
                    known.flag("enable-admission-plugins")->from)));
}

void take_evidence(ReplayFlags& flags, const apf::KnownServer& known, const apf::ServerFlags& server) {
  const ServerFlagTaker taker(known, server);
  const std::optional<int> reads = taker.seats("max-requests-inflight"),
                           writes = taker.seats("max-mutating-requests-inflight");
  const std::optional<int> logged = reads && writes ? std::optional(*reads + *writes) : server.seats;
  refuse_other_server(known, server, logged);
  if (reads && writes && flags.inflight.given() && !flags.recorded.given() &&
      flags.inflight.server_concurrency_limit != *logged)
    flags.console.warn(
        apf::render_text({.kind = apf::RemarkKind::seats_differ,
                          .count = static_cast<std::uint64_t>(*logged),
                          .other = static_cast<std::uint64_t>(flags.inflight.server_concurrency_limit)}));
  flags.inflight.take(reads, writes, std::nullopt, kServersLog);
  for (const char* name : {"request-timeout", "min-request-timeout"})
    if (const auto value = taker.find(name)) flags.table.take(name, *value);
  if (taker.find("enable-priority-and-fairness") == "false") {
    flags.apf_was_off = true;
    flags.table.take("apf", "off");
  }
  take_event_rate_limit(flags, known);
  const std::string gates = taker.find("feature-gates").value_or("");
  for (const char* text : {"on", "off"})
    if (gates.find(std::string("ConsistentListFromCache=") + (text[1] == 'n' ? "true" : "false")) != std::string::npos)
      flags.table.take("consistent-list-from-cache", text);
  if (!server.version) return;
  const apf::KubeVersion given = flags.release.version;
  if (!flags.release.version_given()) flags.release.take(server.version);
  else if (given != *server.version ||
           (given.patch != apf::KubeVersion::kNewestPatch && given.patch != server.version->patch))
    flags.console.warn(apf::render_text(
        {.kind = apf::RemarkKind::release_differs, .name = given.str(), .detail = server.version->str()}));
}

}  // namespace

void take_server_flags(ReplayFlags& flags, const apf::KnownServer& known, const apf::LogOptions& log) {
  const apf::ServerFlags server = apf::read_server_flags(log);
  if (!server.log.empty() || !known.empty()) take_evidence(flags, known, server);
  if (const apf::Preset* preset = flags.settings.preset(); preset && preset->min_request_timeout)
    flags.table.take("min-request-timeout", std::to_string(*preset->min_request_timeout));
}

}  // namespace apfctl
