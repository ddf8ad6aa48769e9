// APF606: an admission plugin that nobody has, almost named like one.
#include <algorithm>
#include <string_view>

#include <fmt/core.h>

#include "config/admission_objects.h"
#include "config/closest.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/rule.h"

namespace apf {

namespace {

// The plugins of kube-apiserver, of any release.
constexpr std::string_view kPlugins[] = {
    "AlwaysAdmit",
    "AlwaysDeny",
    "AlwaysPullImages",
    "CertificateApproval",
    "CertificateSigning",
    "CertificateSubjectRestriction",
    "ClusterTrustBundleAttest",
    "DefaultIngressClass",
    "DefaultStorageClass",
    "DefaultTolerationSeconds",
    "DenyEscalatingExec",
    "DenyExecOnPrivileged",
    "DenyServiceExternalIPs",
    "EventRateLimit",
    "ExtendedResourceToleration",
    "ImagePolicyWebhook",
    "LimitPodHardAntiAffinityTopology",
    "LimitRanger",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionWebhook",
    "NamespaceAutoProvision",
    "NamespaceExists",
    "NamespaceLifecycle",
    "NodeRestriction",
    "OwnerReferencesPermissionEnforcement",
    "PersistentVolumeClaimResize",
    "PersistentVolumeLabel",
    "PodNodeSelector",
    "PodPreset",
    "PodSecurity",
    "PodSecurityPolicy",
    "PodTolerationRestriction",
    "PodTopologyLabels",
    "Priority",
    "ResourceQuota",
    "RuntimeClass",
    "SecurityContextDeny",
    "ServiceAccount",
    "StorageObjectInUseProtection",
    "TaintNodesByCondition",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionWebhook",
};

void check_misspelt_plugin(const LintContext& context, Findings& findings) {
  for (const AdmissionConfiguration& object : context.loaded.admission_configurations) {
    for (std::size_t i = 0; i < object.plugins.size(); ++i) {
      const std::string& name = object.plugins[i].name;
      if (std::find(std::begin(kPlugins), std::end(kPlugins), name) != std::end(kPlugins)) continue;
      const std::string_view near = closest(name, kPlugins);
      if (near.empty()) continue;
      const std::string field = fmt::format("plugins[{}].name", i);
      Diagnostic& d =
          findings.add(object.meta, "AdmissionConfiguration", field,
                       fmt::format("kube-apiserver has no admission plugin \"{}\": it ignores this entry; {}", name,
                                   did_you_mean(near)));
      if (near == kEventRateLimitPlugin)
        d.notes.push_back({"without a configuration EventRateLimit doesn't start, nor does the server", {}});
      offer_fix(d, fmt::format("replace it with \"{}\"", near), false,
                replace_scalar(*object.meta.source.tree, field, near));
    }
  }
}

}  // namespace

extern const Rule rule_misspelt_plugin = {
    .code = "APF606",
    .name = "misspelt-plugin",
    .severity = Severity::warning,
    .group = RuleGroup::event_rate_limit,
    .summary = "an AdmissionConfiguration configures a plugin that does not exist",
    .what = R"(An entry of plugins has a name that no admission plugin of kube-apiserver has, in any release, but that
is nearly one. Upper and lower case matter. Other unknown names aren't reported: a server may have plugins of its own.)",
    .why = R"(The server looks its plugins up by their names and ignores every other entry, without a word. The plugin
that was meant starts without this configuration. EventRateLimit can't, and the server with it.)",
    .example = R"(apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: EventRatelimit
  path: eventconfig.yaml
)",
    .instead = R"(plugins:
- name: EventRateLimit
  path: eventconfig.yaml
)",
    .check = check_misspelt_plugin,
};

}  // namespace apf
