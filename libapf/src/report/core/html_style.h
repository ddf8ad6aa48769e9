// The page's style sheet, light and dark.
#pragma once

#include <string_view>

namespace apf {

std::string_view page_style();

}  // namespace apf
