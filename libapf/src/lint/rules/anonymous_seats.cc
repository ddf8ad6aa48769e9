// APF238: seats for requests without a login.
#include <fmt/core.h>

#include "lint/given_levels.h"
#include "lint/given_schemas.h"
#include "lint/missed_request.h"
#include "lint/reach/reach.h"

namespace apf {

namespace {

bool is_anonymous(const Subject& subject) {
  return (subject.kind == "Group" && subject.group && *subject.group == "system:unauthenticated") ||
         (subject.kind == "User" && subject.user && *subject.user == "system:anonymous");
}

// The server's own FlowSchema probes lets health checks through.
bool takes_more_than_checks(const PolicyRule& rule) {
  constexpr std::string_view kChecks[] = {"/healthz", "/livez", "/readyz"};
  const auto is_check = [&](const std::string& url) {
    return std::any_of(std::begin(kChecks), std::end(kChecks), [&](std::string_view path) {
      return url.starts_with(path) && (url.size() == path.size() || url[path.size()] == '/');
    });
  };
  return !rule.resource_rules.empty() ||
         std::any_of(rule.non_resource_rules.begin(), rule.non_resource_rules.end(), [&](const NonResourceRule& part) {
           return !std::all_of(part.urls.begin(), part.urls.end(), is_check);
         });
}

// Where the server leads such requests by itself.
bool is_usual(std::string_view level) { return level == "global-default" || level == "catch-all"; }

std::string most_seats(const LevelLimits& limits) {
  return limits.exempt ? "as many seats as it likes" : "up to " + count_of(limits.max_cl, "seat");
}

void check_anonymous_seats(const LintContext& context, Findings& findings) {
  const LevelLimits* usual = limits_of(context.limits, "global-default");
  for (const FlowSchema* schema : own_schemas(context)) {
    const LevelLimits* limits = limits_of(context.limits, schema->priority_level);
    if (!limits || is_usual(schema->priority_level)) continue;
    const std::optional<std::uint32_t> index = context.reach().index_of(schema->meta.name);
    for (std::size_t i = 0; i < schema->rules.size(); ++i) {
      const PolicyRule& rule = schema->rules[i];
      for (std::size_t j = 0; j < rule.subjects.size() && takes_more_than_checks(rule); ++j) {
        if (!is_anonymous(rule.subjects[j])) continue;
        Diagnostic& d =
            findings.add(*schema, subject_field(i, j),
                         fmt::format("whoever reaches the server's port gets {} of level \"{}\" without a login",
                                     most_seats(*limits), schema->priority_level));
        d.notes.push_back({"a request takes its seat before the server asks whether it is allowed at all", {}});
        if (!limits->exempt && usual && limits->max_cl <= usual->max_cl) d.severity = Severity::info;
        if (index) d.witness = taken_of(context, *index, i, rule.subjects[j]);
      }
    }
  }
}

}  // namespace

extern const Rule rule_anonymous_seats = {
    .code = "APF238",
    .name = "anonymous-seats",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "requests without a login get a level other than global-default",
    .what = R"(A FlowSchema leads requests of system:unauthenticated or system:anonymous, other than health checks, to
an exempt level, or to another one than global-default and catch-all. The severity is info if the level never has more
seats than global-default.)",
    .why = R"(Whoever reaches the server's port can send such requests. The server gives a request its seat first, and
refuses it then if it is not allowed: anybody can fill the level, and others that use it wait. An exempt level bounds
nothing.)",
    .example = R"(spec:
  matchingPrecedence: 500
  priorityLevelConfiguration: {name: workload-high}
  rules:
  - subjects:
    - kind: Group
      group: {name: "system:unauthenticated"}
    nonResourceRules:
    - verbs: ["*"]
      nonResourceURLs: ["*"]
)",
    .instead = R"(Leave such requests to global-default, or give them a level of their own with few shares and
borrowingLimitPercent: 0.)",
    .check = check_anonymous_seats,
};

}  // namespace apf
