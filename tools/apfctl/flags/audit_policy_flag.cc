#include "flags/audit_policy_flag.h"

#include <apf/report.h>

#include "flags/options.h"
#include "shared/input.h"
#include "shared/output.h"

namespace apfctl {

void AuditPolicyFlag::declare(CommandLine& line) {
  line.option("--audit-policy", path, "FILE", "The server's audit policy, which says what it records of each request.");
}

std::optional<apf::AuditPolicy> AuditPolicyFlag::load(const Console& console) const {
  const apf::ConfigText text{path == "-" ? "standard input" : path, read_text(path)};
  apf::LoadedAuditPolicy loaded = apf::load_audit_policy(text);
  if (print_findings(std::move(loaded.diagnostics), {text}, console) > 0)
    write_stderr("apfctl: kube-apiserver would not start with this audit policy\n");
  return std::move(loaded.policy);
}

}  // namespace apfctl
