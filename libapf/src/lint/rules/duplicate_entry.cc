// APF114: the same subject, value, part or rule twice.
#include <fmt/core.h>

#include <map>
#include <set>

#include "base/joined.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/reach/text.h"

namespace apf {

namespace {

std::string subject_text(const Subject& subject) {
  std::string out = subject.kind;
  for (const auto& name : {subject.user, subject.group}) (out += '\0') += name.value_or("");
  if (subject.service_account) ((out += subject.service_account->ns) += '\0') += subject.service_account->name;
  return out;
}

std::string list_text(const std::vector<std::string>& list) {
  const std::set<std::string> sorted(list.begin(), list.end());  // order and repetition do not matter
  return fmt::format("{}\n", joined(sorted, "\t"));
}

std::string part_text(const ResourceRule& part) {
  return list_text(part.verbs) + list_text(part.api_groups) + list_text(part.resources) + list_text(part.namespaces) +
         (part.cluster_scope ? "cluster" : "");
}

std::string part_text(const NonResourceRule& part) { return list_text(part.verbs) + list_text(part.urls); }

std::string rule_text(const PolicyRule& rule) {
  std::set<std::string> subjects, resources, urls;
  for (const Subject& subject : rule.subjects) subjects.insert(subject_text(subject));
  for (const ResourceRule& part : rule.resource_rules) resources.insert(part_text(part));
  for (const NonResourceRule& part : rule.non_resource_rules) urls.insert(part_text(part));
  return fmt::format("{}\n\n{}\n\n{}", joined(subjects, "\v"), joined(resources, "\v"), joined(urls, "\v"));
}

class Duplicates {
 public:
  Duplicates(const FlowSchema& schema, Findings& findings) : schema_(schema), findings_(findings) {}

  // Each item whose text an earlier one of the list has.
  template <class List, class Text>
  void check(const List& list, const std::string& field, const char* what, Text text) {
    std::map<std::string, std::size_t> first;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto [at, is_new] = first.try_emplace(text(list[i]), i);
      if (is_new) continue;
      const std::string again = fmt::format("{}[{}]", field, i);
      Diagnostic& d = findings_.add(schema_, again, fmt::format("this {} is in the list twice", what));
      d.notes.push_back(note_at(schema_.meta, fmt::format("{}[{}]", field, at->second), "the first one is here"));
      // The server stores it twice: without it the object is another one, though it does the same.
      offer_fix(d, "remove the second one", false, remove_field(*schema_.meta.source.tree, again));
    }
  }

  void check_words(const std::vector<std::string>& list, const std::string& field, const char* what) {
    check(list, field, what, [](const std::string& word) { return word; });
  }

 private:
  const FlowSchema& schema_;
  Findings& findings_;
};

void check_duplicate_entry(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    Duplicates duplicates(schema, findings);
    duplicates.check(schema.rules, "spec.rules", "rule", rule_text);
    for (std::uint32_t r = 0; r < schema.rules.size(); ++r) {
      const PolicyRule& rule = schema.rules[r];
      const std::string field = rule_field(r);
      duplicates.check(rule.subjects, field + ".subjects", "subject", subject_text);
      duplicates.check(rule.resource_rules, field + ".resourceRules", "resourceRule",
                       [](const ResourceRule& p) { return part_text(p); });
      duplicates.check(rule.non_resource_rules, field + ".nonResourceRules", "nonResourceRule",
                       [](const NonResourceRule& p) { return part_text(p); });
      for (std::size_t i = 0; i < rule.resource_rules.size(); ++i) {
        const ResourceRule& part = rule.resource_rules[i];
        const std::string at = fmt::format("{}.resourceRules[{}].", field, i);
        duplicates.check_words(part.verbs, at + "verbs", "verb");
        duplicates.check_words(part.api_groups, at + "apiGroups", "API group");
        duplicates.check_words(part.resources, at + "resources", "resource");
        duplicates.check_words(part.namespaces, at + "namespaces", "namespace");
      }
      for (std::size_t i = 0; i < rule.non_resource_rules.size(); ++i) {
        const NonResourceRule& part = rule.non_resource_rules[i];
        const std::string at = fmt::format("{}.nonResourceRules[{}].", field, i);
        duplicates.check_words(part.verbs, at + "verbs", "verb");
        duplicates.check_words(part.urls, at + "nonResourceURLs", "path");
      }
    }
  }
}

}  // namespace

extern const Rule rule_duplicate_entry = {
    .code = "APF114",
    .name = "duplicate-entry",
    .severity = Severity::info,
    .group = RuleGroup::dangling,
    .summary = "a list has the same entry twice",
    .what = R"(A rule, subject, resourceRule, nonResourceRule, verb, API group, resource, namespace or path occurs
more than once in its list. Lists with the same entries in another order count as the same.)",
    .why = "The duplicate has no effect, but it was often meant to be something else.",
    .example = R"(resourceRules:
- verbs: [get, list, get]
  apiGroups: [""]
  resources: [pods]
  namespaces: ["*"]
)",
    .instead = "Delete the second one, or correct it. (Was it meant to be watch?)",
    .check = check_duplicate_entry,
};

}  // namespace apf
