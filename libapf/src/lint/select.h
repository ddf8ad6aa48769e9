// Which rules a list of codes, code prefixes and names means.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <apf/lint.h>

namespace apf {

// `word` is the rule's code or name, or a prefix of its code ("APF1", in capitals).
bool names_rule(std::string_view word, std::string_view code, std::string_view name);

// Throws Error for a word of `words` that names no rule; `what` names its place ("--select").
void check_rule_words(std::span<const std::string> words, std::string_view what);

// The rule that a word may have meant, empty if none is near.
std::string_view nearest_rule(std::string_view word);

// True for what the API server rejects.
bool is_rejection(std::string_view code);

// Is a finding with this code wanted? What the server rejects always is, unless it is ignored.
bool is_selected(const LintOptions& options, std::string_view code, std::string_view name);

}  // namespace apf
