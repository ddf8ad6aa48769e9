// The page's style sheet, light and dark.
#pragma once

#include <string_view>

namespace apf {

std::string_view page_style();   // all of it
std::string_view chart_style();  // what charts need of it, but for the variables

}  // namespace apf
