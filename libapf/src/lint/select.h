// Which rules a list of codes, code prefixes and names means.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <apf/lint.h>

namespace apf {

// `word` is the rule's code or name, or a prefix of its code ("APF1", in capitals).
bool names_rule(std::string_view word, std::string_view code, std::string_view name);

// "there is no rule "x", did you mean "y"?"; empty: there is one.
std::string fault_of_rule(std::string_view word, std::string_view mark = ",");

// Throws Error for a word of `words` that names no rule; `what` names its place ("--select").
void check_rule_words(std::span<const std::string> words, std::string_view what);

// The rule that a word may have meant, empty if none is near.
std::string_view nearest_rule(std::string_view word);

// True for what the API server rejects.
bool is_rejection(std::string_view code);

// Is a finding with this code wanted? What the server rejects always is, unless it is ignored.
bool is_selected(const LintOptions& options, std::string_view code, std::string_view name);

// What `settings.rules` says of a rule: nothing, or a severity, or off (an empty inner optional). A code or name counts
// before a prefix, a longer prefix before a shorter one.
std::optional<std::optional<Severity>> setting_of(const Settings& settings, std::string_view code,
                                                  std::string_view name);

// Does `settings.ignore` silence this rule in the file? `path` is relative to the folder of the settings, with '/'.
bool is_ignored(const Settings& settings, std::string_view path, std::string_view code, std::string_view name);

}  // namespace apf
