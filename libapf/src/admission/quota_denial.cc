#include "admission/quota_denial.h"

#include <algorithm>

namespace apf {

namespace {

// The plugin looks for missing requests and limits in all quotas before it counts.
bool is_before_counting(QuotaRefusal refusal) {
  return refusal == QuotaRefusal::must_specify || refusal == QuotaRefusal::status_unknown;
}

std::vector<std::string> other_quotas(const QuotaVerdict& verdict, const QuotaRequest& request,
                                      const QuotaEngine& engine) {
  std::vector<std::string> out;
  if (verdict.refusal != QuotaRefusal::exceeded && !is_before_counting(verdict.refusal)) return out;
  for (const std::size_t i : engine.quotas_of(request.ns)) {
    const QuotaState& quota = engine.quotas()[i];
    if (quota.name == verdict.quota) continue;
    const QuotaRefusal alone = QuotaEngine({quota}).admit(request).refusal;
    const bool instead = is_before_counting(verdict.refusal) ? is_before_counting(alone) : alone == verdict.refusal;
    if (instead) out.push_back(quota.name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// A scope that a quota must have to select the object, which `limited` of the configuration selects.
ScopeRequirement covering_scope(const ScopeRequirement& limited, const QuotaSubject& subject) {
  std::vector<std::string> classes;
  if (limited.scope_name == "PriorityClass" && !subject.priority_class.empty()) classes = {subject.priority_class};
  if (limited.scope_name == "VolumeAttributesClass") classes = subject.attribute_classes;
  if (!classes.empty()) return {limited.scope_name, "In", classes, true};
  return {limited.scope_name, limited.scope_name == "PriorityClass" ? "DoesNotExist" : "Exists", {}};
}

}  // namespace

QuotaDenial denial_of(const QuotaVerdict& verdict, const QuotaRequest& request, const QuotaEngine& engine) {
  QuotaDenial out;
  out.reason = to_string(verdict.refusal);
  out.code = verdict.code == 0 ? 500 : verdict.code;
  out.message = verdict.message;
  out.quota = verdict.quota;
  for (const QuotaShortfall& s : verdict.exceeded) out.exceeded.push_back({s.resource, s.requested, s.used, s.hard});
  out.other_quotas = other_quotas(verdict, request, engine);
  out.uncovered_resources = verdict.uncovered_resources;
  for (const ScopeRequirement& scope : verdict.uncovered_scopes) {
    ScopeRequirement covering = covering_scope(scope, *request.object);
    const bool known = std::any_of(out.uncovered_scopes.begin(), out.uncovered_scopes.end(), [&](const auto& other) {
      return other.scope_name == covering.scope_name && other.values == covering.values;
    });
    if (!known) out.uncovered_scopes.push_back(std::move(covering));
  }
  return out;
}

}  // namespace apf
