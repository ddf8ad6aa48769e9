// apfctl new: the objects that need nothing but their names.
#pragma once

#include <string>
#include <vector>

namespace apfctl {

// A name as YAML has it: in quotes where it would be a number or a boolean.
std::string yaml_name(const std::string& name);

std::string new_event_rate_limit_text();
std::string new_audit_policy_text();
// Of names as kube-apiserver takes them.
std::string new_quota_text(const std::string& name, const std::string& ns);
// `files`: the configuration; empty: the built-in objects alone.
std::string new_test_text(const std::vector<std::string>& files);

}  // namespace apfctl
