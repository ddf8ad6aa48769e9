// APF237: characters in names that no reader sees, or takes for others.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>

#include <apf/classify.h>
#include <fmt/core.h>

#include "base/text.h"
#include "base/utf8.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/missed_request.h"
#include "lint/reach/reach.h"
#include "lint/reach/witness.h"

namespace apf {

namespace {

// Letters of other alphabets with the shape of a Latin one.
struct LookAlike {
  char32_t letter;
  char latin;
};
constexpr LookAlike kLookAlikes[] = {
    {0x430, 'a'}, {0x441, 'c'}, {0x501, 'd'}, {0x435, 'e'}, {0x4bb, 'h'}, {0x456, 'i'}, {0x458, 'j'}, {0x43a, 'k'},
    {0x4cf, 'l'}, {0x43c, 'm'}, {0x43e, 'o'}, {0x440, 'p'}, {0x51b, 'q'}, {0x433, 'r'}, {0x455, 's'}, {0x442, 't'},
    {0x475, 'v'}, {0x51d, 'w'}, {0x445, 'x'}, {0x443, 'y'}, {0x3b1, 'a'}, {0x3b5, 'e'}, {0x3b9, 'i'}, {0x3ba, 'k'},
    {0x3bd, 'v'}, {0x3bf, 'o'}, {0x3c1, 'p'}, {0x3c4, 't'}, {0x3c5, 'u'}, {0x3c7, 'x'}, {0x3b3, 'y'}};

bool is_latin(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_cyrillic(char32_t c) { return c >= 0x400 && c < 0x530; }
bool is_greek(char32_t c) { return c >= 0x370 && c < 0x400; }
bool is_blank(char32_t c) {
  return c == ' ' || c == '\t' || c == '\n' || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
         c == 0x202f || c == 0x205f || c == 0x3000;
}

std::string words_for(char32_t c) {
  const char* name = c == ' '         ? "a blank"
                     : c == 0xa0      ? "a no-break space"
                     : c == 0xfeff    ? "a byte order mark"
                     : c == 0x200b    ? "a zero-width space"
                     : is_blank(c)    ? "white space"
                     : is_cyrillic(c) ? "a Cyrillic letter"
                     : is_greek(c)    ? "a Greek letter"
                                      : "invisible";
  return fmt::format("U+{:04X}, {}", static_cast<std::uint32_t>(c), name);
}

// What a text has that its reader does not see, and the text without it.
struct Unseen {
  std::string what;   // empty: nothing
  std::string shown;  // the text with <U+200B> for it
  std::string meant;  // empty: not known
};

// A word in two alphabets is none.
bool is_mixed(std::string_view text, std::size_t at) {
  const auto is_letter = [](char32_t c) { return is_latin(c) || is_cyrillic(c) || is_greek(c); };
  std::size_t begin = 0;
  bool latin = false;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    if (!is_letter(c.value)) {
      if (i > at) break;
      begin = i + c.length;
      latin = false;
    }
    latin = latin || is_latin(c.value);
    i += c.length;
  }
  return begin <= at && latin;
}

Unseen unseen_in(std::string_view text) {
  Unseen out;
  bool known = true;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    const bool at_end = i == 0 || i + c.length == text.size();
    const bool foreign = (is_cyrillic(c.value) || is_greek(c.value)) && is_mixed(text, i);
    const bool space = is_blank(c.value) && c.value != ' ';
    if (!c.valid || !(foreign || space || is_invisible(c.value) || (c.value == ' ' && at_end))) {
      out.shown += text.substr(i, c.length);
      out.meant += text.substr(i, c.length);
    } else {
      if (out.what.empty()) out.what = words_for(c.value);
      out.shown += fmt::format("<U+{:04X}>", static_cast<std::uint32_t>(c.value));
      const auto* like = std::find_if(std::begin(kLookAlikes), std::end(kLookAlikes),
                                      [&](const LookAlike& one) { return one.letter == c.value; });
      if (like != std::end(kLookAlikes)) out.meant += like->latin;
      else if (foreign) known = false;
      else if (space && !at_end) out.meant += ' ';
    }
    i += c.length;
  }
  if (!known) out.meant.clear();
  return out;
}

// The rule as its author reads it.
PolicyRule as_read(PolicyRule rule) {
  const auto read = [](std::string& text) {
    const Unseen unseen = unseen_in(text);
    if (!unseen.what.empty() && !unseen.meant.empty()) text = unseen.meant;
  };
  const auto read_all = [&](std::vector<std::string>& texts) { std::for_each(texts.begin(), texts.end(), read); };
  for (Subject& subject : rule.subjects) {
    if (subject.user) read(*subject.user);
    if (subject.group) read(*subject.group);
    if (subject.service_account) read(subject.service_account->ns);
    if (subject.service_account) read(subject.service_account->name);
  }
  for (ResourceRule& part : rule.resource_rules)
    for (auto* list : {&part.verbs, &part.api_groups, &part.resources, &part.namespaces}) read_all(*list);
  for (NonResourceRule& part : rule.non_resource_rules)
    for (auto* list : {&part.verbs, &part.urls}) read_all(*list);
  return rule;
}

// A request that the rule seems to match, and does not. Empty: none was found.
std::string witness_of(const LintContext& context, const FlowSchema& schema, std::size_t rule) {
  const PolicyRule meant = as_read(schema.rules[rule]);
  std::vector<RequestInfo> requests;
  for (const ResourceRule& part : meant.resource_rules)
    for (const std::string& resource : part.resources)
      if (!part.api_groups.empty())
        requests.push_back(
            request_of(part, is_any(part.api_groups) ? "" : part.api_groups[0], resource == "*" ? "pods" : resource));
  for (const NonResourceRule& part : meant.non_resource_rules) {
    for (const std::string& url : part.urls) {
      ParsedRequest parsed;
      parse_request("GET", url == "*" ? "/healthz" : url, parsed);
      if (parsed.error().empty()) requests.push_back(parsed.info);
    }
  }
  for (const RequestInfo& request : requests) {
    for (const Subject& subject : meant.subjects) {
      for (const ReachUser& user : context.reach().index().least_users(subject)) {
        if (matches_flow_schema(schema, request, user.user)) continue;
        const std::string command = explain_command(user.user, request, context.reach().command_flags());
        if (!command.empty()) return command;
      }
    }
  }
  return {};
}

class UnseenCheck {
 public:
  UnseenCheck(const ObjectMeta& meta, const char* kind, Findings& findings,
              std::function<std::string(std::size_t)> witness)
      : meta_(meta), kind_(kind), findings_(findings), witness_(std::move(witness)) {}

