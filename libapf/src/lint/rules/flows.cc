// APF220 to APF223: flow distinguishers that distinguish nothing, or are missing.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "lint/fix_edits.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

constexpr const char* kMethod = "spec.distinguisherMethod";
constexpr const char* kType = "spec.distinguisherMethod.type";

// The level if it has queues among which flows are spread.
const LevelUse* spreading_level(const EffectiveLevels& levels, const FlowSchema& schema) {
  const LevelUse* level = levels.find(schema.priority_level);
  return level && level->queues > 1 ? level : nullptr;
}

// Adds the namespaces of matching requests; false if there may be any number.
bool add_namespaces(const ResourceRule& rule, std::set<std::string_view>& out) {
  if (rule.cluster_scope) out.insert("");
  if (rule.namespaces.empty()) return true;
  const auto is_cluster_scoped = [&](const std::string& entry) {
    if (resource_of(entry) == "namespaces") return false;  // their requests carry their own name as namespace
    const std::vector<const ApiResource*> known = built_in_resources(rule, entry);
    return !known.empty() && std::none_of(known.begin(), known.end(), [](const ApiResource* r) { return r->namespaced; });
  };
  if (std::all_of(rule.resources.begin(), rule.resources.end(), is_cluster_scoped)) return true;
  if (is_any(rule.namespaces)) return false;
  out.insert(rule.namespaces.begin(), rule.namespaces.end());
  return true;
}

void check_by_namespace(const LintContext& context, Findings& findings) {
  const EffectiveLevels levels(context);
  for (const FlowSchema* schema : own_schemas(context)) {
    const LevelUse* level = spreading_level(levels, *schema);
    if (schema->distinguisher_method != "ByNamespace" || !level || schema->rules.empty()) continue;
    std::set<std::string_view> namespaces;
    bool bounded = true;
    for (const PolicyRule& rule : schema->rules) {
      for (const ResourceRule& part : rule.resource_rules) bounded = bounded && add_namespaces(part, namespaces);
      if (!rule.non_resource_rules.empty()) namespaces.insert("");
    }
    if (!bounded || namespaces.size() > 1) continue;
    const std::string_view only = namespaces.empty() ? std::string_view() : *namespaces.begin();
    findings.add(*schema, kType,
                 fmt::format("ByNamespace makes one flow of all requests: {}; they share {} of the level's {} queues",
                             only.empty() ? "none of them has a namespace" : fmt::format("all are in the namespace \"{}\"", only),
                             level->hand_size, level->queues));
  }
}

void check_by_user(const LintContext& context, Findings& findings) {
  const EffectiveLevels levels(context);
  for (const FlowSchema* schema : own_schemas(context)) {
    const LevelUse* level = spreading_level(levels, *schema);
    if (schema->distinguisher_method != "ByUser" || !level) continue;
    std::set<std::string> users;
    bool several = false;
    for (const PolicyRule& rule : schema->rules) {
      for (const Subject& subject : rule.subjects) {
        several = several || is_crowd(subject);
        users.insert(only_user(subject));
      }
    }
    if (several || users.size() != 1 || users.begin()->empty()) continue;
    findings.add(*schema, kType,
                 fmt::format("ByUser makes one flow of all requests: {} is the only user; they share {} of the level's {} queues",
                             *users.begin(), level->hand_size, level->queues));
  }
}

void check_no_method(const LintContext& context, Findings& findings) {
  const EffectiveLevels levels(context);
  for (const FlowSchema* schema : own_schemas(context)) {
    const LevelUse* level = spreading_level(levels, *schema);
    if (schema->distinguisher_method || !level) continue;
    for (std::size_t i = 0; i < schema->rules.size(); ++i) {
      const std::vector<Subject>& subjects = schema->rules[i].subjects;
      const auto crowd = std::find_if(subjects.begin(), subjects.end(), is_crowd);
      if (crowd == subjects.end()) continue;
      const std::string field = subject_field(i, static_cast<std::size_t>(crowd - subjects.begin()));
      Diagnostic& d = findings.add(*schema, "spec",
                                   fmt::format("without a distinguisherMethod all users are one flow: any one of them can fill the {} of {} "
                                               "queues that they share",
                                               level->hand_size, level->queues));
      d.notes.push_back(note_at(schema->meta, field, fmt::format("{} is more than one user", to_words(*crowd))));
      break;
    }
  }
}

