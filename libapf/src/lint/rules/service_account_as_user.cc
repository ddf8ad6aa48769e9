// APF216: a service account written as a user, in a way that matches no service account.
#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "base/identities.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

// Service accounts that namespaces come with: default everywhere, the others in OpenShift.
constexpr std::string_view kUsualAccounts[] = {"default", "builder", "deployer"};

// Why no service account has this user name; empty if one can.
std::string fault(std::string_view rest) {
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return "it lacks the namespace or the name";
  const std::string_view ns = rest.substr(0, colon), name = rest.substr(colon + 1);
  if (ns.empty()) return "its namespace is empty";
  if (name.empty()) return "its name is empty";
  if (rest.find('*') != std::string_view::npos) return "\"*\" isn't a wildcard inside a user's name";
  const auto is_name_character = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  if (ns.find('.') != std::string_view::npos || !std::all_of(ns.begin(), ns.end(), is_name_character)) {
    return fmt::format("\"{}\" isn't a valid namespace", ns);
  }
  if (!std::all_of(name.begin(), name.end(), is_name_character))
    return fmt::format("\"{}\" isn't a valid name of a service account", name);
  return {};
}

// What the configuration says of service accounts and namespaces.
struct Known {
  std::set<std::string_view> accounts, namespaces;
};

bool is_namespace(std::string_view name, const Known& known) {
  constexpr std::string_view kUsual[] = {"default", "monitoring", "argocd", "cert-manager", "ingress-nginx", "kyverno"};
  return known.namespaces.contains(name) || name.ends_with("-system") || name.starts_with("kube-") ||
         std::find(std::begin(kUsual), std::end(kUsual), name) != std::end(kUsual);
}

// "istio-system:istiod" and "istio-system/istiod".
bool check_parts(const FlowSchema& schema, const std::string& user, const std::string& field, const Known& known,
                 Findings& findings) {
  const std::size_t mark = user.find_first_of(":/");
  if (mark == std::string::npos || user.starts_with("system:")) return false;
  const std::string ns = user.substr(0, mark), name = user.substr(mark + 1), whole = fmt::format("{}:{}", ns, name);
  if (!is_namespace(ns, known) || !fault(whole).empty()) return false;
  const std::string meant = fmt::format("{}{}", kServiceAccountPrefix, whole);
  Diagnostic& d =
      findings.add(schema, field,
                   fmt::format("the user \"{}\" isn't a service account: that of namespace \"{}\" is named \"{}\"",
                               user, ns, meant));
  offer_fix(d, fmt::format("replace it with \"{}\"", meant), false,
            replace_scalar(*schema.meta.source.tree, field, meant));
  return true;
}

void check_user(const FlowSchema& schema, const std::string& user, const std::string& field, const Known& known,
                Findings& findings) {
  if (user.starts_with(kServiceAccountPrefix)) {
    const std::string why = fault(std::string_view(user).substr(kServiceAccountPrefix.size()));
    if (why.empty()) return;
    Diagnostic& d =
        findings.add(schema, field, fmt::format("no service account has the user name \"{}\": {}", user, why));
    if (user.ends_with(":*"))
      d.notes.push_back({"a subject of kind ServiceAccount may have the name \"*\" for all of its namespace", {}});
    return;
  }
  if (std::string meant = "system:" + user;
      meant.starts_with(kServiceAccountPrefix) && fault(meant.substr(kServiceAccountPrefix.size())).empty()) {
    Diagnostic& d = findings.add(
        schema, field, fmt::format("the user \"{}\" isn't a service account: that is named \"{}\"", user, meant));
    return offer_fix(d, fmt::format("replace it with \"{}\"", meant), false,
                     replace_scalar(*schema.meta.source.tree, field, meant));
  }
  if (check_parts(schema, user, field, known, findings) || !known.accounts.contains(user)) return;
  findings.add(
      schema, field,
      fmt::format(
          "the user \"{}\" isn't a service account: those of a namespace NS are named \"system:serviceaccount:NS:{}\"",
          user, user));
}

void check_service_account_as_user(const LintContext& context, Findings& findings) {
  Known known{{std::begin(kUsualAccounts), std::end(kUsualAccounts)}, {}};
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    for (const PolicyRule& rule : schema.rules) {
      for (const Subject& subject : rule.subjects) {
        if (subject.kind != "ServiceAccount" || !subject.service_account) continue;
        if (subject.service_account->name != "*") known.accounts.insert(subject.service_account->name);
        known.namespaces.insert(subject.service_account->ns);
      }
      for (const ResourceRule& part : rule.resource_rules)
        known.namespaces.insert(part.namespaces.begin(), part.namespaces.end());
    }
  }
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    for (std::size_t i = 0; i < schema.rules.size(); ++i) {
      const std::vector<Subject>& subjects = schema.rules[i].subjects;
      for (std::size_t j = 0; j < subjects.size(); ++j) {
        if (subjects[j].kind == "User" && subjects[j].user) {
          check_user(schema, *subjects[j].user, subject_field(i, j) + ".user.name", known, findings);
        }
      }
    }
  }
}

}  // namespace

extern const Rule rule_service_account_as_user = {
    .code = "APF216",
    .name = "service-account-as-user",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "a User subject looks like a service account but matches none",
    .what = R"(A subject of kind User has a name that starts with system:serviceaccount: but isn't a valid name of a
service account. Or it is NAMESPACE:NAME without that beginning, where the namespace is one that other subjects name or
whose name says so (istio-system:istiod). Or it has the name of a service account without the namespace (default,
builder, deployer, or a name that another subject of the configuration uses).)",
    .why = R"(A service account is the user system:serviceaccount:NAMESPACE:NAME. With any other name the subject
matches nobody, or somebody else.)",
    .example = R"(subjects:
- kind: User
  user: {name: "system:serviceaccount:builder"}
)",
    .instead = R"(subjects:
- kind: ServiceAccount
  serviceAccount: {namespace: ci, name: builder}
)",
    .check = check_service_account_as_user,
};

}  // namespace apf
