// .apfctl.yaml: reading it, and what it says of a rule or a file.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <apf/lint.h>

namespace apf {

inline constexpr const char* kSettingsFileName = ".apfctl.yaml";

// Reads the text of a .apfctl.yaml. What is wrong with it (unknown keys included) is appended to `diagnostics`, always
// with severity error.
Settings read_settings(const ConfigText& text, std::vector<Diagnostic>& diagnostics);

// What `settings.rules` says of a rule: nothing, or a severity, or off (an empty inner optional). A code or name counts
// before a prefix, a longer prefix before a shorter one.
std::optional<std::optional<Severity>> setting_of(const Settings& settings, std::string_view code,
                                                  std::string_view name);

// Does `settings.ignore` silence this rule in the file? `path` is relative to the folder of the settings, with '/'.
bool is_ignored(const Settings& settings, std::string_view path, std::string_view code, std::string_view name);

}  // namespace apf
