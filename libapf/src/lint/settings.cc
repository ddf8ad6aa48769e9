// .apfctl.yaml
#include "lint/settings.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/client_codes.h"
#include "base/joined.h"
#include "base/path_globs.h"
#include "config/server_keys.h"
#include "lint/select.h"

namespace apf {

namespace {

// A code of `apfctl log`, or how several begin.
bool is_of_clients(std::string_view word) {
  return word.starts_with("CLIENT-") && std::any_of(std::begin(kClientCodes), std::end(kClientCodes),
                                                    [&](std::string_view code) { return code.starts_with(word); });
}

void check_rule(Faults& faults, const ConfigNode& at) {
  const std::string_view word = at.text();
  const auto named = [&](const RuleInfo& rule) { return names_rule(word, rule.code, rule.name); };
  if (std::any_of(lint_rules().begin(), lint_rules().end(), named) || is_of_clients(word)) return;
  const std::string_view near = nearest_rule(word);
  faults.add(at,
             fmt::format("there is no rule \"{}\"{}", word,
                         near.empty() ? "; `apfctl rules` lists them" : fmt::format(", did you mean \"{}\"?", near)));
}

// The items of a list; one text is none.
std::vector<std::string> list_of(Faults& faults, std::string_view key, const ConfigNode& node) {
  std::vector<std::string> out;
  if (!node.is_sequence()) faults.add(node, fmt::format("{}: expected a list, found {}", key, kind_of(node)));
  for (const ConfigNode& item : node.items())
    if (std::optional<std::string> text = text_of(faults, key, item, "a text")) out.push_back(std::move(*text));
  return out;
}

// The plain word `off` too, which YAML 1.1 reads as a boolean. Nothing: a fault; no severity: off.
std::optional<std::optional<Severity>> severity_in(Faults& faults, std::string_view key, const ConfigNode& node,
                                                   bool may_be_off) {
  std::vector<std::string_view> known = {"info", "warning", "error"};
  if (may_be_off) known.insert(known.begin(), "off");
  const std::optional<std::string> text = text_of(faults, key, node, fmt::format("one of {}", joined(known, ", ")));
  if (!text) return std::nullopt;
  if (std::find(known.begin(), known.end(), *text) == known.end()) {
    faults.add(node, fmt::format("{}: \"{}\" is unknown{}", key, *text, suggested(*text, known)));
    return std::nullopt;
  }
  if (*text == "off") return std::optional<Severity>();
  return *text == "info" ? Severity::info : *text == "warning" ? Severity::warning : Severity::error;
}

void read_rules(Faults& faults, const ConfigNode& node, Settings& settings) {
  if (!node.is_mapping()) faults.add(node, fmt::format("rules: expected a mapping, found {}", kind_of(node)));
  for (const ConfigEntry& entry : node.entries()) {
    check_rule(faults, entry.key);
    Settings::RuleSetting setting{std::string(entry.key.text()), std::nullopt};
    const auto same = [&](const Settings::RuleSetting& other) { return other.rule == setting.rule; };
    if (std::any_of(settings.rules.begin(), settings.rules.end(), same))
      faults.add(entry.key, fmt::format("the key \"{}\" occurs twice", setting.rule));
    const auto severity = severity_in(faults, setting.rule, entry.value, true);
    if (!severity) continue;
    setting.severity = *severity;
    if (setting.severity && is_of_clients(setting.rule))
      faults.add(entry.value, fmt::format("{}: what clients do wrong has no severity: only off", setting.rule));
    settings.rules.push_back(std::move(setting));
  }
}

void read_ignore(Faults& faults, const ConfigNode& node, Settings& settings) {
  if (!node.is_sequence())
    faults.add(node, fmt::format("ignore: expected a list of {{path, rules}}, found {}", kind_of(node)));
  for (const ConfigNode& item : node.items()) {
    Settings::PathIgnore& ignore = settings.ignore.emplace_back();
    const Fields fields(faults, "ignore", item, {"path", "rules"});
    if (!item.is_mapping()) continue;
    for (const char* needed : {"path", "rules"})
      if (!item.find(needed)) faults.add(item, fmt::format("ignore: the key \"{}\" is missing here", needed));
    if (const ConfigNode* path = fields.given("path"))
      ignore.path = text_of(faults, "path", *path, "a path or glob").value_or("");
    const ConfigNode* rules = fields.given("rules");
    if (!rules) continue;
    ignore.rules = list_of(faults, "rules", *rules);
    if (rules->is_sequence() && rules->items().empty()) faults.add(*rules, "rules: expected rules, found none");
    for (const ConfigNode& rule : rules->items())
      if (rule.is_scalar() && !rule.text().empty()) check_rule(faults, rule);
  }
}

std::string preset_in(Faults& faults, const ConfigNode& node) {
  std::string name = text_of(faults, "preset", node, "the name of a preset").value_or("");
  if (name.empty() || find_preset(name)) return name;
  std::vector<std::string_view> names;
  for (const Preset& preset : presets()) names.push_back(preset.name);
  faults.add(node, fmt::format("preset: there is no preset \"{}\"{}", name, suggested(name, names)));
  return {};
}

Settings settings_in(Faults& faults, const ConfigNode& root) {
  Settings out;
  const Fields fields(
      faults, kSettingsFileName, root,
      {"kubernetes-version", "max-requests-inflight", "max-mutating-requests-inflight", "server-concurrency", "preset",
       "filename", "objects", "traffic", "exclude", "rules", "ignore", "baseline", "fail-on"});
  if (!root.is_mapping()) return out;
  const auto paths = [&](const char* key) {
    const ConfigNode* node = fields.given(key);
    const bool is_none = !node || (node->is_sequence() && node->items().empty());
    return is_none ? std::vector<std::string>() : texts_of(faults, key, *node, "a path");
  };
  for (const char* key :
       {"kubernetes-version", "max-requests-inflight", "max-mutating-requests-inflight", "server-concurrency"})
    if (const ConfigNode* node = fields.given(key); node && !fields.has(key))
      faults.add(*node, fmt::format("{}: expected a value, found nothing", key));
  out.kubernetes_version = version_in(faults, fields);
  const InflightKeys seats = inflight_in(faults, fields, root);
  out.max_requests_inflight = seats.reads;
  out.max_mutating_requests_inflight = seats.writes;
  out.server_concurrency = seats.sum;
  if (const ConfigNode* node = fields.given("preset")) out.preset = preset_in(faults, *node);
  out.filenames = paths("filename");
  out.objects = paths("objects");
  out.traffic = paths("traffic");
  if (const ConfigNode* node = fields.given("exclude")) out.exclude = list_of(faults, "exclude", *node);
  if (const ConfigNode* node = fields.given("rules")) read_rules(faults, *node, out);
  if (const ConfigNode* node = fields.given("ignore")) read_ignore(faults, *node, out);
  if (const ConfigNode* node = fields.given("baseline"))
    out.baseline = text_of(faults, "baseline", *node, "the path of a file").value_or("");
  if (const ConfigNode* node = fields.given("fail-on"))
    if (const auto severity = severity_in(faults, "fail-on", *node, false)) out.fail_on = *severity;
  return out;
}

}  // namespace

Settings read_settings(const ConfigText& text, std::vector<Diagnostic>& diagnostics) {
  Settings out;
  std::vector<Diagnostic> found;
  read_single_document(text, "settings are", "", found,
                       [&](const ConfigNode& root, Faults& faults) { out = settings_in(faults, root); });
  diagnostics.insert(diagnostics.end(), found.begin(), found.end());
  return out;
}

std::optional<std::optional<Severity>> setting_of(const Settings& settings, std::string_view code,
                                                  std::string_view name) {
  const Settings::RuleSetting* best = nullptr;
  std::size_t best_weight = 0;
  for (const Settings::RuleSetting& setting : settings.rules) {
    if (!names_rule(setting.rule, code, name)) continue;
    const std::size_t weight = setting.rule == name ? code.size() : setting.rule.size();
    if (weight < best_weight) continue;
    best = &setting;
    best_weight = weight;
  }
  if (!best) return std::nullopt;
  return best->severity;
}

bool is_ignored(const Settings& settings, std::string_view path, std::string_view code, std::string_view name) {
  return std::any_of(settings.ignore.begin(), settings.ignore.end(), [&](const Settings::PathIgnore& ignore) {
    return std::any_of(ignore.rules.begin(), ignore.rules.end(),
                       [&](const std::string& word) { return names_rule(word, code, name); }) &&
           path_matches(ignore.path, path);
  });
}

}  // namespace apf
