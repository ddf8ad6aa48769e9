#include "scale_flags.h"

#include <apf/flag_values.h>

#include "flag_value.h"

namespace apfctl {

std::string user_of_client(const char* flag, const std::string& client) {
  return value_of(flag, [&] { return apf::parse_client(client); });
}

void ScaleFlags::declare(CommandLine& line) {
  line.heading("Load");
  line.list(
      "--scale", scales, "[CLIENT=]X",
      "Replay X times the load. Copies of each client's requests, each copy moved by up to 1s; below 1, a part of "
      "them. With CLIENT, for these clients alone: sa:NS/NAME, sa:NS/*, node:NAME, user:NAME, or how a name "
      "begins, followed by *. Repeatable.");
  line.list("--execution-scale", executions, "[WHAT=]X",
            "Requests run X times as long as in the log: what if etcd, a webhook or a disk is slower? With WHAT, those "
            "of a client (as in --scale), a priority level or a resource (pods, deployments.apps) alone. Repeatable.");
  line.option("--nodes", nodes, "X",
              "Replay X times as many nodes. Copies of what users system:node:* send, each as a node of its own.");
}

void ScaleFlags::set(apf::ReplayOptions& options) const {
  for (const std::string& text : scales)
    options.scales.push_back(value_of("--scale", [&] { return apf::parse_scale(text); }));
  for (const std::string& text : executions)
    options.execution_scales.push_back(value_of("--execution-scale", [&] { return apf::parse_execution_scale(text); }));
  if (!nodes.empty()) options.scales.push_back(value_of("--nodes", [&] { return apf::parse_nodes(nodes); }));
}

}  // namespace apfctl
