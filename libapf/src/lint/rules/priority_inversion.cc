// APF206: requests that others wait for, in the level that those others fill.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/core.h>

#include "base/api_groups.h"
#include "lint/given_levels.h"
#include "lint/given_schemas.h"
#include "lint/nested.h"
#include "lint/platform.h"
#include "lint/reach/reach.h"
#include "lint/reach/text.h"
#include "lint/reach/witness.h"
#include "lint/system_users.h"

namespace apf {

namespace {

struct Inner {
  InnerKind kind = InnerKind::none;
  bool aggregator = false;        // asked by the server, for aggregated API servers alone
  const char* what = nullptr;     // "reviews of users and permissions"
  const char* waiting = nullptr;  // who waits for them
  RequestInfo request;
};

// What of a rule others wait for when this subject asks for it.
std::optional<Inner> inner_of(const PolicyRule& rule, const Subject& subject) {
  const auto request = [](const char* verb, const char* path) {
    ParsedRequest parsed;
    parse_audited_request(verb, path, parsed);
    return parsed.info;
  };
  for (const ResourceRule& part : rule.resource_rules) {
    const auto found = std::find_if(part.resources.begin(), part.resources.end(), is_review);
    if (found == part.resources.end() || (!is_any(part.verbs) && !holds(part.verbs, "create"))) continue;
    if (is_everybody(subject) || is_all_service_accounts(subject)) continue;
    const bool tokens = *found == "tokenreviews";
    return Inner{InnerKind::review, false, tokens ? "reviews of tokens" : "reviews of permissions",
                 "a request that the server passes on to an aggregated API server or a webhook",
                 request("create", tokens ? "/apis/authentication.k8s.io/v1/tokenreviews"
                                          : "/apis/authorization.k8s.io/v1/subjectaccessreviews")};
  }
  const char* const list_pods = "/api/v1/pods";
  const InnerKind kind = inner_kind(request("list", list_pods), only_user(subject));
  if (kind == InnerKind::server && only_user(subject) == "system:kube-aggregator")
    return Inner{kind, true, "what the API server asks under this name while it serves a request",
                 "a request that the server passes on to an aggregated API server", request("list", list_pods)};
  if (kind == InnerKind::server)
    return Inner{kind, false, "what it asks of the API server before it answers",
                 "a request for which the server calls it (as a webhook or an aggregated API)",
                 request("list", list_pods)};
  if (kind == InnerKind::collector)
    return Inner{kind, false, "what it does to finish deletions", "a deletion in the foreground, or of a namespace",
                 request("list", list_pods)};
  return std::nullopt;
}

// The request, or another such of the rule that the FlowSchema takes from the subject.
std::string witness_of(const LintContext& context, std::uint32_t index, std::size_t rule, const Subject& subject,
                       const Inner& inner) {
  const Reach& reach = context.reach();
  const auto is_such = [&](const RequestInfo& request) {
    return request.is_resource_request &&
           (inner.kind != InnerKind::review || (is_review(request.resource) && request.verb == "create"));
  };
  for (const ReachUser& user : reach.index().least_users(subject)) {
    if (reach.first_match(user.user, inner.request) == index)
      return explain_command(user.user, inner.request, reach.command_flags());
    const auto [begin, end] = reach.index().parts_of(index, static_cast<std::uint32_t>(rule));
    for (std::uint32_t part = begin; part < end; ++part) {
      for (const RequestInfo& request : LikelyRequests(reach.index(), part)) {
        if (!is_such(request) || reach.first_match(user.user, request) != index) continue;
        std::string command = explain_command(user.user, request, reach.command_flags());
        if (!command.empty()) return command;
      }
    }
  }
  return {};
}

// The other half of a cycle: an ordinary user's request that waits for the inner one, and holds its seats meanwhile.
struct Outer {
  const FlowSchema* schema = nullptr;
  std::string witness;
};

class OuterRequests {
 public:
  explicit OuterRequests(const LintContext& context) : reach_(context.reach()) {}

  // Null if no FlowSchema leads such a request to the level.
  const Outer* find(const std::string& level, const Inner& inner) {
    const auto [at, is_new] = found_.try_emplace({level, inner.kind, inner.aggregator});
    if (is_new) at->second = search(level, inner);
    return at->second ? &*at->second : nullptr;
  }

 private:
  std::optional<Outer> search(const std::string& level, const Inner& inner) const {
    for (std::uint32_t index = 0; index < reach_.consulted().size(); ++index) {
      const FlowSchema& schema = *reach_.consulted()[index];
      if (schema.priority_level != level) continue;
      for (std::uint32_t rule = 0; rule < schema.rules.size(); ++rule) {
        for (const Subject& subject : schema.rules[rule].subjects) {
          if (!is_ordinary_crowd(subject)) continue;
          std::string command = command_of(index, rule, subject, inner);
          if (!command.empty()) return Outer{&schema, std::move(command)};
        }
      }
    }
    return std::nullopt;
  }

