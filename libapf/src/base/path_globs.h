// Which paths a glob means: .gitignore, .apfctl.yaml.
#pragma once

#include <string_view>

namespace apf {

// Globs as in .gitignore: '*' and '?' stay within a folder, '**' spans folders, a pattern without '/' counts in every
// folder, one that matches a folder for all below it.
bool path_matches(std::string_view glob, std::string_view path);

}  // namespace apf
