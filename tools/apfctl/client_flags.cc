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

const Choices<apf::ClientModel> kModels = {
    {"open", apf::ClientModel::open}, {"workers", apf::ClientModel::workers}, {"loop", apf::ClientModel::loop}};
constexpr int kMostPlaces = 1'000'000;

// MODEL or MODEL:N.
apf::ClientModelOf parse_model(const std::string& agent, const std::string& text) {
  const std::size_t colon = text.find(':');
  apf::ClientModelOf out;
  out.agent = agent;
  out.model = kModels.parse("--client-model", text.substr(0, colon));
  if (colon == std::string::npos) return out;
  const std::string places = text.substr(colon + 1);
  if (out.model == apf::ClientModel::open)
    throw UsageError("--client-model: open clients have no number of requests in flight: use open alone");
  if (places != "auto") out.places = static_cast<int>(parse_int("--client-model", places, 1, kMostPlaces));
  return out;
}

}  // namespace

void ClientFlags::declare(CommandLine& line) {
  line.list(
      "--client-model", models, "AGENT=MODEL",
      "How clients send whose user agent or user name starts with AGENT (*: every client): open (at the recorded "
      "times, default), workers[:N] (N requests in flight at most, the rest waits in the client) or loop[:N] (the "
      "next request follows an answer). Without N, as the log shows. Or auto: all clients as the log shows, where "
      "the evidence is strong. Repeatable.");
  line.list("--client-timeout", timeouts, "AGENT=DURATION",
            "Clients whose user agent or user name starts with AGENT (*: every client) hang up if a request is not "
            "answered after DURATION, such as kubectl/=30s. Repeatable.");
}

void ClientFlags::set(apf::ReplayOptions& options) const {
  for (const std::string& text : models) {
    if (text == "auto") {
      options.client_models_by_log = true;
      continue;
    }
    const auto [agent, model] = split("--client-model", text, "AGENT=MODEL, such as ci/=loop, or auto");
    options.client_models.push_back(parse_model(agent, model));
  }
  for (const std::string& text : timeouts) {
    const auto [agent, duration] = split("--client-timeout", text, "AGENT=DURATION, such as kubectl/=30s or '*=30s'");
    const apf::Nanos patience = parse_duration("--client-timeout", duration);
    if (patience == 0) throw UsageError("--client-timeout: " + apf::printable(text) + " must be greater than 0");
    options.client_timeouts.push_back({agent, patience});
  }
}

}  // namespace apfctl
