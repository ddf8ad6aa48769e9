// What a project wants of the linter: its .apfctl.yaml.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/config.h>
#include <apf/diagnostic.h>
#include <apf/kube_version.h>
#include <apf/version.h>

namespace apf {

inline constexpr const char* kSettingsFileName = ".apfctl.yaml";
inline constexpr int kMostInflight = 10'000'000;

struct Settings {
  struct RuleSetting {
    std::string rule;                  // code, code prefix ("APF3") or name
    std::optional<Severity> severity;  // none: off
  };
  struct PathIgnore {
    std::string path;                // a glob, see path_matches()
    std::vector<std::string> rules;  // codes, code prefixes, names
  };

  std::optional<KubeVersion> kubernetes_version;
  std::optional<int> max_requests_inflight, max_mutating_requests_inflight, server_concurrency;
  std::vector<std::string> exclude;  // globs
  std::vector<RuleSetting> rules;
  std::vector<PathIgnore> ignore;
  std::string baseline;  // as written: relative to the file's folder; empty = none
  std::optional<Severity> fail_on;
};

// Reads the text of a .apfctl.yaml. What is wrong with it (unknown keys included) is appended to `diagnostics`, always
// with severity error.
APF_API Settings read_settings(const ConfigText& text, std::vector<Diagnostic>& diagnostics);

// What `settings.rules` says of a rule: nothing, or a severity, or off (an empty inner optional). A code or name counts
// before a prefix, a longer prefix before a shorter one.
APF_API std::optional<std::optional<Severity>> setting_of(const Settings& settings, std::string_view code,
                                                          std::string_view name);

// Does `settings.ignore` silence this rule in the file? `path` is relative to the folder of the settings, with '/'.
APF_API bool is_ignored(const Settings& settings, std::string_view path, std::string_view code, std::string_view name);

// Globs as in .gitignore: '*' and '?' stay within a folder, '**' spans folders, a pattern without '/' counts in every
// folder, one that matches a folder for all below it.
APF_API bool path_matches(std::string_view glob, std::string_view path);

}  // namespace apf
