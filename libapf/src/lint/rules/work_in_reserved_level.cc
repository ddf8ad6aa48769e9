// APF204: ordinary work in a level that the cluster keeps for itself, or the cluster's own work in another one.
#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "base/identities.h"
#include "lint/given_levels.h"
#include "lint/given_schemas.h"
#include "lint/platform.h"
#include "lint/reach/reach.h"
#include "lint/reach/witness.h"
#include "lint/system_users.h"

namespace apf {

namespace {

constexpr std::string_view kElectionLevel = "leader-election", kNodeHighLevel = "node-high", kSystemLevel = "system";

std::string_view purpose_of(std::string_view level) {
  if (level == kElectionLevel) return "the leader election of controllers";
  if (level == kNodeHighLevel) return "the heartbeats of nodes";
  return level == kSystemLevel ? "kubelets" : std::string_view();
}

// What leader election does: anybody's may use the level that is for it.
bool is_election(const ResourceRule& rule) {
  constexpr std::string_view kResources[] = {"leases", "endpoints", "configmaps"},
                             kVerbs[] = {"get", "create", "update", "patch"};
  const auto all_of = [](const std::vector<std::string>& list, const auto& names) {
    return std::all_of(list.begin(), list.end(), [&](const std::string& text) {
      return std::find(std::begin(names), std::end(names), text) != std::end(names);
    });
  };
  const bool leases_only = rule.resources.size() == 1 && rule.resources[0] == "leases";
  return leases_only || (all_of(rule.resources, kResources) && all_of(rule.verbs, kVerbs));
}

// What kubelets report of their nodes.
bool is_heartbeat(const ResourceRule& rule) {
  return std::all_of(rule.resources.begin(), rule.resources.end(), [](const std::string& entry) {
    return entry == "leases" || entry == "nodes" || entry == "nodes/status";
  });
}

bool holds_list(const ResourceRule& rule) { return is_any(rule.verbs) || holds(rule.verbs, "list"); }

bool is_for_emergencies(std::string_view name) {
  std::string small(name);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const char* word : {"emergency", "break-glass", "breakglass", "rescue", "oncall", "on-call", "admin"}) {
    if (small.find(word) != std::string::npos) return true;
  }
  return false;
}

class ReservedLevelCheck {
 public:
  ReservedLevelCheck(const LintContext& context, const FlowSchema& schema, std::uint32_t index, Findings& findings)
      : context_(context), schema_(schema), index_(index), findings_(findings) {}

  void run(bool is_exempt) {
    for (std::size_t i = 0; i < schema_.rules.size(); ++i) {
      const PolicyRule& rule = schema_.rules[i];
      for (std::size_t j = 0; j < rule.subjects.size(); ++j) {
        if (rule.resource_rules.empty() || !context_.reach().of(index_).rules[i].subjects[j]) continue;
        const bool found = is_whole_kube_system(rule.subjects[j]) && takes_all_resources(rule)
                               ? check_kube_system(i, j, is_exempt)
                           : is_exempt ? check_exempt(i, j)
                                       : check_reserved(i, j);
        if (found) break;  // one finding for each rule is enough
      }
    }
  }

 private:
  const Subject& subject(std::size_t i, std::size_t j) const { return schema_.rules[i].subjects[j]; }

  Diagnostic& add(std::size_t i, std::size_t j, std::string message) {
    Diagnostic& d = findings_.add(schema_, subject_field(i, j), std::move(message));
    d.witness = witness_of(i, j);
    d.notes.push_back(note_at(schema_.meta, "spec.priorityLevelConfiguration.name",
                              fmt::format("the level is \"{}\"", schema_.priority_level)));
    return d;
  }

  // A request of the subject that the FlowSchema gets.
  std::string witness_of(std::size_t i, std::size_t j) const {
    const Reach& reach = context_.reach();
    for (const ReachUser& user : reach.index().least_users(subject(i, j))) {
      const auto [begin, end] = reach.index().parts_of(index_, static_cast<std::uint32_t>(i));
      for (std::uint32_t part = begin; part < end; ++part) {
        std::size_t tries = kTriesPerPart;
        for (const RequestInfo& request : LikelyRequests(reach.index(), part)) {
          if (tries-- == 0) break;
          if (!request.is_resource_request || reach.first_match(user.user, request) != index_) continue;
          std::string command = explain_command(user.user, request, reach.command_flags());
          if (!command.empty()) return command;
        }
      }
    }
    return {};
  }

  bool check_reserved(std::size_t i, std::size_t j) {
    const std::string& level = schema_.priority_level;
    const std::string_view purpose = purpose_of(level);
    const std::vector<ResourceRule>& parts = schema_.rules[i].resource_rules;
    if (purpose.empty() || is_platform_subject(subject(i, j))) return false;
    if (level == kElectionLevel && std::all_of(parts.begin(), parts.end(), is_election)) return false;
    add(i, j,
        fmt::format("requests of {} take seats from {}: the level has {}", to_words(subject(i, j)), purpose,
                    seats_in_words(context_, level)));
    return true;
  }

