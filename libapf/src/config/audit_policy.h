// Audit policies among the objects of a configuration.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <apf/config.h>

namespace apf {

inline constexpr std::string_view kAuditApiVersion = "audit.k8s.io/v1";
inline constexpr std::string_view kAuditPolicyKind = "Policy";

// Is this document meant to be an audit policy? Of another version it is refused when it is decoded.
bool is_audit_policy(std::string_view api_version, std::string_view kind);

// Nothing if the server would refuse it, which the diagnostics then say.
std::optional<AuditPolicy> decode_audit_policy(const ObjectSource& source, std::vector<Diagnostic>& diagnostics);

}  // namespace apf
