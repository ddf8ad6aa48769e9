// apfctl rules: the rules of the linter, or the page of one.

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <apf/lint.h>
#include <apf/log_summary.h>
#include <apf/output.h>

#include "flags/options.h"
#include "flags/report_output.h"
#include "shared/commands.h"
#include "shared/project.h"

namespace apfctl {

namespace {

struct RulesFlags {
  Console console;
  OutputFlags output;
};

apf::Document list_of(const std::vector<const apf::RuleInfo*>& rules) {
  std::size_t width = 0;  // the same in all groups
  for (const apf::RuleInfo* rule : rules) width = std::max(width, std::string_view(rule->name).size());
  apf::Document out("Rules of apfctl lint");
  std::optional<apf::RuleGroup> group;  // rules are sorted by code, groups are ranges of codes
  apf::Table table;
  const auto end_group = [&] {
    if (group) out.section(std::string(apf::rule_group_title(*group))).show(std::exchange(table, {}));
  };
  for (const apf::RuleInfo* rule : rules) {
    if (rule->group != group) {
      end_group();
      group = rule->group;
      table.left("").left("").left("").left("").wraps();
    }
    table.row({fmt::format("  {}", rule->code), fmt::format("{:<7}", to_string(rule->severity)),
               fmt::format("{:<{}}", rule->name, width), rule->summary});
  }
  end_group();
  return out;
}

// Of prose, or of YAML as it is.
void add_part(apf::Document& out, const char* title, std::string_view text) {
  apf::Passage& part = out.section(title);
  if (text.find('\n') == std::string_view::npos) return part.item(std::string(text), "  ", apf::Tone::plain, 2);
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += end == 0 ? "\n" : fmt::format("    {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  part.quote(lines);
}

apf::Document page_of(const apf::RuleInfo& rule) {
  apf::Document out(fmt::format("{} {} ({})", rule.code, rule.name, to_string(rule.severity)));
  out.section(out.title).begins_report();
  out.section().say(rule.summary);
  add_part(out, "What it finds", rule.what);
  add_part(out, "Why it matters", rule.why);
  add_part(out, "Example", rule.example);
  add_part(out, "Instead", rule.instead);
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
  return json.take();
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

apf::Document page_of(const apf::ClientFaultRow& row) {
  apf::Document out(std::string(row.code) + " (apfctl log)");
  out.section(out.title).begins_report();
  out.section().say(fmt::format("A client {}.", row.title));
  add_part(out, "What it finds", row.page);
  add_part(out, "Instead", row.advice);
  return out;
}

std::string page_json(const apf::ClientFaultRow& row) {
  apf::JsonWriter json;
  json.begin_object().key("clients").begin_array().begin_object();
  json.field("code", row.code).field("summary", row.title).field("what", row.page).field("instead", row.advice);
  json.end_object().end_array().end_object();
  return json.take();
}

}  // namespace

int cmd_rules(CommandLine& line) {
  RulesFlags flags;
  line.synopsis("rules [CODE|NAME] [FLAG]...");
  line.about(
      "Which rules does lint have, and why?",
      "Lists the rules of 'apfctl lint' with their default severities, all or those whose codes begin with APF1, say. "
      "Or "
      "shows the documentation of one rule: what it finds, why it matters, an example, and what to write instead; or "
      "of "
      "what apfctl log finds about clients (CLIENT-LIST-LOOP).");
  line.example("all rules", "apfctl rules");
  line.example("the documentation of one rule", "apfctl rules APF101");
  line.example("the rules about seats and lending", "apfctl rules APF3");
  line.argument_choices(rule_names());
  flags.output.declare(line, {"text", "json", "markdown", "html"});
  flags.console.declare(line);
  if (!line.parse()) return 0;
  const std::vector<std::string>& words = line.arguments(0, 1, "CODE");
  flags.console.check();
  flags.output.check();
  if (const apf::ClientFaultRow* row = words.empty() ? nullptr : client_fault_named(words[0])) {
    write_report(
        flags.output, flags.console, [&](const apf::View&) { return page_of(*row); }, [&] { return page_json(*row); });
    return 0;
  }
  std::vector<const apf::RuleInfo*> rules;
  if (!words.empty()) rules = rules_beginning(words[0]);
  const bool is_list = words.empty() || !rules.empty();
  if (!is_list) rules.push_back(&rule_named(words[0]));
  else if (rules.empty())
    for (const apf::RuleInfo& rule : apf::lint_rules()) rules.push_back(&rule);
  write_report(
      flags.output, flags.console, [&](const apf::View&) { return is_list ? list_of(rules) : page_of(*rules.front()); },
      [&] { return rules_json(rules); });
  return 0;
}

}  // namespace apfctl