  bool check_exempt(std::size_t i, std::size_t j) {
    const Subject& who = subject(i, j);
    const std::vector<ResourceRule>& parts = schema_.rules[i].resource_rules;
    if (who.kind == "Group" && who.group == kNodesGroup) {
      if (std::all_of(parts.begin(), parts.end(), is_heartbeat)) return false;
      add(i, j,
          fmt::format("all kubelets are exempt from limits: with them, nothing holds back the load that level "
                      "\"system\" limits to {}",
                      seats_in_words(context_, std::string(kSystemLevel))));
      return true;
    }
    // Everybody, and all service accounts, are rule workloads-to-exempt's concern.
    if (is_everybody(who) || is_all_service_accounts(who) || is_platform_subject(who)) return false;
    if (who.kind == "Group" && who.group == "system:unauthenticated") return false;
    if (is_for_emergencies(schema_.meta.name) || is_for_emergencies(to_words(who))) return false;
    const bool broad = std::any_of(parts.begin(), parts.end(),
                                   [](const ResourceRule& part) { return is_any(part.resources) && holds_list(part); });
    if (!broad) return false;
    add(i, j,
        fmt::format("all requests of {} are exempt from limits: the seats that they use come on top of the server's {}",
                    to_words(who), context_.limits.server_concurrency_limit))
        .severity = Severity::info;
    return true;
  }

  // Another level than the built-in FlowSchema's: one that is smaller, not for this, or full of others' work.
  bool check_kube_system(std::size_t i, std::size_t j, bool is_exempt) {
    const FlowSchema* built_in = find_schema(context_.effective, "kube-system-service-accounts");
    if (!built_in || built_in->priority_level == schema_.priority_level) return false;
    const LevelLimits *from = limits_of(context_.limits, built_in->priority_level),
                      *to = limits_of(context_.limits, schema_.priority_level);
    if (!from || !to) return false;
    const std::string_view purpose = purpose_of(schema_.priority_level);
    const FlowSchema* others =
        is_exempt || !purpose.empty() ? nullptr : ordinary_schema(context_, schema_.priority_level);
    if (!is_exempt && purpose.empty() && !others && to->nominal_cl >= from->nominal_cl) return false;
    std::string why;
    if (is_exempt) why = "are exempt from limits here";
    else if (others)
      why = fmt::format("share \"{}\" with the requests of FlowSchema \"{}\"", to->name, others->meta.name);
    else if (!purpose.empty()) why = fmt::format("take seats from {}", purpose);
    else why = fmt::format("have {} here", seats_in_words(context_, to->name));
    add(i, j,
        fmt::format("all controllers and add-ons of kube-system {}; the built-in level for them is \"{}\" with {}", why,
                    from->name, seats_in_words(context_, from->name)));
    return true;
  }

  const LintContext& context_;
  const FlowSchema& schema_;
  const std::uint32_t index_;
  Findings& findings_;
};

void check_work_in_reserved_level(const LintContext& context, Findings& findings) {
  const EffectiveLevels& levels = context.levels();
  for (const FlowSchema* schema : own_schemas(context)) {
    if (find_schema(context.builtins, schema->meta.name)) continue;
    const LevelUse* level = levels.find(schema->priority_level);
    const auto asks = [](const PolicyRule& rule) {
      return std::any_of(rule.subjects.begin(), rule.subjects.end(), is_whole_kube_system);
    };
    const bool may_find = level && (level->exempt || !purpose_of(schema->priority_level).empty() ||
                                    std::any_of(schema->rules.begin(), schema->rules.end(), asks));
    if (!may_find) continue;
    if (const std::optional<std::uint32_t> index = context.reach().index_of(schema->meta.name))
      ReservedLevelCheck(context, *schema, *index, findings).run(level->exempt);
  }
}

}  // namespace

extern const Rule rule_work_in_reserved_level = {
    .code = "APF204",
    .name = "work-in-reserved-level",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "ordinary work uses a level that the cluster keeps for itself",
    .what = R"(A FlowSchema leads ordinary users, groups or service accounts to one of the levels leader-election (for
other requests than those of leader election), node-high or system. Or it makes all kubelets exempt, or it moves all
service accounts of kube-system to a smaller level, to one that ordinary users have, or to one for other purposes. Users, groups and
service accounts who are exempt with all resources are an info, unless a name says that they are for emergencies.
Namespaces kube-* and openshift-* count as the cluster's own.)",
    .why = R"(These levels have few seats, and what they are for must be answered in time: nodes whose heartbeats wait
are taken for dead, and controllers that can't renew their leases restart. What is exempt has no limit at all.)",
    .example = R"(spec:
  matchingPrecedence: 700
  priorityLevelConfiguration: {name: leader-election}
  rules:
  - subjects:
    - kind: ServiceAccount
      serviceAccount: {namespace: ci, name: builder}
    resourceRules:
    - verbs: ["*"]
      apiGroups: ["*"]
      resources: ["*"]
      namespaces: ["*"]
      clusterScope: true
)",
    .instead = R"(Use workload-high, or a level of your own with as many shares as the work needs.)",
    .check = check_work_in_reserved_level,
};

}  // namespace apf
