// Reading and validating LimitRanges (core/v1).
#pragma once

#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/version.h>

#include "config/tree.h"
#include "config/validate_object.h"

namespace apf {

inline constexpr std::string_view kLimitRangeKind = "LimitRange";

// As written. The object must have passed check_fields.
LimitRange decode_limit_range(const ConfigNode& object, std::string api_version);

// The items as the server stores them: SetDefaults_LimitRangeItem of core/v1.
std::vector<LimitRange::Item> defaulted_items(const LimitRange& range);

// As the registry validates it; `old` matters for updates.
void validate_object(const LimitRange& object, Operation operation, KubeVersion version, const LimitRange* old,
                     std::vector<Diagnostic>& out);
// Of the spec alone; `items` as stored.
void validate_limit_range_items(const std::vector<LimitRange::Item>& items, FieldErrors& errors);

}  // namespace apf
