// Any text as an audit policy: what is wrong has its place, a policy answers for every request, and what it never
// records of a configuration is said in sets that its own rules decide.
#include <cstdint>
#include <cstdlib>
#include <string>

#include <apf/classify.h>
#include <apf/config.h>
#include <apf/lint.h>

#include "fuzz/entry.h"

using apf::fuzz::require;

namespace {

constexpr std::size_t kMostRules = 24;     // the walk over all users and rules is for policies that people write
constexpr std::size_t kMostBytes = 4'096;  // likewise

}  // namespace

APF_FUZZER(policy_fuzz) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const apf::LoadedAuditPolicy loaded = apf::load_audit_policy({"policy.yaml", text});
  bool errors = false;
  for (const apf::Diagnostic& d : loaded.diagnostics) {
    require(!d.message.empty());
    errors = errors || d.severity == apf::Severity::error;
  }
  require(loaded.policy.has_value() != errors);
  if (!loaded.policy) return;
  const apf::AuditPolicy& policy = *loaded.policy;
  static constexpr const char* kUris[] = {"/api/v1/namespaces/a/pods/b/log", "/apis/apps/v1/deployments", "/healthz",
                                          "/"};
  for (const char* uri : kUris) {
    apf::ParsedRequest request;
    apf::parse_request("GET", uri, request);
    apf::User user;
    user.name = "system:node:a";
    user.groups = {"system:nodes", "system:authenticated"};
    const apf::AuditVerdict verdict = apf::audit_verdict(policy, request.info, user);
    require(!verdict.rule || *verdict.rule < policy.rules.size());
    require(verdict.rule || verdict.level == apf::AuditLevel::none);
  }
  if (size > kMostBytes || policy.rules.size() > kMostRules) return;
  static const apf::Config config = apf::bootstrap_config(apf::kNewestKubeVersion);
  for (const apf::PolicySchema& schema : apf::policy_coverage(config, policy).schemas) {
    using Recorded = apf::PolicySchema::Recorded;
    require((schema.recorded == Recorded::nothing) == schema.still.empty());
    require((schema.recorded == Recorded::all) == schema.never.empty());
    for (const apf::RequestSet& set : schema.never) require(!set.rule || *set.rule < policy.rules.size());
  }
}
