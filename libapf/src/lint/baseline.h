// Findings that are known and put up with: a file of fingerprints that survive moved lines.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>
#include <apf/findings.h>

namespace apf {

// One for each finding: what it is about (rule, object, field without indices, the text of its line) as 32 hexadecimal
// digits and, after a colon, a number that distinguishes equal ones in the same file. Neither line numbers, messages
// nor the file's name count.
std::vector<std::string> fingerprints(std::span<const Diagnostic> findings, std::span<const ConfigText> texts);

struct BaselineEntry {
  std::string file;  // relative to the baseline's folder, with '/'
  std::string fingerprint;
  std::string code, object, message;  // for people who read the file
};

// The text of a baseline file: JSON, one entry a line, sorted by file, then in the order of the findings.
std::string render_baseline(std::span<const BaselineEntry> entries);

// Throws Error when the text is no baseline; `name` is the file's.
std::vector<BaselineEntry> parse_baseline(std::string_view text, const std::string& name);

}  // namespace apf
