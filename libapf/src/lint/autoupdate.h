// The annotation by which the server knows which of its own objects it may change, and the objects that it once had.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <apf/config.h>
#include <apf/findings.h>

namespace apf {

inline constexpr const char* kAutoupdateAnnotation = "apf.kubernetes.io/autoupdate-spec";
inline constexpr const char* kAutoupdateField = "metadata.annotations[apf.kubernetes.io/autoupdate-spec]";

bool has_autoupdate(const ObjectMeta& meta);
// What it says; nothing if it is absent or no boolean.
std::optional<bool> autoupdate(const ObjectMeta& meta);

// Whether the server would restore its own spec of one of its suggested objects.
bool is_restored(const ObjectMeta& meta);
// The edits of the object's source that forbid it; none where its layout allows none.
std::vector<Edit> forbid_autoupdate(const ObjectMeta& meta);

// A FlowSchema that releases before 1.34 built in.
bool is_former_built_in(std::string_view name);

}  // namespace apf
