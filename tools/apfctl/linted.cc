#include "linted.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include <apf/error.h>
#include <apf/logged_request.h>

#include "input.h"

namespace apfctl {

namespace {

namespace fs = std::filesystem;

std::string find_settings() {
  std::error_code error;
  const fs::path start = fs::current_path(error);
  if (error) return {};
  std::string found;
  for (fs::path folder = start;; folder = folder.parent_path()) {
    const fs::path file = folder / apf::kSettingsFileName;
    if (found.empty() && fs::exists(file, error)) found = relative_to(file.string(), ".");
    if (fs::exists(folder / ".git", error)) return found;
    if (folder == folder.root_path()) break;
  }
  return fs::exists(start / apf::kSettingsFileName, error) ? apf::kSettingsFileName : "";
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Severities and ignores of the settings.
void apply_settings(const LintJob& job, LintPass& pass) {
  const apf::Settings& settings = job.project.settings;
  std::map<std::string, std::string> paths;
  std::erase_if(pass.findings, [&](apf::Diagnostic& d) {
    if (d.code.empty()) return false;
    const std::optional<std::optional<apf::Severity>> setting = apf::setting_of(settings, d.code, d.name);
    if (setting && *setting) d.severity = **setting;
    if (settings.ignore.empty()) return false;
    const auto [path, fresh] = paths.try_emplace(d.span.file);
    if (fresh) path->second = relative_to(d.span.file, job.project.folder);
    const bool ignored = apf::is_ignored(settings, path->second, d.code, d.name);
    pass.summary.suppressed += ignored;
    return ignored;
  });
}

void apply_baseline(const LintJob& job, std::span<const apf::ConfigText> texts, LintPass& pass) {
  if (job.baseline.empty()) return;
  std::set<std::pair<std::string, std::string>> known;
  for (const apf::BaselineEntry& entry : job.baseline) known.emplace(entry.file, entry.fingerprint);
  const std::vector<apf::BaselineEntry> found = baseline_of(pass, texts, job.baseline_folder);
  std::vector<apf::Diagnostic> kept;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (known.erase({found[i].file, found[i].fingerprint})) ++pass.summary.suppressed;
    else kept.push_back(std::move(pass.findings[i]));
  }
  pass.findings = std::move(kept);
  pass.baseline_unused = known.size();
}

}  // namespace

std::vector<std::string> rule_names() {
  std::vector<std::string> names;
  for (const apf::RuleInfo& rule : apf::lint_rules()) names.insert(names.end(), {rule.code, rule.name});
  return names;
}

std::string relative_to(const std::string& path, const std::string& folder) {
  std::error_code error;
  const fs::path from = fs::absolute(folder, error).lexically_normal();
  const fs::path file = fs::absolute(path, error).lexically_normal();
  const std::string relative =
      file.lexically_relative(from.has_filename() ? from : from.parent_path()).generic_string();
  return relative.empty() ? path : relative;
}

ProjectSettings load_settings(const std::optional<std::string>& given) {
  ProjectSettings project;
  project.path = given ? *given : find_settings();
  if (project.path.empty()) return project;
  project.folder = folder_of(project.path);
  project.texts.push_back({project.path, read_text(project.path)});
  project.settings = apf::read_settings(project.texts.front(), project.faults);
  return project;
}

void leave_out_excluded(std::vector<apf::ConfigText>& texts, const ProjectSettings& project, const Console& console) {
  const std::size_t excluded = std::erase_if(texts, [&](const apf::ConfigText& text) {
    const std::string path = relative_to(text.name, project.folder);
    return std::any_of(project.settings.exclude.begin(), project.settings.exclude.end(),
                       [&](const std::string& glob) { return apf::path_matches(glob, path); });
  });
  if (excluded == 0) return;
  console.note("skipped " + plural(excluded, "file", "files") + " that " + apf::printable(project.path) + " excludes");
}

LintPass run_lint(const LintJob& job, std::span<const apf::ConfigText> texts) {
  LintPass pass;
  pass.loaded = apf::load_config(texts);
  apf::LintResult result = apf::lint(pass.loaded, texts, job.options);
  pass.findings = std::move(result.findings);
  pass.summary.files = texts.size();
  pass.summary.objects = count_objects(pass.loaded);
  pass.summary.skipped = pass.loaded.skipped.size();
  pass.summary.suppressed = result.suppressed.size();
  apply_settings(job, pass);
  apply_baseline(job, texts, pass);
  return pass;
}

std::optional<apf::LintOptions::EventSources> event_sources(const std::vector<std::string>& logs) {
  std::set<std::string> namespaces, users;
  for (const std::string& log : logs) {
    apf::read_requests(log, [&](const apf::LoggedRequest& logged) {
      const apf::RequestInfo& info = logged.request.info;
      const bool is_event = info.is_resource_request && info.api_group.empty() && info.resource == "events";
      if (!logged.error.empty() || !is_event) return;
      if (info.verb != "create" && info.verb != "update" && info.verb != "patch") return;
      namespaces.insert(info.ns);
      users.insert(logged.user.name);
    });
  }
  return apf::LintOptions::EventSources{namespaces.size(), users.size()};
}

apf::FindingsTraffic count_traffic(const LintJob& job, const LintPass& pass, const std::vector<std::string>& logs,
                                   const Console& console) {
  apf::TrafficCounter counter(pass.loaded, pass.findings, job.options.version);
  for (const std::string& log : logs) {
    std::size_t requests = 0, bad = 0;
    apf::read_requests(log, [&](const apf::LoggedRequest& logged) {
      ++requests;
      if (logged.error.empty()) counter.count(logged.request.info, logged.user);
      else ++bad;
    });
    if (requests == 0) throw apf::Error(apf::printable(log) + ": no requests found");
    if (bad > 0)
      console.warn(fmt::format("{} of {} requests of {} cannot be classified", grouped(bad), grouped(requests),
                               apf::printable(log)));
  }
  return counter.result();
}

std::vector<apf::BaselineEntry> baseline_of(const LintPass& pass, std::span<const apf::ConfigText> texts,
                                            const std::string& folder) {
  const std::vector<std::string> prints = apf::fingerprints(pass.findings, texts);
  std::map<std::string, std::string> paths;
  std::vector<apf::BaselineEntry> entries;
  for (std::size_t i = 0; i < prints.size(); ++i) {
    const apf::Diagnostic& d = pass.findings[i];
    const auto [path, fresh] = paths.try_emplace(d.span.file);
    if (fresh) path->second = relative_to(d.span.file, folder);
    entries.push_back(
        {path->second, prints[i], d.code, d.object_name.empty() ? "" : d.kind + "/" + d.object_name, d.message});
  }
  return entries;
}

}  // namespace apfctl