  std::string command_of(std::uint32_t index, std::uint32_t rule, const Subject& subject, const Inner& inner) const {
    const auto [begin, end] = reach_.index().parts_of(index, rule);
    for (const ReachUser& user : reach_.index().least_users(subject)) {
      for (std::uint32_t part = begin; part < end; ++part) {
        LikelyRequests requests(reach_.index(), part);
        requests.append({metrics_of_pods()});
        for (const RequestInfo& request : requests) {
          if (!waits_for(request, inner) || reach_.first_match(user.user, request) != index) continue;
          std::string command = explain_command(user.user, request, reach_.command_flags());
          if (!command.empty()) return command;
        }
      }
    }
    return {};
  }

  static bool waits_for(const RequestInfo& outer, const Inner& inner) {
    return can_cause(outer, inner.kind) && (!inner.aggregator || !is_own_group(outer.api_group));
  }

  // The aggregated API that nearly every cluster has.
  static RequestInfo metrics_of_pods() {
    ParsedRequest parsed;
    parse_audited_request("list", "/apis/metrics.k8s.io/v1beta1/pods", parsed);
    return parsed.info;
  }

  const Reach& reach_;
  std::map<std::tuple<std::string, InnerKind, bool>, std::optional<Outer>> found_;
};

void show_halves(Diagnostic& d, const std::string& outer, std::string inner) {
  d.notes.push_back({fmt::format("the half that holds a seat: {}", outer), {}});
  d.notes.push_back({fmt::format("the half that waits for one: {}", inner), {}});
  d.witness = std::move(inner);
}

// The inner requests have a level of their own, with next to no seats: those that wait for them hold many.
bool check_seats(const LintContext& context, OuterRequests& outers, const FlowSchema& schema, std::uint32_t index,
                 std::size_t i, std::size_t j, const Inner& inner, Findings& findings) {
  constexpr int kFew = 10;  // one of
  const Subject& subject = schema.rules[i].subjects[j];
  const LevelLimits* const own = limits_of(context.limits, schema.priority_level);
  const LevelLimits* wide = nullptr;
  const Outer* outer = nullptr;
  for (const LevelLimits& level : context.limits.levels) {
    if (!own || level.exempt || level.nominal_cl < own->max_cl * kFew || (wide && level.nominal_cl <= wide->nominal_cl))
      continue;
    if (const Outer* const found = outers.find(level.name, inner)) {
      outer = found;
      wide = &level;
    }
  }
  if (!outer) return false;
  std::string witness = witness_of(context, index, i, subject, inner);
  if (witness.empty()) return false;
  Diagnostic& d = findings.add(
      schema, subject_field(i, j),
      fmt::format("{}: {} are served at most {} at a time by level \"{}\", and the requests that wait for them hold up "
                  "to {} of \"{}\" meanwhile",
                  to_words(subject), inner.what, own->max_cl, schema.priority_level, count_of(wide->nominal_cl, "seat"),
                  wide->name));
  d.severity = Severity::info;
  d.notes.push_back({fmt::format("{} holds its seat until {} is answered: give \"{}\" more shares, or let it borrow",
                                 inner.waiting, to_words(subject), schema.priority_level),
                     {}});
  show_halves(d, outer->witness, std::move(witness));
  return true;
}

bool check_subject(const LintContext& context, OuterRequests& outers, const FlowSchema& schema, std::uint32_t index,
                   std::size_t i, std::size_t j, Findings& findings) {
  const Subject& subject = schema.rules[i].subjects[j];
  const std::optional<Inner> inner = inner_of(schema.rules[i], subject);
  if (!inner) return false;
  const Outer* outer = outers.find(schema.priority_level, *inner);
  if (!outer) return check_seats(context, outers, schema, index, i, j, *inner, findings);
  std::string witness = witness_of(context, index, i, subject, *inner);
  if (witness.empty()) return false;
  Diagnostic& d = findings.add(
      schema, subject_field(i, j),
      fmt::format("{}: {} can wait for the very requests that wait for it, since FlowSchema \"{}\" leads these to the "
                  "same level \"{}\"",
                  to_words(subject), inner->what, outer->schema->meta.name, schema.priority_level));
  d.notes.push_back({fmt::format("the cycle: {} holds a seat of \"{}\" until {} is answered; that waits for a seat of "
                                 "\"{}\", and all of them may be held so",
                                 inner->waiting, schema.priority_level, to_words(subject), schema.priority_level),
                     {}});
  if (is_crowd(subject)) {
    d.severity = Severity::info;
    d.notes.push_back(
        {"a level of its own for these requests ends the cycle; the exempt level would let all requests "
         "of so many by",
         {}});
  }
  show_halves(d, outer->witness, std::move(witness));
  return true;
}

// "create subjectaccessreviews by alice"
std::string in_words(const RequestInfo& request, const User& user) {
  std::string resource = request.resource;
  if (!request.api_group.empty()) resource += "." + request.api_group;
  if (!request.subresource.empty()) resource += "/" + request.subresource;
  return fmt::format("{} {} by {}", request.verb, resource, user.name);
}

// What a log shows: requests that ran within others of the same level. One finding for each FlowSchema.
void check_log(const LintContext& context, const EffectiveLevels& levels, std::set<std::string>& reported,
               Findings& findings) {
  const Reach& reach = context.reach();
  for (const LintOptions::Nested& nested : context.options.nested) {
    User inner_user = nested.inner_user, outer_user = nested.outer_user;
    add_implied_groups(inner_user);
    add_implied_groups(outer_user);
    const std::optional<std::uint32_t> inner = reach.first_match(inner_user, nested.inner),
                                       outer = reach.first_match(outer_user, nested.outer);
    if (!inner || !outer) continue;
    const FlowSchema &of_inner = *reach.consulted()[*inner], &of_outer = *reach.consulted()[*outer];
    const LevelUse* level = levels.find(of_inner.priority_level);
    if (of_inner.priority_level != of_outer.priority_level || !level || level->exempt) continue;
    const FlowSchema& given = is_given(of_inner.meta) && !is_stock(of_inner) ? of_inner : of_outer;
    if (!is_given(given.meta) || is_stock(given) || !reported.insert(given.meta.name).second) continue;
    Diagnostic& d = findings.add(
        given, "spec.priorityLevelConfiguration.name",
        fmt::format("the log has requests that may wait for requests within them in the same level \"{}\": {} of {} "
                    "requests {} ran within requests {}",
                    of_inner.priority_level, nested.count, nested.of, in_words(nested.inner, inner_user),
                    in_words(nested.outer, outer_user)));
    d.notes.push_back(
        {"a request within another ran between its arrival and its end; that one caused the other, the "
         "log does not say",
         {}});
    std::string within = explain_command(inner_user, nested.inner, reach.command_flags());
    const std::string around = explain_command(outer_user, nested.outer, reach.command_flags());
    if (!around.empty() && !within.empty()) show_halves(d, around, std::move(within));
    else d.witness = std::move(within);
  }
}

void check_priority_inversion(const LintContext& context, Findings& findings) {
  const EffectiveLevels& levels = context.levels();
  OuterRequests outers(context);
  std::set<std::string> reported;
  for (const FlowSchema* schema : own_schemas(context)) {
    if (is_stock(*schema)) continue;
    const LevelUse* level = levels.find(schema->priority_level);
    if (!level || level->exempt) continue;
    std::optional<std::uint32_t> index;
    bool found = false;
    for (std::size_t i = 0; i < schema->rules.size() && !found; ++i) {
      for (std::size_t j = 0; j < schema->rules[i].subjects.size() && !found; ++j) {
        if (!inner_of(schema->rules[i], schema->rules[i].subjects[j])) continue;
        if (!index) index = context.reach().index_of(schema->meta.name);
        found = index && check_subject(context, outers, *schema, *index, i, j, findings);
      }
    }
    if (found) reported.insert(schema->meta.name);
  }
  check_log(context, levels, reported, findings);
}

}  // namespace

extern const Rule rule_priority_inversion = {
    .code = "APF206",
    .name = "priority-inversion",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "requests that others wait for share a level with those others",
    .what = R"(A FlowSchema leads requests on whose answer other requests depend to a level that FlowSchemas for
ordinary users use, too: TokenReviews and SubjectAccessReviews of a named client, everything of a service account whose
name says that it serves a webhook or an aggregated API (webhook, admission, gatekeeper, kyverno, istiod,
metrics-server, -apiserver, …), what the API server itself asks as system:kube-aggregator, and the requests of the
garbage collector and the namespace controller. Exempt levels
aren't reported, nor are levels that only the cluster's own components use. A level of their own is reported (info) if
it never has more than a tenth of the seats that those others may hold. For a whole namespace or group the severity
is info. With --log, FlowSchemas
are reported, too, under which such requests of the log ran from arrival to end within a request of the same level that
may have caused them: for reviews and servers a write, or a request for a resource that isn't of Kubernetes' own groups;
for the two controllers a deletion.)",
    .why = R"(The API server holds a request's seats while it calls a webhook or an aggregated API server. That asks
the API server in turn before it answers. If such requests wait in the level whose seats the outer requests hold, none
of them gets on until they time out; in a level with few seats, they get on no faster than these serve them. To prevent
such priority inversions is one of the first goals of KEP-1040.)",
    .example = R"(spec:
  matchingPrecedence: 800
  priorityLevelConfiguration: {name: workload-low}
  rules:
  - subjects:
    - kind: ServiceAccount
      serviceAccount: {namespace: metrics, name: aggregated-api}
    resourceRules:
    - verbs: [create]
      apiGroups: [authentication.k8s.io, authorization.k8s.io]
      resources: [tokenreviews, subjectaccessreviews]
      clusterScope: true
)",
    .instead = R"(# A level of its own, or for a few cheap requests of one client: exempt.
spec:
  matchingPrecedence: 800
  priorityLevelConfiguration: {name: aggregated-apis}
)",
    .check = check_priority_inversion,
};

}  // namespace apf