void check_ignored(const LintContext& context, Findings& findings) {
  const EffectiveLevels levels(context);
  for (const FlowSchema* schema : own_schemas(context)) {
    const LevelUse* level = levels.find(schema->priority_level);
    if (!schema->distinguisher_method || !level || level->queues > 1) continue;
    const char* why = level->exempt ? "is exempt and has no queues" : level->rejects ? "rejects instead of queueing" : "has one queue";
    Diagnostic& d = findings.add(*schema, kType,
                                 fmt::format("{} has no effect: the level \"{}\" {}", *schema->distinguisher_method, schema->priority_level, why));
    offer_fix(d, "remove distinguisherMethod", true, remove_field(*schema->meta.source.tree, kMethod));
  }
}

}  // namespace

extern const Rule rule_by_namespace_one_flow = {
    {"APF220", "by-namespace-one-flow", Severity::warning, "ByNamespace where all requests are of one namespace or of none",
     "A FlowSchema distinguishes flows by namespace, and all that its rules match is cluster-scoped, non-resource or in one "
     "namespace. Its level has more than one queue.",
     "Requests without a namespace are all the same flow. The users share one hand of queues, and a single one of them can "
     "fill it for all.",
     R"(spec:
  distinguisherMethod: {type: ByNamespace}
  rules:
  - subjects:
    - kind: Group
      group: {name: auditors}
    nonResourceRules:
    - verbs: [get]
      nonResourceURLs: ["/metrics"]
)",
     R"(spec:
  distinguisherMethod: {type: ByUser}
)"},
    check_by_namespace};

extern const Rule rule_by_user_one_flow = {
    {"APF221", "by-user-one-flow", Severity::info, "ByUser where there is one user",
     "A FlowSchema distinguishes flows by user, and its subjects are one single user or service account. Its level has more "
     "than one queue.",
     "It is the same as no distinguisher: one flow, which uses handSize of the level's queues and no more, however many "
     "there are. That may be what is wanted, namely when the FlowSchema as a whole is to have one share of a level that "
     "others use too.",
     R"(spec:
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects:
    - kind: ServiceAccount
      serviceAccount: {namespace: ci, name: builder}
)",
     "Leave distinguisherMethod out, or use ByNamespace when one user works for many namespaces, as the built-in FlowSchema "
     "kube-controller-manager does."},
    check_by_user};

extern const Rule rule_no_distinguisher = {
    {"APF222", "no-distinguisher-many-users", Severity::warning, "many users share one flow",
     "A FlowSchema whose subjects are groups or all service accounts of a namespace has no distinguisherMethod, and its "
     "level has more than one queue.",
     "Fairness is between flows. When all users are one flow, whoever sends the most gets the most: the others wait behind "
     "in the same few queues, and the level's other queues stay empty.",
     R"(spec:
  priorityLevelConfiguration: {name: workload-low}
  rules:
  - subjects:
    - kind: Group
      group: {name: developers}
)",
     R"(spec:
  distinguisherMethod: {type: ByUser}
)"},
    check_no_method};

extern const Rule rule_distinguisher_ignored = {
    {"APF223", "distinguisher-ignored", Severity::info, "a distinguisherMethod on a level without queues",
     "A FlowSchema has a distinguisherMethod, and its level is exempt, rejects instead of queueing, or has a single queue.",
     "Flows only decide which queues a request may wait in. Here there is nothing to decide, and the line promises a "
     "fairness that the level does not give.",
     R"(spec:
  priorityLevelConfiguration: {name: exempt}
  distinguisherMethod: {type: ByUser}
)",
     "Leave distinguisherMethod out."},
    check_ignored};

}  // namespace apf
