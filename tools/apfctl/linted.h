// The rules, and a lint run: settings, one pass over the texts with everything that silences findings.
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

// What a rule may be called: codes and names of all.
std::vector<std::string> rule_names();

// A .apfctl.yaml and the folder that its paths are relative to.
struct ProjectSettings {
  std::string path;  // empty: there is none
  std::string folder = ".";
  apf::Settings settings;
  std::vector<apf::Diagnostic> faults;
  std::vector<apf::ConfigText> texts;  // for showing the faults
};

// The file `given`, or the one found from the current folder upward to the root of the git work tree; outside of one
// only the current folder is looked at.
ProjectSettings load_settings(const std::optional<std::string>& given);

// `path` as seen from `folder`, with '/'; both relative to the current folder or absolute.
std::string relative_to(const std::string& path, const std::string& folder);

// Takes out what the settings exclude, and says so.
void leave_out_excluded(std::vector<apf::ConfigText>& texts, const ProjectSettings& project, const Console& console);

// What decides which findings are shown.
struct LintJob {
  apf::LintOptions options;
  ProjectSettings project;
  std::vector<apf::BaselineEntry> baseline;
  std::string baseline_folder = ".";
};

struct LintPass {
  std::vector<apf::Diagnostic> findings;
  apf::FindingsTraffic traffic;  // of --traffic; else empty
  apf::FindingsSummary summary;
  apf::LoadedConfig loaded;
  std::size_t baseline_unused = 0;  // entries that silenced nothing
};

// From how many namespaces and users the logs' events came. Throws as count_traffic() does.
std::optional<apf::LintOptions::EventSources> event_sources(const std::vector<std::string>& logs);

// What the requests of these logs have to do with each finding; warns of requests that cannot be classified.
apf::FindingsTraffic count_traffic(const LintJob& job, const LintPass& pass, const std::vector<std::string>& logs,
                                   const Console& console);

LintPass run_lint(const LintJob& job, std::span<const apf::ConfigText> texts);

std::vector<apf::BaselineEntry> baseline_of(const LintPass& pass, std::span<const apf::ConfigText> texts,
                                            const std::string& folder);

}  // namespace apfctl
