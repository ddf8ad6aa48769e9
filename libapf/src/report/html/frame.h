// What every page begins and ends with: a browser lets it fetch and run nothing.
#pragma once

#include <string>

#include <apf/report.h>

namespace apf {

// Up to <body>. `title` is markup.
std::string html_head(const std::string& title);
// From </main> on.
std::string html_foot();
// What was expected, and whether it is so.
std::string html_expectations(const std::vector<ExpectationResult>& results);
// What speaks against what follows: see doubts_of().
std::string html_doubts(const std::vector<std::string>& doubts);

}  // namespace apf
