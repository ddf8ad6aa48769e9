// ">= 90": what a test file compares numbers with.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <apf/test_file.h>

#include "config/fields.h"

namespace apf {

// Nothing if it is neither a whole number nor an operator with one.
std::optional<NumberTest> parse_number_test(std::string_view text);

// One, or a list of them.
std::vector<NumberTest> number_tests_of(Faults& faults, std::string_view key, const ConfigNode& node);

}  // namespace apf
