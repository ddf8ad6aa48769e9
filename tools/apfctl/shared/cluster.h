// --from-cluster: the objects of a live cluster and what it says of its server, which kubectl reads.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <apf/config.h>

#include "shared/command_line.h"

namespace apfctl {

struct ClusterFlags {
  bool wanted = false;
  bool scrapes = true;  // facts() has /metrics, too
  std::optional<std::string> context, kubeconfig;

  // `what` is read.
  void declare(CommandLine& line, const char* what = "Read the objects of a cluster");
  void check() const;  // throws UsageError
  std::string name() const { return "the cluster" + (context ? " " + *context : std::string()); }
  std::string flags() const;  // as words of a shell command
  // What `kubectl get flowschemas,prioritylevelconfigurations -o json` prints. Throws apf::Error that says what to do:
  // kubectl is absent, or refuses.
  apf::ConfigText read() const;
  // What `kubectl get --raw PATH` prints. Nothing where that is not allowed or not there, which is noted.
  std::optional<apf::ConfigText> raw(const std::string& path) const;
  // What the server says of itself, as read_known_server() takes it: its release and its /metrics.
  std::vector<apf::ConfigText> facts() const;

  std::function<void(const std::string&)> note;  // gets what cannot be had
  std::function<void(const std::string&)> tell;  // gets each command that is run
};

}  // namespace apfctl
