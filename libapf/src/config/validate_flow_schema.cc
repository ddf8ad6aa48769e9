// The spec of a FlowSchema, rule by rule in the server's order (pkg/apis/flowcontrol/validation, v1.36).
#include <algorithm>

#include "base/go_quote.h"
#include "config/defaults.h"
#include "config/go_json.h"
#include "config/validate_names.h"
#include "config/validate_object.h"

namespace apf {

namespace {

constexpr std::int32_t kMaxPrecedence = 10000;
// In the order in which the server lists them.
constexpr std::string_view kSupportedVerbs[] = {"create", "delete", "deletecollection", "get",  "list",
                                                "patch",  "proxy",  "update",           "watch"};

bool holds_star(const std::vector<std::string>& list) { return std::find(list.begin(), list.end(), "*") != list.end(); }

void check_service_account(const Subject& subject, const FieldPath& path, FieldErrors& errors) {
  const FieldPath account = path.child("serviceAccount");
  if (!subject.service_account) {
    return errors.required(kInvalidSubject, account,
                           "serviceAccount is required when subject kind is 'ServiceAccount'");
  }
  const std::string& name = subject.service_account->name;
  if (name.empty()) {
    errors.required(kInvalidSubject, account.child("name"));
  } else if (name != "*") {
    for (std::string& fault : dns_subdomain_faults(name))
      errors.invalid(kInvalidSubject, account.child("name"), go_quote(name), std::move(fault));
  }
  const std::string& ns = subject.service_account->ns;
  if (ns.empty()) {
    return errors.required(kInvalidSubject, account.child("namespace"), "must specify namespace for service account");
  }
  for (std::string& fault : dns_label_faults(ns))
    errors.invalid(kInvalidSubject, account.child("namespace"), go_quote(ns), std::move(fault));
}

void check_named(const std::optional<std::string>& name, const FieldPath& path, const char* if_absent,
                 FieldErrors& errors) {
  if (!name) return errors.required(kInvalidSubject, path, if_absent);
  if (name->empty()) errors.required(kInvalidSubject, path.child("name"));
}

void check_subject(const Subject& subject, const FieldPath& path, FieldErrors& errors) {
  const auto forbid_user = [&] {
    if (subject.user) {
      errors.forbidden(kMisplacedSubjectMember, path.child("user"),
                       "user is forbidden when subject kind is not 'User'");
    }
  };
  const auto forbid_group = [&] {
    if (subject.group) {
      errors.forbidden(kMisplacedSubjectMember, path.child("group"),
                       "group is forbidden when subject kind is not 'Group'");
    }
  };
  const auto forbid_account = [&] {
    if (subject.service_account) {
      errors.forbidden(kMisplacedSubjectMember, path.child("serviceAccount"),
                       "serviceAccount is forbidden when subject kind is not 'ServiceAccount'");
    }
  };
  if (subject.kind == "ServiceAccount") {
    check_service_account(subject, path, errors);
    forbid_user();
    forbid_group();
  } else if (subject.kind == "User") {
    check_named(subject.user, path.child("user"), "user is required when subject kind is 'User'", errors);
    forbid_account();
    forbid_group();
  } else if (subject.kind == "Group") {
    check_named(subject.group, path.child("group"), "group is required when subject kind is 'Group'", errors);
    forbid_account();
    forbid_user();
  } else {
    errors.not_supported(kInvalidSubjectKind, path.child("kind"), go_json(subject.kind),
                         {"Group", "ServiceAccount", "User"});
  }
}

void check_verbs(const std::vector<std::string>& verbs, const FieldPath& path, FieldErrors& errors) {
  if (verbs.empty()) return errors.required(kInvalidVerbs, path, "verbs must contain at least one value");
  if (holds_star(verbs)) {
    if (verbs.size() > 1)
      errors.invalid(kInvalidVerbs, path, go_json(verbs), "if '*' is present, must not specify other verbs");
    return;
  }
  const bool known = std::all_of(verbs.begin(), verbs.end(), [](const std::string& verb) {
    return std::find(std::begin(kSupportedVerbs), std::end(kSupportedVerbs), verb) != std::end(kSupportedVerbs);
  });
  if (!known) {
    errors.not_supported(
        kInvalidVerbs, path, go_json(verbs),
        {kSupportedVerbs[0], kSupportedVerbs[1], kSupportedVerbs[2], kSupportedVerbs[3], kSupportedVerbs[4],
         kSupportedVerbs[5], kSupportedVerbs[6], kSupportedVerbs[7], kSupportedVerbs[8]});
  }
}

void check_resource_rule(const ResourceRule& rule, const FieldPath& path, FieldErrors& errors) {
  check_verbs(rule.verbs, path.child("verbs"), errors);
  if (rule.api_groups.empty()) {
    errors.required(kInvalidApiGroups, path.child("apiGroups"), "resource rules must supply at least one api group");
  } else if (rule.api_groups.size() > 1 && holds_star(rule.api_groups)) {
    errors.invalid(kInvalidApiGroups, path.child("apiGroups"), go_json(rule.api_groups),
                   "if '*' is present, must not specify other api groups");
  }
  if (rule.resources.empty()) {
    errors.required(kInvalidResources, path.child("resources"), "resource rules must supply at least one resource");
  } else if (rule.resources.size() > 1 && holds_star(rule.resources)) {
    errors.invalid(kInvalidResources, path.child("resources"), go_json(rule.resources),
                   "if '*' is present, must not specify other resources");
  }
  const FieldPath namespaces = path.child("namespaces");
  if (rule.namespaces.empty() && !rule.cluster_scope) {
    errors.required(kInvalidNamespaces, namespaces,
                    "resource rules that are not cluster scoped must supply at least one namespace");
  } else if (holds_star(rule.namespaces)) {
    if (rule.namespaces.size() > 1) {
      errors.invalid(kInvalidNamespaces, namespaces, go_json(rule.namespaces),
                     "if '*' is present, must not specify other namespaces");
    }
  } else {
    for (std::size_t i = 0; i < rule.namespaces.size(); ++i) {
      for (const std::string& fault : dns_label_faults(rule.namespaces[i])) {
        errors.invalid(kInvalidNamespaces, namespaces.at(i), go_quote(rule.namespaces[i]),
                       "each member of this list must be '*' or a DNS-1123 label; " + fault);
      }
    }
  }
}

// The first that is wrong with a path; null if nothing is.
const char* url_fault(std::string_view url) {
  if (url.empty()) return "must not be empty";
  if (url == "/") return nullptr;
  if (url[0] != '/') return "must start with slash";
  if (url.find(' ') != url.npos) return "must not contain white-space";
  if (url.find("//") != url.npos) return "must not contain double slash";
  const auto stars = std::count(url.begin(), url.end(), '*');
  if (stars > 1 || (stars == 1 && !url.ends_with("/*"))) return "wildcard can only do suffix matching";
  return nullptr;
}

void check_non_resource_rule(const NonResourceRule& rule, const FieldPath& path, FieldErrors& errors) {
  check_verbs(rule.verbs, path.child("verbs"), errors);
  const FieldPath urls = path.child("nonResourceURLs");
  if (rule.urls.empty()) {
    return errors.required(kInvalidNonResourceUrls, urls, "nonResourceURLs must contain at least one value");
  }
  if (holds_star(rule.urls)) {
    if (rule.urls.size() > 1) {
      errors.invalid(kInvalidNonResourceUrls, urls, go_json(rule.urls),
                     "if '*' is present, must not specify other non-resource URLs");
    }
    return;
  }
  for (std::size_t i = 0; i < rule.urls.size(); ++i) {
    if (const char* fault = url_fault(rule.urls[i]))
      errors.invalid(kInvalidNonResourceUrls, urls.at(i), go_quote(rule.urls[i]), fault);
  }
}

void check_rule(const PolicyRule& rule, const FieldPath& path, FieldErrors& errors) {
  const FieldPath subjects = path.child("subjects"), resource_rules = path.child("resourceRules"),
                  non_resource_rules = path.child("nonResourceRules");
  if (rule.subjects.empty()) errors.required(kNoSubjects, subjects, "subjects must contain at least one value");
  for (std::size_t i = 0; i < rule.subjects.size(); ++i) {
    const FieldPath subject = subjects.at(i);
    check_subject(rule.subjects[i], subject, errors);
  }
  if (rule.resource_rules.empty() && rule.non_resource_rules.empty()) {
    errors.required(kEmptyRule, path, "at least one of resourceRules and nonResourceRules has to be non-empty");
  }
  for (std::size_t i = 0; i < rule.resource_rules.size(); ++i) {
    const FieldPath at = resource_rules.at(i);
    check_resource_rule(rule.resource_rules[i], at, errors);
  }
  for (std::size_t i = 0; i < rule.non_resource_rules.size(); ++i) {
    const FieldPath at = non_resource_rules.at(i);
    check_non_resource_rule(rule.non_resource_rules[i], at, errors);
  }
}

}  // namespace

void validate_flow_schema_spec(const FlowSchema& schema, FieldErrors& errors) {
  const FieldPath path("spec");
  const std::int32_t precedence = defaulted_precedence(schema);
  const FieldPath at = path.child("matchingPrecedence");
  if (precedence <= 0) errors.invalid(kInvalidPrecedence, at, precedence, "must be a positive value");
  if (precedence > kMaxPrecedence) errors.invalid(kInvalidPrecedence, at, precedence, "must not be greater than 10000");
  if (precedence == 1 && schema.meta.name != "exempt") {
    errors.invalid(kReservedPrecedence, at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
  }
  if (schema.distinguisher_method && *schema.distinguisher_method != "ByUser" &&
      *schema.distinguisher_method != "ByNamespace") {
    const FieldPath method = path.child("distinguisherMethod");
    errors.not_supported(kInvalidDistinguisher, method.child("type"),
                         "{\"Type\":" + go_json(*schema.distinguisher_method) + "}", {"ByNamespace", "ByUser"});
  }
  const FieldPath reference = path.child("priorityLevelConfiguration");
  if (schema.priority_level.empty()) {
    errors.required(kInvalidLevelReference, reference.child("name"), "must reference a priority level");
  } else {
    for (std::string& fault : dns_subdomain_faults(schema.priority_level))
      errors.invalid(kInvalidLevelReference, reference.child("name"), go_quote(schema.priority_level),
                     std::move(fault));
  }
  const FieldPath rules = path.child("rules");
  for (std::size_t i = 0; i < schema.rules.size(); ++i) {
    const FieldPath rule = rules.at(i);
    check_rule(schema.rules[i], rule, errors);
  }
}

}  // namespace apf
