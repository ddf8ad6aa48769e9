// APF116: a subject, path, part or rule that another one of the same FlowSchema covers.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/core.h>

#include "classify/flow_schema.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/reach/reach.h"

namespace apf {

namespace {

bool list_covers(const std::vector<std::string>& wide, const std::vector<std::string>& narrow) {
  if (is_any(wide)) return true;
  return !is_any(narrow) &&
         std::all_of(narrow.begin(), narrow.end(), [&](const std::string& text) { return holds(wide, text); });
}

bool url_covers(const std::string& wide, const std::string& narrow) {
  if (wide == "*" || wide == narrow) return true;
  const std::string prefix = url_prefix(wide);
  return narrow != "*" && narrow.starts_with(prefix);
}

bool part_covers(const ResourceRule& wide, const ResourceRule& narrow) {
  return list_covers(wide.verbs, narrow.verbs) && list_covers(wide.api_groups, narrow.api_groups) &&
         list_covers(wide.resources, narrow.resources) && list_covers(wide.namespaces, narrow.namespaces) &&
         (wide.cluster_scope || !narrow.cluster_scope);
}

bool part_covers(const NonResourceRule& wide, const NonResourceRule& narrow) {
  return list_covers(wide.verbs, narrow.verbs) &&
         std::all_of(narrow.urls.begin(), narrow.urls.end(), [&](const std::string& url) {
           return std::any_of(wide.urls.begin(), wide.urls.end(),
                              [&](const std::string& w) { return url_covers(w, url); });
         });
}

class CoverageCheck {
 public:
  CoverageCheck(const ReachIndex& index, const FlowSchema& schema, Findings& findings)
      : index_(index), schema_(schema), findings_(findings) {}

  void check() {
    const std::vector<PolicyRule>& rules = schema_.rules;
    check_list(
        rules, "spec.rules", [&](const PolicyRule& a, const PolicyRule& b) { return rule_covers(a, b); },
        [](const PolicyRule&, const PolicyRule&) {
          return std::string("another rule of this FlowSchema covers this one: it has no effect");
        });
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const std::string field = item_field("spec.rules", i);
      check_list(
          rules[i].subjects, field + ".subjects",
          [&](const Subject& a, const Subject& b) { return subject_covers(a, b); },
          [](const Subject& by, const Subject& covered) {
            return fmt::format("{} is covered by {}: it has no effect", to_words(covered), to_words(by));
          });
      const auto say_resources = [](const auto&, const auto&) {
        return std::string("another resourceRule covers this one: it has no effect");
      };
      const auto say_urls = [](const auto&, const auto&) {
        return std::string("another nonResourceRule covers this one: it has no effect");
      };
      const auto covers = [](const auto& a, const auto& b) { return part_covers(a, b); };
      check_list(rules[i].resource_rules, field + ".resourceRules", covers, say_resources);
      check_list(rules[i].non_resource_rules, field + ".nonResourceRules", covers, say_urls);
      for (std::size_t j = 0; j < rules[i].non_resource_rules.size(); ++j) {
        check_list(
            rules[i].non_resource_rules[j].urls, url_rule_field(i, j) + ".nonResourceURLs",
            [](const std::string& a, const std::string& b) {
              // Both of /x and /x/* are customary, as RBAC needs them. Of "/" rule root-url says more.
              return url_covers(a, b) && b != a + "/*" && a != "/";
            },
            [](const std::string& by, const std::string& covered) {
              return fmt::format("\"{}\" is covered by \"{}\", which includes everything below it", covered, by);
            });
      }
    }
  }

 private:
  // A covers B if it holds every least user of B.
  bool subject_covers(const Subject& a, const Subject& b) {
    const Who& wide = who(a);
    Who& narrow = who(b);
    if (!wide.is_crowd && wide.only_user != narrow.only_user) return false;
    if (!narrow.least_users) narrow.least_users = index_.least_users(b);
    const std::vector<ReachUser>& users = *narrow.least_users;
    return !users.empty() &&
           std::all_of(users.begin(), users.end(), [&](const ReachUser& u) { return subject_matches(a, u.user); });
  }

