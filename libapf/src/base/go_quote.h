// How Go's fmt prints text in messages.
#pragma once

#include <string>
#include <string_view>

namespace apf {

// Go's %q: a double-quoted string with Go's escapes.
std::string go_quote(std::string_view text);

// Go's unicode.IsPrint, as far as it concerns spaces, control and format characters and private use. Unassigned code
// points are taken as printable.
bool is_go_printable(char32_t rune);

}  // namespace apf
