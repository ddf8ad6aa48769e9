#include "flags/log_paths.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include <apf/error.h>
#include <apf/report.h>

#include "flags/replay_flags.h"
#include "shared/input.h"

namespace apfctl {

void find_logs_in(std::vector<std::string>& logs, apf::LogTexts& texts, const Console& console) {
  take_stdin(logs);
  static std::deque<apf::FoundLogs> kept;  // the texts are theirs
  const apf::FoundLogs& found = kept.emplace_back(apf::find_logs(logs));
  for (const apf::Remark& warning : found.warnings) console.warn(apf::printable(apf::render_text(warning)));
  logs = found.logs;
  texts.insert(found.texts.begin(), found.texts.end());
}

namespace {

void take_event_rate_limit(ReplayFlags& flags, const apf::KnownServer& known) {
  if (flags.table.given("event-rate-limit") || flags.systems) return;
  if (known.event_rate_limit) flags.table.take("event-rate-limit", known.event_rate_limit->value);
  else if (known.has_plugin("EventRateLimit").value_or(false))
    flags.console.warn(apf::printable(
        fmt::format("{} enables EventRateLimit, but its configuration is not there: events are not limited; give its "
                    "file with --event-rate-limit",
                    known.flag("enable-admission-plugins")->from)));
}

void take_evidence(ReplayFlags& flags, apf::KnownServer& known, const apf::ServerFlags& server) {
  const bool gates_known = known.flag("feature-gates") != nullptr;
  known.add(server);
  const std::optional<int> logged = server.shared_seats();
  if (logged && logged != server.seats && flags.inflight.given() && !flags.recorded.given() &&
      flags.inflight.server_concurrency_limit != *logged)
    flags.console.warn(
        apf::render_text({.kind = apf::RemarkKind::seats_differ,
                          .count = static_cast<std::uint64_t>(*logged),
                          .other = static_cast<std::uint64_t>(flags.inflight.server_concurrency_limit)}));
  const auto on = known.priority_and_fairness();
  const bool is_off = on && on->value == "false";
  if (flags.leaves_out_wrong && !is_off) flags.inflight.take(std::nullopt, std::nullopt, logged, kServersLog);
  else
    flags.inflight.take(known.number("max-requests-inflight"), known.number("max-mutating-requests-inflight"),
                        std::nullopt, kServersLog);
  for (const char* name : {"request-timeout", "min-request-timeout"})
    if (const apf::KnownServer::Fact* fact = known.flag(name)) flags.table.take(name, fact->value);
  if (is_off) {
    flags.apf_was_off = true;
    flags.table.take("apf", "off");
  }
  take_event_rate_limit(flags, known);
  if (server.version && !flags.release.version_given()) flags.release.take(server.version, server.log);
  if (const apf::KnownServer::Fact* gates = known.flag("feature-gates"); gates && !gates_known)
    flags.release.set_gates(gates->value, gates->from, flags.console);
  if (!server.version) return;
  const apf::KubeVersion given = flags.release.version;
  if (given != *server.version ||
      (given.patch != apf::KubeVersion::kNewestPatch && given.patch != server.version->patch))
    flags.console.warn(apf::render_text(
        {.kind = apf::RemarkKind::release_differs, .name = given.str(), .detail = server.version->str()}));
}

}  // namespace

apf::KnownServer take_server_flags(ReplayFlags& flags, const apf::KnownServer& files, const apf::LogOptions& log) {
  apf::KnownServer known = files;
  const apf::ServerFlags server = apf::read_server_flags(log);
  if (!server.log.empty() || !known.empty()) take_evidence(flags, known, server);
  if (const apf::Preset* preset = flags.settings.preset(); preset && preset->min_request_timeout)
    flags.table.take("min-request-timeout", std::to_string(*preset->min_request_timeout));
  flags.table.count_nodes(log.logs);
  return known;
}

}  // namespace apfctl
