// APF953: an entry of an audit policy's rule that no request matches.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/api_groups.h"
#include "base/api_resources.h"
#include "base/joined.h"
#include "base/text.h"
#include "config/closest.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/resource_entries.h"
#include "lint/rule.h"
#include "lint/system_names.h"

namespace apf {

namespace {

constexpr std::string_view kAuditedVerbs[] = {
    "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "proxy"};
// Of requests for paths: HTTP methods.
constexpr std::string_view kMethods[] = {"get",    "head",    "post",    "put",  "patch",
                                         "delete", "options", "connect", "trace"};

// What an entry is taken for; an empty `why` if a request may match it.
struct Mistake {
  std::string why;
  std::optional<std::string> cure;  // nothing: not known
};

Mistake mistake_in_verb(const std::string& verb, const AuditRule& rule) {
  if (verb == "*") return {"\"*\" is no wildcard here: without verbs a rule is for all of them", std::nullopt};
  if (has_capitals(verb)) return {"verbs are in lower case", in_lower_case(verb)};
  const bool of_resources = !rule.resources.empty() || !rule.namespaces.empty();
  const bool of_paths = !of_resources && !rule.non_resource_urls.empty();
  if (!of_paths && is_one_of(kAuditedVerbs, verb)) return {};
  if (!of_resources && is_one_of(kMethods, verb)) return {};
  const char* const resources =
      "a request for a resource has one of the verbs get, list, watch, create, update, patch, delete and "
      "deletecollection";
  const char* const paths = "a request for a path has its HTTP method in lower case";
  return {of_paths ? paths : of_resources ? resources : fmt::format("{}; {}", resources, paths), std::nullopt};
}

Mistake mistake_in_user(NameKind kind, const std::string& name) {
  if (name.find('*') != name.npos) return {"\"*\" is no wildcard here", std::nullopt};
  const std::optional<MeantName> meant = meant_system_name(kind, name);
  if (!meant)
    if (const std::string right = with_meant_namespace(name); !right.empty()) return {did_you_mean(right), right};
  if (!meant || meant->severity == Severity::info) return {};
  if (meant->kind == kind && !meant->is_pattern)
    return {fmt::format("Kubernetes' own is \"{}\"", meant->name), meant->name};
  return {fmt::format("\"{}\" is {}", meant->name, meant->kind == NameKind::user ? "a user" : "a group"), std::nullopt};
}

Mistake mistake_in_namespace(const std::string& name) {
  if (name.find('*') != name.npos)
    return {"\"*\" is no wildcard here: without namespaces a rule is for all of them", std::nullopt};
  const std::string_view meant = meant_system_namespace(name);
  if (!meant.empty()) return {did_you_mean(meant), std::string(meant)};
  return {};
}

Mistake mistake_in_group(const std::string& group) {
  if (group == "core") return {"the core group is \"\"", ""};
  if (looks_like_version(group))
    return {"a group is written without its version", group == "v1" ? std::optional<std::string>("") : std::nullopt};
  const bool short_name = !group.empty() && group != "*" && group.find('.') == group.npos;
  if (short_name && !is_own_group(group))
    return {"it is no API group, and those of CustomResourceDefinitions have a dot", std::nullopt};
  return {};
}

Mistake mistake_in_resource(const std::string& entry, const std::string& group) {
  const std::string name(resource_of(entry));
  const std::string_view of = group;
  const ApiResource* const known = is_built_in_group(group) ? find_api_resource(in_lower_case(name), &of) : nullptr;
  if (known && known->name != name)
    return {fmt::format("the resource is named \"{}\"", known->name),
            std::string(known->name) + entry.substr(name.size())};
  if (has_capitals(name)) return {"resources are lower case and plural, as in URLs", std::nullopt};
  if (name.size() > 1 && name.find('*') != name.npos)
    return {"\"*\" stands for a whole resource or subresource, not for a part of its name", std::nullopt};
  return {};
}

Mistake mistake_in_url(const std::string& url) {
  if (url.find_first_of("?#") == url.npos) return {};
  return {"the query of a request is no part of its path", url.substr(0, url.find_first_of("?#"))};
}

class AuditEntries {
 public:
  AuditEntries(const AuditPolicy& policy, Findings& findings) : policy_(policy), findings_(findings) {}

  // One finding for the entries of a list with the same mistake.
  template <class Find>
  void check(const std::vector<std::string>& list, const std::string& field, Find mistake_in) {
    std::vector<Mistake> mistakes;
    for (const std::string& entry : list) mistakes.push_back(mistake_in(entry));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Mistake mistake = mistakes[i];
      if (mistake.why.empty()) continue;
      std::vector<std::string> entries;
      std::vector<Edit> edits;
      for (std::size_t j = i; j < list.size(); ++j) {
        if (mistakes[j].why != mistake.why) continue;
        entries.push_back('"' + list[j] + '"');
        const std::vector<Edit> edit = cure(item_field(field, j), std::exchange(mistakes[j], {}));
        edits.insert(edits.end(), edit.begin(), edit.end());
      }
      const bool one = entries.size() == 1;
      add(item_field(field, i),
          fmt::format("{} match{} no request: {}", joined(entries, ", "), one ? "es" : "", mistake.why),
          one ? title_of(mistake) : "write them as requests have them", std::move(edits));
    }
  }

  // What rule resource-not-in-group finds in FlowSchemas.
  void check_resources(const AuditResources& of, const std::string& field, KubeVersion version) {
    std::size_t i = 0;
    for (const std::string& one : of.resources) {
      const std::string at = item_field(field + ".resources", i++);
      const std::optional<EntryMistake> mistake = mistake_in_entry(one, {of.group}, version);
      if (!mistake || !mistake_in_resource(one, of.group).why.empty()) continue;
      const bool move = mistake->elsewhere && of.resources.size() == 1 && mistake->whole == one;
      Diagnostic& d = add(at, mistake->message,
                          move ? fmt::format("make the group \"{}\"", mistake->group) : title_of({{}, mistake->whole}),
                          move ? cure(field + ".group", {{}, std::string(mistake->group)})
                          : mistake->elsewhere || mistake->whole.empty() ? std::vector<Edit>()
                                                                         : cure(at, {{}, mistake->whole}));
      d.severity = mistake->severity;
      if (!mistake->note.empty()) d.notes.push_back({mistake->note, {}});
    }
  }

  void check_group(const std::string& group, const std::string& field) {
    const Mistake mistake = mistake_in_group(group);
    if (mistake.why.empty()) return;
    add(field, fmt::format("\"{}\" matches no request: {}", group, mistake.why), title_of(mistake),
        cure(field, mistake));
  }

 private:
  static std::string title_of(const Mistake& mistake) {
    return fmt::format("replace it with \"{}\"", mistake.cure.value_or(""));
  }

  std::vector<Edit> cure(const std::string& field, const Mistake& mistake) const {
    if (!mistake.cure || !policy_.meta.source.tree) return {};
    return replace_scalar(*policy_.meta.source.tree, field, *mistake.cure);
  }

  Diagnostic& add(const std::string& field, std::string message, std::string title, std::vector<Edit> edits) {
    Diagnostic& d = findings_.add(policy_.meta, "Policy", field, std::move(message));
    offer_fix(d, std::move(title), false, std::move(edits));
    return d;
  }

  const AuditPolicy& policy_;
  Findings& findings_;
};

void check_unmatched_audit_entry(const LintContext& context, Findings& findings) {
  for (const AuditPolicy& policy : context.loaded.audit_policies) {
    AuditEntries entries(policy, findings);
    std::size_t number = 0;
    for (const AuditRule& rule : policy.rules) {
      const std::string at = fmt::format("rules[{}]", number++);
      entries.check(rule.users, at + ".users",
                    [](const std::string& one) { return mistake_in_user(NameKind::user, one); });
      entries.check(rule.user_groups, at + ".userGroups",
                    [](const std::string& one) { return mistake_in_user(NameKind::group, one); });
      entries.check(rule.verbs, at + ".verbs", [&](const std::string& one) { return mistake_in_verb(one, rule); });
      entries.check(rule.non_resource_urls, at + ".nonResourceURLs", mistake_in_url);
      entries.check(rule.namespaces, at + ".namespaces",
                    [](const std::string& one) { return mistake_in_namespace(one); });
      std::size_t k = 0;
      for (const AuditResources& resources : rule.resources) {
        const std::string entry = item_field(at + ".resources", k++);
        entries.check_group(resources.group, entry + ".group");
        entries.check(resources.resources, entry + ".resources",
                      [&](const std::string& one) { return mistake_in_resource(one, resources.group); });
        entries.check_resources(resources, entry, context.options.version);
      }
    }
  }
}

}  // namespace

extern const Rule rule_unmatched_audit_entry = {
    .code = "APF953",
    .name = "unmatched-audit-entry",
    .severity = Severity::warning,
    .group = RuleGroup::audit_policies,
    .summary = "an entry of an audit policy's rule matches no request",
    .what = R"(A rule lists a verb that no request has (GET, exec, "*"), a group that no server has (core, v1), a
resource by its kind, singular or short name, one that its group does not have (deployments in the core group) or with
"*" for a part of its name, a path with a query, a user, group or namespace with "*" in it, or one that is nearly one of
Kubernetes' own.)",
    .why = R"(The server compares these texts letter by letter: verbs are in lower case, the core group is "", resources
are named as in URLs, and "*" stands for whole resources and subresources and for the end of a path alone. The rule does not decide about the requests that
it is written for; a later one does.)",
    .example = R"(apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: None
  verbs: [GET]
  resources:
  - group: core
    resources: [events]
- level: Metadata
)",
    .instead = R"(rules:
- level: None
  verbs: [get]
  resources:
  - group: ""
    resources: [events]
- level: Metadata
)",
    .check = check_unmatched_audit_entry,
};

}  // namespace apf