  // `field` is that of the node.
  void look(const ConfigNode& node, const std::string& field) {
    if (node.is_string()) return look_at_text(node.text(), field);
    for (std::size_t i = 0; i < node.items().size(); ++i) look(node.items()[i], item_field(field, i));
    for (const ConfigEntry& entry : node.entries()) look(entry.value, fmt::format("{}.{}", field, entry.key.text()));
  }

 private:
  void look_at_text(std::string_view text, const std::string& field) {
    const Unseen unseen = unseen_in(text);
    if (unseen.what.empty()) return;
    Diagnostic& d = findings_.add(
        meta_, kind_, field,
        fmt::format("\"{}\" holds {}: names are compared byte for byte, and one without it does not match",
                    unseen.shown, unseen.what));
    constexpr std::string_view kRule = "spec.rules[";
    if (witness_ && field.starts_with(kRule))
      d.witness = witness_(std::strtoul(field.c_str() + kRule.size(), nullptr, 10));
    if (!unseen.meant.empty())
      offer_fix(d, fmt::format("replace it with \"{}\"", unseen.meant), false,
                replace_scalar(*meta_.source.tree, field, unseen.meant));
  }

  const ObjectMeta& meta_;
  const char* kind_;
  Findings& findings_;
  std::function<std::string(std::size_t)> witness_;  // of a rule; empty: there is none
};

void check_unseen_character(const LintContext& context, Findings& findings) {
  const auto look = [&](const ObjectMeta& meta, const char* kind, const char* field,
                        std::function<std::string(std::size_t)> witness = {}) {
    const ConfigNode* node = meta.source.tree ? meta.source.tree->find(field) : nullptr;
    if (node) UnseenCheck(meta, kind, findings, std::move(witness)).look(*node, field);
  };
  for (const FlowSchema& schema : context.loaded.config.flow_schemas)
    look(schema.meta, "FlowSchema", "spec", [&](std::size_t rule) { return witness_of(context, schema, rule); });
  for (const ResourceQuota& quota : context.loaded.resource_quotas) look(quota.meta, "ResourceQuota", "spec");
  for (const AuditPolicy& policy : context.loaded.audit_policies) look(policy.meta, "Policy", "rules");
}

}  // namespace

extern const Rule rule_unseen_character = {
    .code = "APF237",
    .name = "unseen-character",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "a name holds a character that no reader sees, or one that looks like another",
    .what = R"(A name, group, namespace, resource or path of a FlowSchema, a quota or an audit policy begins or ends
with a blank, holds white space other than blanks, a character that is not shown (U+200B, U+FEFF, marks of direction),
or a Cyrillic or Greek letter in a word of Latin ones. The finding names the code point.)",
    .why = R"(The server compares names byte for byte. The entry looks right and matches nothing; text that was copied
from a page or a chat often has such characters.)",
    .example = R"(subjects:
- kind: User
  user: {name: "ci-pilot "}
)",
    .instead = R"(subjects:
- kind: User
  user: {name: ci-pilot}
)",
    .check = check_unseen_character,
};

}  // namespace apf
