// Edits of the annotation by which the server knows what it may change, and the objects that it once had.
#pragma once

#include <string_view>
#include <vector>

#include "config/maintenance.h"

namespace apf {

inline constexpr const char* kAutoupdateField = "metadata.annotations[apf.kubernetes.io/autoupdate-spec]";

// The edits of the object's source that forbid it; none where its layout allows none.
std::vector<Edit> forbid_autoupdate(const ObjectMeta& meta);

// A FlowSchema that releases before 1.34 built in.
bool is_former_built_in(std::string_view name);

}  // namespace apf
