// APF712: a LimitRange and a ResourceQuota of one namespace that work against each other.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "lint/namespace_limits.h"
#include "lint/quota_keys.h"

namespace apf {

namespace {

std::string item_of(std::size_t index, std::string_view list, std::string_view name) {
  return fmt::format("spec.limits[{}].{}[{}]", index, list, name);
}

// The names of a container's resource in quotas: "requests.cpu", and "cpu", which is short for it.
constexpr std::string_view kComputed[] = {"cpu", "memory", "ephemeral-storage"};

// Quotas with scopes count some Pods only.
std::string where_counted(const ResourceQuota& quota) { return scope_terms(quota).empty() ? "" : " that it counts"; }

// What the amounts of `name` in an item of the type add up to in quotas: "requests.memory", "limits.memory", and those
// of one storage class.
bool adds_up_to(std::string_view key, const std::string& name, bool claim) {
  const std::string full = full_name(key);
  if (claim) return full == "requests.storage" || full.ends_with(".storageclass.storage.k8s.io/requests.storage");
  return full == "requests." + name || full == "limits." + name;
}

// How many times `each` fits.
std::int64_t times_in(const Quantity& room, const Quantity& each) {
  constexpr std::int64_t kMostWithMilli = std::numeric_limits<std::int64_t>::max() / 1000;
  if (room.value() >= kMostWithMilli || each.value() >= kMostWithMilli) return room.value() / each.value();
  return room.milli_value() / each.milli_value();
}

// Of least sizes, so many objects fit that the quotas' own number of them is never reached.
void check_count(const NamespaceLimits& limits, const LimitRange& range, std::size_t index, const std::string& name,
                 const QuotaEntry& room, Findings& findings) {
  const LimitRange::Item& item = range.items[index];
  const bool claim = item.type == "PersistentVolumeClaim";
  if (room.key.find(".storageclass.") != room.key.npos) return;  // others are of other classes
  const std::int64_t most = times_in(*room.amount, item.min.at(name));
  for (const ResourceQuota* quota : limits.quotas) {
    if (!counts_all_of(*room.quota, *quota)) continue;
    for (const auto& [key, amount] : quota->spec.hard) {
      const std::string_view counted = key.starts_with("count/") ? std::string_view(key).substr(6) : key;
      if (counted != (claim ? "persistentvolumeclaims" : "pods") || amount <= Quantity(most)) continue;
      Diagnostic& d = add_at_key(
          findings, *quota, key,
          fmt::format("{} of {} is never reached: each has at least {} of {}, and {}{} of {} are used up by {}",
                      amount.str(), key, item.min.at(name).str(), name, room.key,
                      room.quota == quota ? "" : " of ResourceQuota \"" + room.quota->meta.name + "\"",
                      room.amount->str(), most));
      d.severity = Severity::info;
      d.notes.push_back(note_at(range.meta, item_of(index, "min", name), "the least size is here"));
      d.notes.push_back(smallest_change(fmt::format("{}: {}", key, most)));
    }
  }
}

// Even one container, Pod or claim of the least size exceeds the quota.
bool check_minimum(const NamespaceLimits& limits, const LimitRange& range, std::size_t index,
                   const ResourceQuota& quota, Findings& findings) {
  const LimitRange::Item& item = range.items[index];
  const bool claim = item.type == "PersistentVolumeClaim";
  for (const auto& [name, least] : item.min) {
    if (claim != (name == "storage") || least.is_zero()) continue;
    for (const auto& [key, hard] : quota.spec.hard) {
      if (!adds_up_to(key, name, claim) || hard.is_zero()) continue;
      if (least <= hard) {
        check_count(limits, range, index, name, {&quota, key, &hard}, findings);
        continue;
      }
      const std::string of_class = claim ? key.substr(0, key.find(".storageclass.")) : "";
      Diagnostic& d = findings.add(
          range.meta, "LimitRange", item_of(index, "min", name),
          fmt::format("no {}{} fits into ResourceQuota \"{}\": each needs at least {} of {}, and the quota allows {}",
                      claim                ? of_class == key ? "claim" : "claim of class " + of_class
                      : item.type == "Pod" ? "Pod"
                                           : "container",
                      where_counted(quota), quota.meta.name, least.str(), name, hard.str()));
      d.notes.push_back(note_at(quota.meta, hard_field(key), "the quota is here"));
      d.notes.push_back(smallest_change(fmt::format("{}: {}, or a min of {} here", key, least.str(), hard.str())));
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
    const std::string list = list_of(limit, name);
    Diagnostic& d = findings.add(
        range.meta, "LimitRange", item_of(index, list, name),
        fmt::format(
            "a container that says nothing itself gets {} of {}, and ResourceQuota \"{}\" allows {} in all: its "
            "Pod{} is refused",
            amount->str(), full, quota.meta.name, hard.str(),
            scope_terms(quota).empty() ? "" : ", if the quota counts it,"));
    d.notes.push_back(note_at(quota.meta, hard_field(key), "the quota is here"));
    d.notes.push_back(smallest_change(fmt::format("{}: {}, or {} {}: {} here", key, amount->str(),
                                                  list == "default" ? "default" : "defaultRequest", name, hard.str())));
    return;
  }
}

// Do the defaults of the namespace give it to containers? (A limit of an API object is its request, too; a default is
// stored as both.)
bool gives_default(const NamespaceLimits& limits, bool request, std::string_view name) {
  for (const StoredRange& stored : limits.ranges)
    for (const LimitRange::Item& item : stored.items)
      if (item.type == "Container" && (amount_in(item.limit, name) || (request && amount_in(item.request, name))))
        return true;
  return false;
}

// A quota demands that each container says what it counts. The range gives defaults, but not these.
void check_defaults(const NamespaceLimits& limits, const LimitRange& range, std::size_t index,
                    const LimitRange::Item& stored, const ResourceQuota& quota, Findings& findings) {
  if (stored.limit.empty() && stored.request.empty()) return;
  for (const auto& [key, hard] : quota.spec.hard) {
    const std::string full = full_name(key);
    for (const std::string_view name : kComputed) {
      if (name == "ephemeral-storage") continue;  // not demanded
      const bool request = full == "requests." + std::string(name), limit = full == "limits." + std::string(name);
      if ((!request && !limit) || gives_default(limits, request, name)) continue;
      Diagnostic& d = findings.add(
          range.meta, "LimitRange", fmt::format("spec.limits[{}]", index),
          fmt::format("ResourceQuota \"{}\" demands {} of every container, and these defaults give none: a Pod that "
                      "says nothing of it is refused",
                      quota.meta.name, full));
      d.severity = Severity::info;
      d.notes.push_back(note_at(quota.meta, hard_field(key), "the quota is here"));
      d.notes.push_back(smallest_change(fmt::format("a {} of {}", request ? "defaultRequest" : "default", name)));
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
    d.notes.push_back(smallest_change("no default here, or no such quota"));
    return;
  }
}

void check_range(const NamespaceLimits& limits, const StoredRange& stored, Findings& findings) {
  const LimitRange& range = *stored.range;
  for (const ResourceQuota* quota : limits.quotas) {
    const bool all_pods = scope_terms(*quota).empty();
    for (std::size_t i = 0; i < range.items.size(); ++i) {
      const bool too_large = check_minimum(limits, range, i, *quota, findings);
      if (range.items[i].type != "Container") continue;
      if (!too_large) check_default_fits(range, i, stored.items[i], *quota, findings);
      if (all_pods) check_defaults(limits, range, i, stored.items[i], *quota, findings);
      check_best_effort(range, i, stored.items[i], *quota, findings);
    }
  }
}

void check_limit_range_against_quota(const LintContext& context, Findings& findings) {
  for (const NamespaceLimits& limits : namespaces_of(context.loaded))
    for (const StoredRange& range : limits.ranges) check_range(limits, range, findings);
}

}  // namespace

extern const Rule rule_limit_range_against_quota = {
    .code = "APF712",
    .name = "limit-range-against-quota",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "a LimitRange and a quota of one namespace contradict each other",
    .what = R"(In one namespace: the min of a LimitRange, or a default of its containers, is above what a ResourceQuota
allows in all; or its defaults give containers no request or limit that a quota without scopes demands (then the
severity is info); or they give cpu or memory to every container beside a quota of scope BestEffort; or so few objects of
its min fit that the number of pods or claims that a quota allows is never reached (an info).)",
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
