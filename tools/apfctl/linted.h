// One lint run: settings, rules, suppressions and baseline.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <apf/baseline.h>
#include <apf/config.h>
#include <apf/findings.h>
#include <apf/findings_formats.h>
#include <apf/lint.h>
#include <apf/settings.h>
#include <apf/traffic.h>

#include "options.h"

namespace apfctl {

// The codes and names of all rules.
std::vector<std::string> rule_names();

// A .apfctl.yaml, and the folder that its paths are relative to.
struct ProjectSettings {
  std::string path;  // empty if there is none
  std::string folder = ".";
  apf::Settings settings;
  std::vector<apf::Diagnostic> faults;
  std::vector<apf::ConfigText> texts;  // to show the faults
};

// Loads the file `given`, or the nearest one in the current folder or above, up to the root of the git work tree.
// Outside of a work tree, it checks only the current folder.
ProjectSettings load_settings(const std::optional<std::string>& given);

// `path` as seen from `folder`, with '/'; both relative to the current folder or absolute.
std::string relative_to(const std::string& path, const std::string& folder);

// Removes the files that the settings exclude, and prints a note.
void leave_out_excluded(std::vector<apf::ConfigText>& texts, const ProjectSettings& project, const Console& console);

// Everything that determines the findings of a run.
struct LintJob {
  apf::LintOptions options;
  ProjectSettings project;
  std::vector<apf::BaselineEntry> baseline;
  std::string baseline_folder = ".";
};

struct LintPass {
  std::vector<apf::Diagnostic> findings;
  apf::FindingsTraffic traffic;  // empty without --traffic
  apf::FindingsSummary summary;
  apf::LoadedConfig loaded;
  std::size_t baseline_unused = 0;  // entries that match no finding
};

// The number of namespaces and users that sent events in the logs. Throws like count_traffic().
std::optional<apf::LintOptions::EventSources> event_sources(const std::vector<std::string>& logs);

// Counts the requests of these logs for each finding, and warns of requests that cannot be classified.
apf::FindingsTraffic count_traffic(const LintJob& job, const LintPass& pass, const std::vector<std::string>& logs,
                                   const Console& console);

LintPass run_lint(const LintJob& job, std::span<const apf::ConfigText> texts);

std::vector<apf::BaselineEntry> baseline_of(const LintPass& pass, std::span<const apf::ConfigText> texts,
                                            const std::string& folder);

}  // namespace apfctl
