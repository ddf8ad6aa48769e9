// What every page begins and ends with: a browser lets it fetch and run nothing.
#pragma once

#include <string>

namespace apf {

// Up to <body>. `title` is markup.
std::string html_head(const std::string& title);
// From </main> on.
std::string html_foot(const std::string& made_by);
// A picture of its own, in the light colours; `title` is markup.
std::string svg_file(double width, double height, const std::string& body, const std::string& title);

}  // namespace apf
