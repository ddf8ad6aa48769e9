#include "client_flags.h"

#include <apf/flag_values.h>

#include "flag_value.h"

namespace apfctl {

void ClientFlags::declare(CommandLine& line) {
  line.list(
      "--client-model", models, "AGENT=MODEL",
      "How clients behave whose user agent or user name starts with AGENT (*: every client): open (they send at the "
      "recorded times, default), workers[:N] (at most N requests in flight, the rest wait in the client) or loop[:N] "
      "(the next request follows an answer). Without N, as the log shows. Or auto: all clients as the log shows, where "
      "the evidence is strong. Repeatable.");
  declare_timeouts(line);
}

void ClientFlags::declare_timeouts(CommandLine& line) {
  line.list("--client-timeout", timeouts, "AGENT=DURATION",
            "Clients whose user agent or user name starts with AGENT (*: every client) hang up if a request is not "
            "answered after DURATION, such as kubectl/=30s. Repeatable.");
}

void ClientFlags::set(apf::ReplayOptions& options) const {
  for (const std::string& text : models) {
    if (text == "auto") options.client_models_by_log = true;
    else options.client_models.push_back(value_of("--client-model", [&] { return apf::parse_client_model(text); }));
  }
  for (const std::string& text : timeouts)
    options.client_timeouts.push_back(value_of("--client-timeout", [&] { return apf::parse_client_timeout(text); }));
}

}  // namespace apfctl
