#include "lint/select.h"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include <apf/error.h>

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

void check_rule_words(std::span<const std::string> words, std::string_view what) {
  for (const std::string& word : words) {
    const auto named = [&](const RuleInfo& rule) { return names_rule(word, rule.code, rule.name); };
    if (std::any_of(lint_rules().begin(), lint_rules().end(), named)) continue;
    const std::string_view near = nearest_rule(word);
    throw Error(
        fmt::format("{}: there is no rule \"{}\"{}", what, word,
                    near.empty() ? "; `apfctl rules` lists them" : fmt::format("; did you mean \"{}\"?", near)));
  }
}

bool is_rejection(std::string_view code) {
  const RuleInfo* rule = find_rule(code);
  return rule && rule->group == RuleGroup::rejected;
}

bool is_selected(const LintOptions& options, std::string_view code, std::string_view name) {
  if (holds(options.ignore, code, name)) return false;
  return options.select.empty() || is_rejection(code) || holds(options.select, code, name);
}

}  // namespace apf
