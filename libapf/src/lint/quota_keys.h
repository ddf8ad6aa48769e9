// What the rules about ResourceQuotas share: which keys mean the same, which scopes a quota has, and pointing at a key.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include <apf/config.h>

#include "lint/rule.h"

namespace apf {

inline std::string hard_field(std::string_view key) { return "spec.hard[" + std::string(key) + "]"; }

// A finding that points at a key of spec.hard.
Diagnostic& add_at_key(Findings& findings, const ResourceQuota& quota, std::string_view key, std::string message);

// cpu, memory, ephemeral-storage and hugepages are short for the requests of that name.
std::string full_name(std::string_view key);

// What objects of one namespace have alike. Those without a namespace are for one, most likely, if they are in one
// file.
std::string place_of(const ObjectMeta& meta, const std::string& ns);

// A key that validation refuses needs no other rule.
bool is_valid_key(std::string_view key);
inline bool is_object_count(std::string_view key) { return key.starts_with("count/"); }

// Why nothing is ever counted under a key that begins with count/, and the cure; empty: something is, or it can't be
// known.
std::string object_count_fault(std::string_view key, KubeVersion version_of_server);
// The name under which what any other key means is counted; empty: under the key itself, or another plugin may count
// it.
std::string counted_quota_name(std::string_view key);
bool counts_nothing(std::string_view key, KubeVersion version);

// What a quota demands of an object before it counts it, in one spelling: scopes and terms of the selector are the same
// thing.
std::set<std::string> scope_terms(const ResourceQuota& quota);

}  // namespace apf
