// The difference of two texts, line by line, as `diff -u` writes it.
#pragma once

#include <string>
#include <string_view>

#include <apf/version.h>

namespace apf {

// Empty if the texts are equal. Three lines of context; the names stand in the head.
APF_API std::string unified_diff(std::string_view old_name, std::string_view new_name, std::string_view old_text,
                                 std::string_view new_text);

}  // namespace apf
