// What every page begins and ends with: a browser lets it fetch and run nothing.
#pragma once

#include <string>

namespace apf {

// Up to <body>. `title` is markup.
std::string html_head(const std::string& title);
// From </main> on.
std::string html_foot();

}  // namespace apf
