#include "scale_flags.h"

#include <optional>

#include <apf/report.h>

#include "user_shorthand.h"

namespace apfctl {

namespace {

constexpr double kMostFactor = 10'000;
constexpr const char* kAllNodes = "system:node:*";

// "2", "0.5", "2x".
double parse_factor(const char* flag, const std::string& text) {
  const bool times = !text.empty() && text.back() == 'x';
  const double factor = parse_number(flag, times ? text.substr(0, text.size() - 1) : text);
  if (!(factor >= 0 && factor <= kMostFactor))
    throw UsageError(std::string(flag) + ": " + apf::printable(text) + " is not between 0 and 10000");
  return factor;
}

}  // namespace

std::string user_of_client(const char* flag, const std::string& client) {
  if (client.empty()) throw UsageError(std::string(flag) + ": the name of the client is empty");
  const std::optional<apf::Subject> subject = subject_of_shorthand(flag, client);
  if (!subject) return client;
  if (subject->service_account)
    return "system:serviceaccount:" + subject->service_account->ns + ":" + subject->service_account->name;
  if (client == "node:*") return kAllNodes;
  if (subject->kind == "Group")
    throw UsageError(std::string(flag) + ": '" + apf::printable(client) +
                     "' is a group; name users: sa:NAMESPACE/NAME, sa:NAMESPACE/*, node:*, user:NAME or the beginning "
                     "of a name with * behind it");
  return subject->user.value_or(client);
}

void ScaleFlags::declare(CommandLine& line) {
  line.heading("Load");
  line.list(
      "--scale", scales, "[CLIENT=]X",
      "Replay X times the load: copies of each client's requests, each copy moved by up to 1s; below 1, a part of "
      "them. With CLIENT, for these clients alone: sa:NS/NAME, sa:NS/*, node:NAME, user:NAME, or how a name "
      "begins, followed by *. Repeatable.");
  line.option("--nodes", nodes, "X",
              "Replay X times as many nodes: copies of what users system:node:* send, each as a node of its own.");
}

void ScaleFlags::set(apf::ReplayOptions& options) const {
  for (const std::string& text : scales) {
    const std::size_t equals = text.rfind('=');
    apf::LoadScale scale;
    if (equals != std::string::npos) scale.user = user_of_client("--scale", text.substr(0, equals));
    scale.factor = parse_factor("--scale", equals == std::string::npos ? text : text.substr(equals + 1));
    options.scales.push_back(std::move(scale));
  }
  if (!nodes.empty()) options.scales.push_back({kAllNodes, parse_factor("--nodes", nodes), true});
}

}  // namespace apfctl
