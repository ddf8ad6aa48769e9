// APF502: an API version that the release still serves and one to come does not.
#include <string_view>

#include <fmt/format.h>

#include "lint/fix_edits.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

// Lifecycle markers of k8s.io/api/flowcontrol. `next`: what was served beside it when it was deprecated.
struct Lifecycle {
  std::string_view version;
  int introduced, deprecated, removed;
  std::string_view next;
};
constexpr Lifecycle kVersions[] = {
    {"flowcontrol.apiserver.k8s.io/v1beta1", 20, 23, 26, "flowcontrol.apiserver.k8s.io/v1beta2"},
    {"flowcontrol.apiserver.k8s.io/v1beta2", 23, 26, 29, "flowcontrol.apiserver.k8s.io/v1beta3"},
    {"flowcontrol.apiserver.k8s.io/v1beta3", 26, 29, 32, "flowcontrol.apiserver.k8s.io/v1"},
};

const Lifecycle* deprecation(const ObjectMeta& meta, KubeVersion version) {
  for (const Lifecycle& row : kVersions) {
    if (row.version == meta.api_version && version.minor >= row.deprecated && version.minor < row.removed) return &row;
  }
  return nullptr;
}

std::string message_of(const Lifecycle& row) {
  return fmt::format("{} is deprecated and no longer served from Kubernetes 1.{} on", row.version, row.removed);
}

void check(const LintContext& context, Findings& findings) {
  const Config& config = context.stored;
  for (const FlowSchema& schema : config.flow_schemas) {
    const Lifecycle* row = deprecation(schema.meta, context.options.version);
    if (!row) continue;
    // The FlowSchemas of all these versions are the same.
    offer_fix(findings.add(schema, "apiVersion", message_of(*row)), fmt::format("replace it with {}", row->next), true,
              replace_scalar(*schema.meta.source.tree, "apiVersion", row->next));
  }
  for (const PriorityLevel& level : config.priority_levels) {
    const Lifecycle* row = deprecation(level.meta, context.options.version);
    if (!row) continue;
    Diagnostic& d = findings.add(level, "apiVersion", message_of(*row));
    d.notes.push_back(
        {fmt::format("'apfctl convert --to {}' rewrites the object", row->next.substr(row->next.find('/') + 1)), {}});
  }
}

}  // namespace

extern const Rule rule_deprecated_api_version = {
    .code = "APF502",
    .name = "deprecated-api-version",
    .severity = Severity::warning,
    .group = RuleGroup::versions,
    .summary = "the API version of an object is deprecated",
    .what = R"(At the release of --kubernetes-version the apiVersion is still served, and has been announced to go:
v1beta1 from 1.23 on, v1beta2 from 1.26 on, v1beta3 from 1.29 on. (One that is gone is not-served-version.))",
    .why = R"(With the upgrade that removes it the manifest can no longer be applied. Objects that are stored are
served in the versions that remain.)",
    .example = R"(# with --kubernetes-version 1.31
apiVersion: flowcontrol.apiserver.k8s.io/v1beta3
kind: FlowSchema
)",
    .instead = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
)",
    .check = check,
};

}  // namespace apf
