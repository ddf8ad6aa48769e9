#include "shared/project.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <system_error>

#include <apf/error.h>
#include <apf/report.h>

#include "shared/output.h"
#include "shared/words.h"

namespace apfctl {

std::vector<std::string> rule_names() {
  std::vector<std::string> names;
  for (const apf::RuleInfo& rule : apf::lint_rules()) names.insert(names.end(), {rule.code, rule.name});
  return names;
}

std::string rule_hint(const std::string& word) {
  const bool is_code = word.starts_with("APF") && word.find_first_not_of("0123456789", 3) == std::string::npos;
  std::vector<std::string> names;
  for (const apf::RuleInfo& rule : apf::lint_rules()) {
    if (!is_code) names.emplace_back(rule.code);
    names.emplace_back(rule.name);
  }
  const std::string near = apf::nearest_name(word, names);
  return near.empty() ? "; run 'apfctl rules' for a list" : "; did you mean '" + near + "'?";
}

bool print_faults(const apf::ProjectSettings& project, const Console& console) {
  if (project.faults.empty()) return false;
  write_stderr(apf::render_text(project.faults, project.texts, text_style(STDERR_FILENO, console.color)));
  return true;
}

void note_excluded(std::size_t excluded, const apf::ProjectSettings& project, const Console& console) {
  if (excluded == 0) return;
  console.note("skipped " + plural(excluded, "file", "files") + " that " + apf::printable(project.path) + " excludes");
}

void refuse_excluded(std::size_t excluded, bool is_empty, const apf::ProjectSettings& project,
                     const std::vector<std::string>& paths) {
  if (excluded == 0 || !is_empty) return;
  std::string names;
  for (const std::string& path : paths) names += (names.empty() ? "" : ", ") + apf::printable(path);
  throw apf::Error(names + ": " + apf::printable(project.path) + " excludes all of these files");
}

bool are_named_files(const std::vector<std::string>& paths) {
  return std::all_of(paths.begin(), paths.end(), [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored);
  });
}

void take_out_excluded(std::vector<apf::ConfigText>& texts, const apf::ProjectSettings& project,
                       const std::vector<std::string>& paths, bool accepts_named, const Console& console) {
  const std::size_t excluded = apf::remove_excluded(texts, project);
  if (!accepts_named || !are_named_files(paths)) refuse_excluded(excluded, texts.empty(), project, paths);
  note_excluded(excluded, project, console);
}

void note_preset_of_kep(const apf::Config& config, const apf::Preset& preset, const Console& console) {
  if (apf::is_kep(config) && !preset.objects.empty())
    console.note("left out the objects of preset " + preset.name +
                 ": they are of the Kubernetes API, this configuration is in the dialect of KEP-1040");
}

std::string today_or(const std::optional<std::string>& today) {
  if (today && !apf::is_calendar_date(*today))
    throw UsageError("--today: '" + apf::printable(*today) + "' is not a date such as 2026-11-20");
  if (today) return *today;
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

}  // namespace apfctl
