#include "settings/settings.h"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>

#include "base/client_codes.h"
#include "base/path_globs.h"
#include "settings/keys.h"

namespace apf {

namespace {

// A code of `apfctl log`, or how several begin.
bool is_of_clients(std::string_view word) {
  return word.starts_with("CLIENT-") && std::any_of(std::begin(kClientCodes), std::end(kClientCodes),
                                                    [&](std::string_view code) { return code.starts_with(word); });
}

void check_rule(Faults& faults, RuleFault rule_fault, const ConfigNode& at) {
  if (is_of_clients(at.text())) return;
  if (std::string fault = rule_fault(at.text()); !fault.empty()) faults.add(at, std::move(fault));
}

void read_rules(Faults& faults, RuleFault rule_fault, const ConfigNode& node, Settings& settings) {
  if (!node.is_mapping()) faults.add(node, fmt::format("rules: expected a mapping, found {}", kind_of(node)));
  for (const ConfigEntry& entry : node.entries()) {
    check_rule(faults, rule_fault, entry.key);
    Settings::RuleSetting setting{std::string(entry.key.text()), std::nullopt};
    const auto same = [&](const Settings::RuleSetting& other) { return other.rule == setting.rule; };
    if (std::any_of(settings.rules.begin(), settings.rules.end(), same))
      faults.add(entry.key, fmt::format("the key \"{}\" occurs twice", setting.rule));
    // The plain word `off` too, which YAML 1.1 reads as a boolean.
    std::vector<std::string_view> words = severity_words();
    words.insert(words.begin(), "off");
    const auto value =
        value_in(faults, {.name = setting.rule, .form = KeyForm::word, .words = std::move(words)}, entry.value);
    if (!value) continue;
    if (value->number > 0) setting.severity = static_cast<Severity>(value->number - 1);
    if (setting.severity && is_of_clients(setting.rule))
      faults.add(entry.value, fmt::format("{}: what clients do wrong has no severity: only off", setting.rule));
    settings.rules.push_back(std::move(setting));
  }
}

void read_ignore(Faults& faults, RuleFault rule_fault, const ConfigNode& node, Settings& settings) {
  static const std::vector<KeyOf<Settings::PathIgnore>> keys = {
      {{"path", KeyForm::text, "", "a path or glob"}, into(&Settings::PathIgnore::path)},
      {{"rules", KeyForm::list, "", "a text"}, into(&Settings::PathIgnore::rules)},
  };
  if (!node.is_sequence())
    faults.add(node, fmt::format("ignore: expected a list of {{path, rules}}, found {}", kind_of(node)));
  for (const ConfigNode& item : node.items()) {
    const Fields fields(faults, "ignore", item, names_of(keys));
    if (!item.is_mapping()) continue;
    for (const Key& key : keys)
      if (!item.find(key.name)) faults.add(item, fmt::format("ignore: the key \"{}\" is missing here", key.name));
    read_keys(faults, fields, keys, settings.ignore.emplace_back(), Nulls::faults);
    const ConfigNode* rules = fields.given("rules");
    if (!rules) continue;
    if (rules->is_sequence() && rules->items().empty()) faults.add(*rules, "rules: expected rules, found none");
    for (const ConfigNode& rule : rules->items())
      if (rule.is_scalar() && !rule.text().empty()) check_rule(faults, rule_fault, rule);
  }
}

Settings read_root_of(Faults& faults, RuleFault rule_fault, const ConfigNode& root) {
  Settings out;
  const auto of_server = server_keys("apfctl");
  const Fields fields(faults, kSettingsFileName, root, names_of(of_server, settings_keys()));
  if (!root.is_mapping()) return out;
  read_keys(faults, fields, of_server, out, Nulls::faults);
  check_seats(faults, root, out);
  read_keys(faults, fields, settings_keys(), out, Nulls::faults);
  if (const ConfigNode* node = fields.given("rules")) read_rules(faults, rule_fault, *node, out);
  if (const ConfigNode* node = fields.given("ignore")) read_ignore(faults, rule_fault, *node, out);
  return out;
}

}  // namespace

const std::vector<KeyOf<Settings>>& settings_keys() {
  using enum KeyForm;
  static const std::vector<KeyOf<Settings>> keys = {
      {{"filename", any_texts, "The configuration where no -f is given: paths, relative to the folder of this file.",
        "a path"},
       into(&Settings::filenames)},
      {{"objects", any_texts,
        "Files of object counts where no --objects is given, relative to the folder of this file.", "a path"},
       into(&Settings::objects)},
      {{"traffic", any_texts,
        "Logs whose requests `apfctl lint` counts where no --log is given, and `apfctl lsp` for each FlowSchema, "
        "relative to the folder of this file.",
        "a path"},
       into(&Settings::traffic)},
      {{"exclude", list,
        "Files that are not looked at, even if they are named: globs as in .gitignore, relative to the folder of this "
        "file; ** stands for any folders. Absent: none.",
        "a text"},
       into(&Settings::exclude)},
      {{"rules"}},
      {{"ignore"}},
      {{"baseline", text,
        "A file that `apfctl lint --write-baseline` wrote, relative to the folder of this file: findings that it holds "
        "are left out. Absent: none.",
        "the path of a file"},
       into(&Settings::baseline)},
      {{"fail-on", word, "The least severity that makes `apfctl lint` exit with 1, as with --fail-on. Absent: warning.",
        "", severity_words(), 0, 0, "warning"},
       into(&Settings::fail_on)},
  };
  return keys;
}

ProjectSettings read_settings(ConfigText text, RuleFault rule_fault) {
  ProjectSettings project;
  project.path = text.name;
  project.folder = folder_of(text.name);
  read_single_document(text, "settings are", "", project.faults, [&](const ConfigNode& root, Faults& faults) {
    project.settings = read_root_of(faults, rule_fault, root);
  });
  project.texts.push_back(std::move(text));
  return project;
}

std::string project_path(const ProjectSettings& project, const std::string& path) {
  if (path == "-" || std::filesystem::path(path).is_absolute() || project.folder == ".") return path;
  return (std::filesystem::path(project.folder) / path).string();
}

std::size_t remove_excluded(std::vector<ConfigText>& texts, const ProjectSettings& project) {
  return std::erase_if(texts, [&](const ConfigText& text) {
    // "git:main:flowcontrol/a.yaml": paths in git begin at the root of the repository, where the settings are.
    const std::size_t colon = text.name.starts_with("git:") ? text.name.find(':', 4) : std::string::npos;
    const std::string path =
        colon == std::string::npos ? relative_to(text.name, project.folder) : text.name.substr(colon + 1);
    return std::any_of(project.settings.exclude.begin(), project.settings.exclude.end(),
                       [&](const std::string& glob) { return path_matches(glob, path); });
  });
}

}  // namespace apf
