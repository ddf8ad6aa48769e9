// --from-cluster: the objects of a live cluster, which kubectl reads.
#pragma once

#include <optional>
#include <string>

#include <apf/config.h>

#include "command_line.h"

namespace apfctl {

struct ClusterFlags {
  bool wanted = false;
  std::optional<std::string> context, kubeconfig;

  // `what` is read.
  void declare(CommandLine& line, const char* what = "Read the objects of a cluster");
  void check() const;  // throws UsageError
  std::string name() const { return "the cluster" + (context ? " " + *context : std::string()); }
  std::string flags() const;  // as words of a shell command
  // What `kubectl get flowschemas,prioritylevelconfigurations -o json` prints. Throws apf::Error that says what to do:
  // kubectl is absent, or refuses.
  apf::ConfigText read() const;
};

}  // namespace apfctl
