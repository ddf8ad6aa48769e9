// APF712: a LimitRange and a ResourceQuota of one namespace that work against each other.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "config/limit_range.h"
#include "lint/quota_keys.h"

namespace apf {

namespace {

const Quantity* amount_in(const ResourceList& list, std::string_view name) {
  const auto at = list.find(name);
  return at == list.end() ? nullptr : &at->second;
}

bool share_a_namespace(const LimitRange& range, const ResourceQuota& quota) {
  if (range.ns.empty() || quota.ns.empty())
    return range.ns.empty() && quota.ns.empty() && range.meta.source.file == quota.meta.source.file;
  return range.ns == quota.ns;
}

std::string item_of(std::size_t index, std::string_view list, std::string_view name) {
  return fmt::format("spec.limits[{}].{}[{}]", index, list, name);
}

// The names of a container's resource in quotas: "requests.cpu", and "cpu", which is short for it.
constexpr std::string_view kComputed[] = {"cpu", "memory", "ephemeral-storage"};

// Even one container, Pod or claim of the least size exceeds the quota.
bool check_minimum(const LimitRange& range, std::size_t index, const ResourceQuota& quota, Findings& findings) {
  const LimitRange::Item& item = range.items[index];
  const bool claim = item.type == "PersistentVolumeClaim";
  for (const auto& [name, least] : item.min) {
    if (claim != (name == "storage")) continue;
    for (const auto& [key, hard] : quota.spec.hard) {
      const std::string full = full_name(key);
      const bool counts = full == "requests." + name || (!claim && full == "limits." + name);
      if (!counts || hard.is_zero() || least <= hard) continue;
      Diagnostic& d = findings.add(
          range.meta, "LimitRange", item_of(index, "min", name),
          fmt::format("no {} fits into ResourceQuota \"{}\": each needs at least {} of {}, and the quota allows {}",
                      claim                ? "claim"
                      : item.type == "Pod" ? "Pod"
                                           : "container",
                      quota.meta.name, least.str(), name, hard.str()));
      d.notes.push_back(note_at(quota.meta, hard_field(key), "the quota is here"));
      return true;
    }
  }
  return false;
}

// One container with the defaults exceeds the quota.
void check_default_fits(const LimitRange& range, std::size_t index, const LimitRange::Item& stored,
                        const ResourceQuota& quota, Findings& findings) {
  const LimitRange::Item& item = range.items[index];
  const auto list_of = [&](bool limit, std::string_view name) {
    if (!limit && amount_in(item.request, name)) return "defaultRequest";
    return amount_in(item.limit, name) ? "default" : amount_in(item.max, name) ? "max" : "min";
  };
  for (const auto& [key, hard] : quota.spec.hard) {
    const std::string full = full_name(key), name = full.substr(full.find('.') + 1);
    const bool limit = full.starts_with("limits.");
    if (!limit && !full.starts_with("requests.")) continue;
    const Quantity* amount = amount_in(limit ? stored.limit : stored.request, name);
    if (!amount || *amount <= hard) continue;
    Diagnostic& d = findings.add(
        range.meta, "LimitRange", item_of(index, list_of(limit, name), name),
        fmt::format(
            "a container that says nothing itself gets {} of {}, and ResourceQuota \"{}\" allows {} in all: its "
            "Pod is refused",
            amount->str(), full, quota.meta.name, hard.str()));
    d.notes.push_back(note_at(quota.meta, hard_field(key), "the quota is here"));
    return;
  }
}

// A quota demands that each container says what it counts. The range gives defaults, but not these.
void check_defaults(const LimitRange& range, std::size_t index, const LimitRange::Item& stored,
                    const ResourceQuota& quota, Findings& findings) {
  if (stored.limit.empty() && stored.request.empty()) return;
  for (const auto& [key, hard] : quota.spec.hard) {
    const std::string full = full_name(key);
    for (const std::string_view name : kComputed) {
      if (name == "ephemeral-storage") continue;  // not demanded
      const bool request = full == "requests." + std::string(name), limit = full == "limits." + std::string(name);
      const bool given = request ? amount_in(stored.request, name) || amount_in(stored.limit, name)
                                 : amount_in(stored.limit, name) != nullptr;
      if ((!request && !limit) || given) continue;
      Diagnostic& d = findings.add(
          range.meta, "LimitRange", fmt::format("spec.limits[{}]", index),
          fmt::format("ResourceQuota \"{}\" demands {} of every container, and these defaults give none: a Pod that "
                      "says nothing of it is refused",
                      quota.meta.name, full));
      d.severity = Severity::info;
      d.notes.push_back(note_at(quota.meta, hard_field(key), "the quota is here"));
      return;
    }
  }
}

// A container with a default request or limit makes its Pod Burstable.
void check_best_effort(const LimitRange& range, std::size_t index, const LimitRange::Item& stored,
                       const ResourceQuota& quota, Findings& findings) {
  const std::set<std::string> terms = scope_terms(quota);
  if (!terms.contains("BestEffort Exists")) return;
  for (const std::string_view name : {"cpu", "memory"}) {
    const Quantity *request = amount_in(stored.request, name), *limit = amount_in(stored.limit, name);
    const bool some = (request && !request->is_zero()) || (limit && !limit->is_zero());
    if (!some) continue;
    Diagnostic& d = findings.add(
        range.meta, "LimitRange", fmt::format("spec.limits[{}]", index),
        fmt::format(
            "with a default for {} no new Pod is best-effort: ResourceQuota \"{}\", of scope BestEffort, counts "
            "nothing",
            name, quota.meta.name));
    d.notes.push_back(note_at(quota.meta, "spec", "the quota is here"));
    return;
  }
}

void check_limit_range_against_quota(const LintContext& context, Findings& findings) {
  for (const LimitRange& range : context.loaded.limit_ranges) {
    const std::vector<LimitRange::Item> stored = defaulted_items(range);
    for (const ResourceQuota& quota : context.loaded.resource_quotas) {
      if (!share_a_namespace(range, quota)) continue;
      const bool all_pods = scope_terms(quota).empty();
      for (std::size_t i = 0; i < range.items.size(); ++i) {
        const bool too_large = all_pods && check_minimum(range, i, quota, findings);
        if (range.items[i].type != "Container") continue;
        if (all_pods && !too_large) check_default_fits(range, i, stored[i], quota, findings);
        if (all_pods) check_defaults(range, i, stored[i], quota, findings);
        check_best_effort(range, i, stored[i], quota, findings);
      }
    }
  }
}

}  // namespace

extern const Rule rule_limit_range_against_quota = {
    .code = "APF712",
    .name = "limit-range-against-quota",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "a LimitRange and a quota of one namespace contradict each other",
    .what = R"(In one namespace: the min of a LimitRange, or a default of its containers, is above what a ResourceQuota
without scopes allows in all; or its defaults give containers no request or limit that such a quota demands (then the severity is info); or they give
cpu or memory to every container beside a quota of scope BestEffort.)",
    .why =
        R"(In the first case nothing can be created, or nothing that leaves it to the defaults. In the second, a Pod that says nothing is refused, although
there are defaults. In the third, no Pod without requests and limits is left, so the quota for such Pods counts none.)",
    .example = R"(apiVersion: v1
kind: LimitRange
metadata: {name: sizes, namespace: team-a}
spec:
  limits:
  - {type: Container, min: {memory: 4Gi}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: all, namespace: team-a}
spec:
  hard: {requests.memory: 2Gi}
)",
    .instead = R"(spec:
  limits:
  - {type: Container, min: {memory: 64Mi}, default: {memory: 512Mi}}
)",
    .check = check_limit_range_against_quota,
};

}  // namespace apf
