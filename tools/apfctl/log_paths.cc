#include "log_paths.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include <apf/report.h>

#include "replay_flags.h"

namespace apfctl {

namespace {

bool is_given(const CommandLine& line, const char* flag) {
  return std::any_of(line.words().begin(), line.words().end(),
                     [&](const CommandLine::Word& word) { return word.flag == flag; });
}

}  // namespace

void find_logs_in(std::vector<std::string>& logs, apf::LogTexts& texts, const Console& console) {
  static std::deque<apf::FoundLogs> kept;  // the texts are theirs
  const apf::FoundLogs& found = kept.emplace_back(apf::find_logs(logs));
  for (const apf::Remark& warning : found.warnings) console.warn(apf::printable(apf::render_text(warning)));
  logs = found.logs;
  texts.insert(found.texts.begin(), found.texts.end());
}

void take_server_flags(ReplayFlags& flags, const CommandLine& line, const apf::LogOptions& log) {
  const apf::ServerFlags server = apf::read_server_flags(log);
  if (server.log.empty()) return;
  const auto seats = [&](const char* name) -> std::optional<int> {
    const auto at = server.flags.find(name);
    if (at == server.flags.end()) return std::nullopt;
    return static_cast<int>(parse_int(fmt::format("{}: --{}", server.log, name).c_str(), at->second, 0, kMostSeats));
  };
  const std::optional<int> reads = seats("max-requests-inflight"), writes = seats("max-mutating-requests-inflight");
  if (reads && writes && flags.inflight.given() && !flags.recorded.given() &&
      flags.inflight.server_concurrency_limit != *reads + *writes)
    flags.console.warn(
        apf::render_text({.kind = apf::RemarkKind::seats_differ,
                          .count = static_cast<std::uint64_t>(*reads + *writes),
                          .other = static_cast<std::uint64_t>(flags.inflight.server_concurrency_limit)}));
  flags.inflight.take(reads, writes, std::nullopt, kServersLog);
  const auto take = [&](const char* name, std::string& value) {
    const auto at = server.flags.find(name);
    if (at != server.flags.end() && !is_given(line, (std::string("--") + name).c_str())) value = at->second;
  };
  take("request-timeout", flags.request_timeout);
  take("min-request-timeout", flags.min_request_timeout);
  std::string on, gates;
  take("enable-priority-and-fairness", on);
  if (on == "false" && !is_given(line, "--apf")) flags.stages.apf_text = "off";
  take("feature-gates", gates);
  for (const char* text : {"on", "off"})
    if (gates.find(std::string("ConsistentListFromCache=") + (text[1] == 'n' ? "true" : "false")) !=
            std::string::npos &&
        !is_given(line, "--consistent-list-from-cache"))
      flags.consistent_list = text;
  if (!server.version) return;
  const apf::KubeVersion given = flags.release.version;
  if (!flags.release.version_given()) flags.release.take(server.version);
  else if (given != *server.version ||
           (given.patch != apf::KubeVersion::kNewestPatch && given.patch != server.version->patch))
    flags.console.warn(apf::render_text(
        {.kind = apf::RemarkKind::release_differs, .name = given.str(), .detail = server.version->str()}));
}

}  // namespace apfctl
