// Files that are named by another file, such as settings or a test file, rather than on the command line.
#pragma once

#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/findings.h>

namespace apfctl {

// Before `path` is read because the file `by` names it. Throws apf::Error if it is neither a regular file nor a folder:
// a pipe may never end. From now on, no line of it is printed if it lies neither beside nor below `by`: who wrote that
// file need not be allowed to see it.
void claim_named(const std::string& path, const std::string& by);
// Whether no line of this file may be printed.
bool is_hidden(const std::string& path);

// Takes out the findings of such files. Returns a sentence for each, which says how to see them.
std::vector<std::string> hide_findings(std::vector<apf::Diagnostic>& found);

}  // namespace apfctl
