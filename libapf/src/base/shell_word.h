// Commands that a report tells its reader to type.
#pragma once

#include <string>
#include <string_view>

namespace apf {

// As a word of a command line: in quotes where a shell needs them.
std::string shell_word(std::string_view text);

}  // namespace apf
