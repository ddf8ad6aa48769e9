// Which flags the short help of a command lists.
#pragma once

#include <string_view>

namespace apfctl {

// `flag`: its long name without dashes.
bool is_usual_flag(std::string_view command, std::string_view flag);

}  // namespace apfctl
