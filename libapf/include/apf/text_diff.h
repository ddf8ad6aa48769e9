// The difference between two texts, as `diff -u`, `patch` and `git apply` have it.
#pragma once

#include <string>
#include <string_view>

#include <apf/version.h>

namespace apf {

// A unified diff with three lines of context, empty when the texts are equal. The file is called a/NAME and b/NAME,
// so that `git apply` and `patch -p1` take it as it is. Lines are compared as bytes: a carriage return counts, and so
// does a missing newline at the end. For texts that have little in common the diff is right, though not the shortest.
APF_API std::string unified_diff(std::string_view old_text, std::string_view new_text, std::string_view name);

}  // namespace apf
