#include "lint/select.h"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include <apf/error.h>

#include "base/path_globs.h"
#include "config/closest.h"

namespace apf {

namespace {

constexpr std::string_view kCodePrefix = "APF";

bool holds(std::span<const std::string> words, std::string_view code, std::string_view name) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return names_rule(word, code, name); });
}

}  // namespace

bool names_rule(std::string_view word, std::string_view code, std::string_view name) {
  return word == name || (word.starts_with(kCodePrefix) && code.starts_with(word));
}

std::string_view nearest_rule(std::string_view word) {
  std::vector<std::string_view> known;
  // Codes are near each other whatever they mean: only what is none ("APF1O1") may be a misspelt one.
  const bool is_code = word.starts_with(kCodePrefix) &&
                       word.find_first_not_of("0123456789", kCodePrefix.size()) == std::string_view::npos;
  for (const RuleInfo& rule : lint_rules()) {
    if (!is_code) known.push_back(rule.code);
    known.push_back(rule.name);
  }
  return closest(word, known);
}

std::string fault_of_rule(std::string_view word, std::string_view mark) {
  const auto named = [&](const RuleInfo& rule) { return names_rule(word, rule.code, rule.name); };
  if (std::any_of(lint_rules().begin(), lint_rules().end(), named)) return {};
  const std::string_view near = nearest_rule(word);
  const std::string cure =
      near.empty() ? "; `apfctl rules` lists them" : fmt::format("{} {}", mark, did_you_mean(near));
  return fmt::format("there is no rule \"{}\"{}", word, cure);
}

void check_rule_words(std::span<const std::string> words, std::string_view what) {
  for (const std::string& word : words)
    if (const std::string fault = fault_of_rule(word, ";"); !fault.empty())
      throw Error(fmt::format("{}: {}", what, fault));
}

bool is_rejection(std::string_view code) {
  const RuleInfo* rule = find_rule(code);
  return rule && rule->group == RuleGroup::rejected;
}

bool is_selected(const LintOptions& options, std::string_view code, std::string_view name) {
  if (holds(options.ignore, code, name)) return false;
  return options.select.empty() || is_rejection(code) || holds(options.select, code, name);
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
