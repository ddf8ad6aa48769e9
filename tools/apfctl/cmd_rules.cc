// apfctl rules: the rules of the linter, or the page of one.

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include <apf/lint.h>
#include <apf/log_summary.h>
#include <apf/output.h>

#include "commands.h"
#include "options.h"
#include "project.h"

namespace apfctl {

namespace {

struct RulesFlags {
  Console console;
  OutputFlags output;
};

std::string list_text(const std::vector<const apf::RuleInfo*>& rules, const apf::TextStyle& style) {
  std::size_t width = 0;
  for (const apf::RuleInfo* rule : rules) width = std::max(width, std::string_view(rule->name).size());
  const std::size_t indent = 2 + 6 + 2 + 7 + 2 + width + 2;
  std::string out;
  std::optional<apf::RuleGroup> group;  // rules are sorted by code, groups are ranges of codes
  for (const apf::RuleInfo* listed : rules) {
    const apf::RuleInfo& rule = *listed;
    if (rule.group != group) {
      out += fmt::format("{}{}{}{}\n", out.empty() ? "" : "\n", style.color ? "\x1b[1m" : "",
                         apf::rule_group_title(rule.group), style.color ? "\x1b[0m" : "");
      group = rule.group;
    }
    const std::size_t room = std::max<std::size_t>(text_width_of(style), indent + 20) - indent;
    out += fmt::format("  {}  {:<7}  {:<{}}  {}\n", rule.code, to_string(rule.severity), rule.name, width,
                       wrap(rule.summary, room, indent));
  }
  return out;
}

bool is_yaml(std::string_view text) { return text.find('\n') != std::string_view::npos; }

std::string block(std::string_view text, std::size_t width) {
  if (!is_yaml(text)) return "  " + wrap(text, width - 2, 2) + "\n";
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += end == 0 ? "\n" : fmt::format("    {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string page_text(const apf::RuleInfo& rule, const apf::TextStyle& style) {
  const auto width = static_cast<std::size_t>(std::clamp(style.width, 40, 100));
  const char* bold = style.color ? "\x1b[1m" : "";
  const char* plain = style.color ? "\x1b[0m" : "";
  std::string out = fmt::format("{}{} {}{} ({})\n\n{}\n", bold, rule.code, rule.name, plain, to_string(rule.severity),
                                wrap(rule.summary, width, 0));
  const std::pair<const char*, std::string_view> parts[] = {
      {"What it finds", rule.what}, {"Why it matters", rule.why}, {"Example", rule.example}, {"Instead", rule.instead}};
  for (const auto& [title, text] : parts) out += fmt::format("\n{}{}{}\n{}", bold, title, plain, block(text, width));
  return out;
}

void write_rule(apf::JsonWriter& json, const apf::RuleInfo& rule) {
  json.begin_object().field("code", rule.code).field("name", rule.name).field("severity", to_string(rule.severity));
  json.field("group", apf::rule_group_title(rule.group))
      .field("summary", rule.summary)
      .field("what", rule.what)
      .field("why", rule.why);
  json.field("example", rule.example).field("instead", rule.instead).end_object();
}

std::string rules_json(const std::vector<const apf::RuleInfo*>& rules) {
  apf::JsonWriter json;
  json.begin_object().key("rules").begin_array();
  for (const apf::RuleInfo* rule : rules) write_rule(json, *rule);
  json.end_array().end_object();
  return json.take() + "\n";
}

const apf::RuleInfo& rule_named(const std::string& word) {
  std::string code = word;
  for (char& c : code) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  for (const std::string& spelling : {word, code}) {
    if (const apf::RuleInfo* rule = apf::find_rule(spelling)) return *rule;
  }
  throw UsageError(fmt::format("unknown rule '{}'{}", apf::printable(word), rule_hint(word)));
}

// The rules whose codes begin so: "APF1", "apf40". None for a whole code, or for a name.
std::vector<const apf::RuleInfo*> rules_beginning(const std::string& word) {
  std::string code = word;
  for (char& c : code) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  std::vector<const apf::RuleInfo*> out;
  if (!code.starts_with("APF") || code.size() >= 6) return out;
  for (const apf::RuleInfo& rule : apf::lint_rules()) {
    if (std::string_view(rule.code).starts_with(code)) out.push_back(&rule);
  }
  return out;
}

// What apfctl log finds about clients has codes and pages, too.
const apf::ClientFaultRow* client_fault_named(const std::string& word) {
  std::string code = word;
  for (char& c : code) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const std::optional<apf::ClientFault> fault = apf::find_client_fault(code);
  return fault ? &apf::row_of(*fault) : nullptr;
}

std::string page_text(const apf::ClientFaultRow& row, const apf::TextStyle& style) {
  const auto width = static_cast<std::size_t>(std::clamp(style.width, 40, 100));
  return fmt::format("{} (apfctl log)\n\nA client {}.\n\nWhat it finds\n{}\nInstead\n{}", row.code, row.title,
                     block(row.page, width), block(row.advice, width));
}

std::string page_json(const apf::ClientFaultRow& row) {
  apf::JsonWriter json;
  json.begin_object().key("clients").begin_array().begin_object();
  json.field("code", row.code).field("summary", row.title).field("what", row.page).field("instead", row.advice);
  json.end_object().end_array().end_object();
  return json.take() + "\n";
}

}  // namespace

int cmd_rules(CommandLine& line) {
  RulesFlags flags;
  line.synopsis("rules [CODE|NAME] [FLAG]...");
  line.about(
      "Lists the rules of 'apfctl lint' with their default severities, all or those whose codes begin with APF1, say. "
      "Or "
      "shows the documentation of one rule: what it finds, why it matters, an example, and what to write instead; or "
      "of "
      "what apfctl log finds about clients (CLIENT-LIST-LOOP).");
  line.example("all rules", "apfctl rules");
  line.example("the documentation of one rule", "apfctl rules APF101");
  line.argument_choices(rule_names());
  flags.output.declare(line, {"text", "json"});
  flags.console.declare(line);
  if (!line.parse()) return 0;
  const std::vector<std::string>& words = line.arguments(0, 1, "CODE");
  flags.console.check();
  flags.output.check();
  if (const apf::ClientFaultRow* row = words.empty() ? nullptr : client_fault_named(words[0])) {
    flags.output.write(flags.console, [&](const std::string& format, const apf::TextStyle& style) {
      return format == "json" ? page_json(*row) : page_text(*row, style);
    });
    return 0;
  }
  std::vector<const apf::RuleInfo*> rules;
  if (!words.empty()) rules = rules_beginning(words[0]);
  const bool is_list = words.empty() || !rules.empty();
  if (!is_list) rules.push_back(&rule_named(words[0]));
  else if (rules.empty())
    for (const apf::RuleInfo& rule : apf::lint_rules()) rules.push_back(&rule);
  flags.output.write(flags.console, [&](const std::string& format, const apf::TextStyle& style) {
    if (format == "json") return rules_json(rules);
    return is_list ? list_text(rules, style) : page_text(*rules.front(), style);
  });
  return 0;
}

}  // namespace apfctl
