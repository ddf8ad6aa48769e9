#include "client_flags.h"

#include <fmt/format.h>

#include <apf/report.h>

namespace apfctl {

namespace {

// AGENT=WHAT; a user agent may contain '=' itself.
std::pair<std::string, std::string> split(const char* flag, const std::string& text, const char* form) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw UsageError(fmt::format("{}: '{}' is not {}", flag, apf::printable(text), form));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

void ClientFlags::declare(CommandLine& line) {
  line.list("--client-timeout", timeouts, "AGENT=DURATION",
            "Clients whose user agent or user name starts with AGENT (*: every client) hang up if a request is not "
            "answered after DURATION, such as kubectl/=30s. Repeatable.");
}

void ClientFlags::set(apf::ReplayOptions& options) const {
  for (const std::string& text : timeouts) {
    const auto [agent, duration] = split("--client-timeout", text, "AGENT=DURATION, such as kubectl/=30s or '*=30s'");
    const apf::Nanos patience = parse_duration("--client-timeout", duration);
    if (patience == 0) throw UsageError("--client-timeout: " + apf::printable(text) + " must be greater than 0");
    options.client_timeouts.push_back({agent, patience});
  }
}

}  // namespace apfctl