  // What is compared with every other subject, made once.
  struct Who {
    bool is_crowd = false;
    std::string only_user;
    std::optional<std::vector<ReachUser>> least_users;
  };
  Who& who(const Subject& subject) {
    const auto [at, is_new] = who_.try_emplace(&subject);
    if (is_new) at->second = {is_crowd(subject), only_user(subject), {}};
    return at->second;
  }

  bool rule_covers(const PolicyRule& a, const PolicyRule& b) {
    const auto all_covered = [](const auto& wide, const auto& narrow, const auto& covers) {
      return std::all_of(narrow.begin(), narrow.end(), [&](const auto& n) {
        return std::any_of(wide.begin(), wide.end(), [&](const auto& w) { return covers(w, n); });
      });
    };
    const auto parts = [](const auto& w, const auto& n) { return part_covers(w, n); };
    return all_covered(a.resource_rules, b.resource_rules, parts) &&
           all_covered(a.non_resource_rules, b.non_resource_rules, parts) &&
           all_covered(a.subjects, b.subjects,
                       [&](const Subject& w, const Subject& n) { return subject_covers(w, n); });
  }

  // Reports items that another covers. Those that cover each other say the same, mostly in the same words: that is rule
  // duplicate-entry's.
  template <class List, class Covers, class Say>
  void check_list(const List& list, const std::string& field, const Covers& covers, const Say& say) {
    if (list.size() > kMaxCompared) return;
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = 0; j < list.size(); ++j) {
        if (i == j || !covers(list[j], list[i])) continue;
        if (covers(list[i], list[j]) && (i < j || !is_other_way_to_say_it(list[j], list[i]))) continue;
        const std::string at = item_field(field, i);
        Diagnostic& d = findings_.add(schema_, at, say(list[j], list[i]));
        d.notes.push_back(note_at(schema_.meta, item_field(field, j), "this covers it"));
        offer_fix(d, "remove it", false, remove_field(*schema_.meta.source.tree, at));
        break;
      }
    }
  }

  static bool is_other_way_to_say_it(const Subject& a, const Subject& b) { return to_words(a) != to_words(b); }
  template <class Item>
  static bool is_other_way_to_say_it(const Item&, const Item&) {
    return false;
  }

  // Every one is compared with every other.
  static constexpr std::size_t kMaxCompared = 64;

  const ReachIndex& index_;
  const FlowSchema& schema_;
  Findings& findings_;
  std::unordered_map<const Subject*, Who> who_;
};

void check_covered_entry(const LintContext& context, Findings& findings) {
  for (const FlowSchema* schema : own_schemas(context))
    CoverageCheck(context.reach().index(), *schema, findings).check();
}

}  // namespace

extern const Rule rule_covered_entry = {
    .code = "APF116",
    .name = "covered-entry",
    .severity = Severity::info,
    .group = RuleGroup::dangling,
    .summary = "a wider entry of the same FlowSchema covers an entry",
    .what = R"(A rule, resourceRule, nonResourceRule, subject or path matches nothing that another entry of the same
list doesn't match already. Subjects are compared with the groups that authentication adds: a service account is in
system:serviceaccounts, in system:serviceaccounts:NAMESPACE and in system:authenticated.)",
    .why = R"(The entry has no effect, but it looks as if it had: removing it doesn't remove its requests, and a
restriction in it doesn't restrict anything.)",
    .example = R"(subjects:
- kind: Group
  group: {name: "system:serviceaccounts:ci"}
- kind: ServiceAccount
  serviceAccount: {namespace: ci, name: builder}
)",
    .instead = "Remove it, or remove the wider entry if that one wasn't intended.",
    .check = check_covered_entry,
};

}  // namespace apf
