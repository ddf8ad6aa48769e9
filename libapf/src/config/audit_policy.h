// Audit policies among the objects of a configuration.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <apf/config.h>
#include <apf/version.h>

namespace apf {

inline constexpr std::string_view kAuditApiVersion = "audit.k8s.io/v1";
// Read until 1.23.
inline constexpr std::string_view kOldAuditVersions[] = {"audit.k8s.io/v1beta1", "audit.k8s.io/v1alpha1"};
inline constexpr std::string_view kAuditPolicyKind = "Policy";

// Is this document meant to be an audit policy? Of another version it is refused when it is decoded.
bool is_audit_policy(std::string_view api_version, std::string_view kind);

// Appends an error if the release does not read the policy's version any more: v1 is left from 1.24 on.
void check_audit_version(const AuditPolicy& policy, KubeVersion version, std::vector<Diagnostic>& out);

// Nothing if no server would take it, which the diagnostics then say. Which servers do: check_audit_version().
std::optional<AuditPolicy> decode_audit_policy(const ObjectSource& source, std::vector<Diagnostic>& diagnostics);

}  // namespace apf
