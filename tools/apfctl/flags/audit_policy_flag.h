// --audit-policy: the policy of the server that wrote, or would write, the audit log.
#pragma once

#include <optional>
#include <string>

#include <apf/config.h>

namespace apfctl {

struct Console;
class CommandLine;

struct AuditPolicyFlag {
  std::string path;
  void declare(CommandLine& line);
  bool given() const { return !path.empty(); }
  // Reads the file and prints what is wrong with it; nothing if the server would refuse it.
  std::optional<apf::AuditPolicy> load(const Console& console) const;
};

}  // namespace apfctl
