// Characters that the reader of a text does not see, or takes for others.
#pragma once

#include <string>
#include <string_view>

namespace apf {

// What a text has that its reader does not see, and the text without it.
struct Unseen {
  std::string what;   // empty: nothing
  std::string shown;  // the text with <U+200B> for it
  std::string meant;  // empty: not known
};

Unseen unseen_in(std::string_view text);

}  // namespace apf
