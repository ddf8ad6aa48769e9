#include "scale_flags.h"

#include <apf/flag_values.h>

#include "flag_value.h"

namespace apfctl {

std::string user_of_client(const char* flag, const std::string& client) {
  return value_of(flag, [&] { return apf::parse_client(client); });
}

void set_width_cap(apf::ListWidths& widths, const char* flag, const std::string& text) {
  if (text.empty()) return;
  widths.most = static_cast<int>(value_of(flag, [&] { return apf::parse_whole_number(text, 1, apf::kMostListSeats); }));
}

void set_width_bytes(apf::ListWidths& widths, const char* flag, const std::string& text) {
  if (!text.empty()) widths.bytes = value_of(flag, [&] { return apf::parse_bytes(text); });
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
  line.option(
      "--width-cap", width_cap, "SEATS",
      "No list takes more seats than that, in place of the release's limit (100 since 1.34, 10 before): what if "
      "it were another one? Levels still allow no more than they do.");
  line.option(
      "--width-bytes", width_bytes, "BYTES",
      "A list takes a seat for each so many bytes that it returns, such as 100k: what if its seats followed from "
      "that? By object counts with sizes (--objects); other lists take what the release estimates, and are "
      "counted.");
  line.option("--nodes", nodes, "X",
              "Replay X times as many nodes. Copies of what users system:node:* send, each as a node of its own.");
}

void ScaleFlags::set(apf::ReplayOptions& options) const {
  for (const std::string& text : scales)
    options.scales.push_back(value_of("--scale", [&] { return apf::parse_scale(text); }));
  for (const std::string& text : executions)
    options.execution_scales.push_back(value_of("--execution-scale", [&] { return apf::parse_execution_scale(text); }));
  set_width_cap(options.list_widths, "--width-cap", width_cap);
  set_width_bytes(options.list_widths, "--width-bytes", width_bytes);
  if (!nodes.empty()) options.scales.push_back(value_of("--nodes", [&] { return apf::parse_nodes(nodes); }));
}

}  // namespace apfctl
