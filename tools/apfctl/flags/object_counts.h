// Counts of objects, as files of them are given: --objects, keys of test files, plans and settings.
#pragma once

#include <string>

#include <apf/limits.h>

namespace apfctl {

// `text` as it was read from `path`, which may be compressed. Throws apf::Error where it has no count: what a command
// that failed has left must not pass for counts.
apf::ObjectCounts parse_object_counts(const std::string& text, const std::string& path);
// The same of a file; "-" = standard input.
apf::ObjectCounts read_object_counts(const std::string& path);

}  // namespace apfctl
