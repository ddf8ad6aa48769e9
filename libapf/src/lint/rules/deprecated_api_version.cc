// APF502: an API version that the release still serves and one to come does not.
#include <string_view>

#include <fmt/core.h>

#include "base/releases.h"
#include "base/text.h"
#include "config/audit_policy.h"
#include "lint/causes.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

constexpr std::string_view kGroup = "flowcontrol.apiserver.k8s.io/";

// The lifecycle of the object's version if the release is going to lose it.
const ApiLifecycle* deprecation(const ObjectMeta& meta, KubeVersion version) {
  const std::string_view name = meta.api_version;
  if (!name.starts_with(kGroup)) return nullptr;
  const ApiLifecycle* row = find_api_lifecycle(name.substr(kGroup.size()));
  return row && row->is_deprecated(version) ? row : nullptr;
}

// The version that was served beside this one when it was deprecated. Rows are ordered from the newest to the oldest.
std::string_view successor(const ApiLifecycle& row) { return (&row - 1)->version; }

std::string message_of(const ApiLifecycle& row) {
  return fmt::format("{}{} is deprecated; Kubernetes 1.{} no longer serves it", kGroup, row.version, row.removed);
}

void check_deprecated_api_version(const LintContext& context, Findings& findings) {
  const Config& config = context.stored;
  const UnknownFields unknown(context.loaded);
  for (const AuditPolicy& policy : context.loaded.audit_policies) {
    if (!is_one_of(kOldAuditVersions, policy.meta.api_version)) continue;
    if (!has(context.options.version, Feature::old_audit_versions)) continue;
    Diagnostic& d = findings.add(policy.meta, "Policy", "apiVersion",
                                 policy.meta.api_version + " is deprecated; Kubernetes 1.24 no longer reads it");
    offer_fix(d, fmt::format("replace it with {}", kAuditApiVersion), true,
              replace_scalar(*policy.meta.source.tree, "apiVersion", kAuditApiVersion));
  }
  for (const FlowSchema& schema : config.flow_schemas) {
    const ApiLifecycle* row = deprecation(schema.meta, context.options.version);
    if (!row) continue;
    // The FlowSchemas of all these versions are the same.
    const std::string next = std::string(kGroup) + std::string(successor(*row));
    Diagnostic& d = findings.add(schema, "apiVersion", message_of(*row));
    if (unknown.of(d)) continue;
    offer_fix(d, "replace it with " + next, true, replace_scalar(*schema.meta.source.tree, "apiVersion", next));
  }
  for (const PriorityLevel& level : config.priority_levels) {
    const ApiLifecycle* row = deprecation(level.meta, context.options.version);
    if (!row) continue;
    Diagnostic& d = findings.add(level, "apiVersion", message_of(*row));
    d.notes.push_back({fmt::format("'apfctl convert --to {} FILE' rewrites the object", successor(*row)), {}});
    if (unknown.of(d)) continue;
    offer_fix(d, fmt::format("convert it to {}", successor(*row)), true, version_edits(level, successor(*row)));
  }
}

}  // namespace

extern const Rule rule_deprecated_api_version = {
    .code = "APF502",
    .name = "deprecated-api-version",
    .severity = Severity::warning,
    .group = RuleGroup::versions,
    .summary = "the API version of an object is deprecated",
    .what = R"(The release of --kubernetes-version still serves the object's apiVersion, but its removal has been
announced: v1beta1 from 1.23 on, v1beta2 from 1.26 on, v1beta3 from 1.29 on; or it is an audit policy of v1beta1 or
v1alpha1, which servers read until 1.23. (For a version that has been removed, see
not-served-version.))",
    .why = R"(After the upgrade that removes the version, the manifest can't be applied any more. Stored objects are
served in the versions that remain.)",
    .example = R"(# with --kubernetes-version 1.31
apiVersion: flowcontrol.apiserver.k8s.io/v1beta3
kind: FlowSchema
)",
    .instead = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
)",
    .check = check_deprecated_api_version,
};

}  // namespace apf
