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

// A key that validation refuses needs no other rule.
bool is_valid_key(std::string_view key);
inline bool is_object_count(std::string_view key) { return key.starts_with("count/"); }

// What a quota demands of an object before it counts it, in one spelling: scopes and terms of the selector are the same
// thing.
std::set<std::string> scope_terms(const ResourceQuota& quota);

}  // namespace apf
