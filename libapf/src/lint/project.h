// lint_project() in parts, for a caller that holds the texts of a project and looks at them again and again.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <apf/lint.h>

namespace apf {

// The settings that a text named FOLDER/.apfctl.yaml holds.
ProjectSettings settings_in(ConfigText text);

// read_related_files() of objects that limit requests, and of workloads in a namespace that such a file limits.
std::vector<ConfigText> read_files_to_lint(std::span<const std::string> paths, FolderContents& contents, bool fixtures);
// sets_of() that takes changes of workloads for changes of the set, too.
std::vector<ConfigSet> sets_to_lint(std::span<const ConfigText> texts, const FolderContents& contents,
                                    const LoadedConfig& loaded);

// The server and the rules that options, settings and a preset describe.
LintOptions options_of(const LintProject& project, const Settings& settings);
// The logs whose requests are counted.
std::vector<std::string> logs_of(const LintProject& project, const ProjectSettings& settings);
// Throws Error where there is none for the log.
std::unique_ptr<TrafficReader> make_traffic_reader(const MakeTrafficReader& make, const std::string& log);

// What lint_project() finds in texts that were read already. `found` has them, the settings, and what of folders was
// left out. `partial`: as in LintOptions.
ProjectFindings lint_texts(const LintProject& project, ProjectFindings found, bool partial = false);

}  // namespace apf
