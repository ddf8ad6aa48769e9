// What a pod uses: the effective requests and limits of its containers (k8s.io/component-helpers/resource), what of
// them quota counts (pkg/quota/v1/evaluator/core/pods.go), after API defaulting (pkg/apis/core/v1/defaults.go, v1.36).
#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "admission/quota_subject.h"
#include "config/validate_names.h"

namespace apf {

namespace {

struct Amounts {
  UsageList requests, limits;
};

struct Container {
  std::string name;
  bool sidecar = false;
  Amounts own;        // as the object gives them, defaulted
  Amounts effective;  // of a running pod: with what its status says
};

constexpr std::string_view kHugePages = "hugepages-";

bool is_pod_level(std::string_view name) { return name == "cpu" || name == "memory" || name.starts_with(kHugePages); }

// Contains a domain that is not Kubernetes' own, and is a valid name after "requests.".
bool is_extended(std::string_view name) {
  if (name.find('/') == name.npos || name.find("kubernetes.io/") != name.npos) return false;
  return !name.starts_with("requests.") &&
         label_key_faults("requests." + std::string(name), kNewestKubeVersion).empty();
}

// A limit replaces a missing request, never the other way.
Amounts read_resources(const ConfigNode* resources, const std::string& field, std::vector<ObjectFault>& faults) {
  Amounts out;
  if (!resources) return out;
  out.requests = read_amounts(resources->find("requests"), field + ".requests", faults);
  out.limits = read_amounts(resources->find("limits"), field + ".limits", faults);
  return out;
}

std::vector<Container> read_containers(const ConfigNode& spec, std::string_view key, std::vector<ObjectFault>& faults) {
  std::vector<Container> out;
  const ConfigNode* list = spec.find_present(key);
  if (!list) return out;
  out.reserve(list->items().size());
  for (const ConfigNode& item : list->items()) {
    Container container;
    container.name = text_at(item, "name");
    container.sidecar = text_at(item, "restartPolicy") == "Always";
    const std::string field = fmt::format("spec.{}[{}].resources", key, &item - list->items().data());
    container.own = read_resources(item.find_present("resources"), field, faults);
    for (const auto& [name, limit] : container.own.limits) container.own.requests.set_if_absent(name, limit);
    out.push_back(std::move(container));
  }
  return out;
}

// LimitRanger comes after API defaulting: its default limit is no request, but it has a default request besides.
void apply_limit_ranges(const EarlierAdmission& earlier, std::vector<Container>& containers) {
  for (Container& c : containers) {
    for (const auto& [name, amount] : earlier.default_requests) c.own.requests.set_if_absent(name, amount);
    for (const auto& [name, amount] : earlier.default_limits) c.own.limits.set_if_absent(name, amount);
    c.effective = c.own;
  }
}

// A resize in place that no node can grant.
bool is_infeasible_resize(const ConfigNode& status) {
  const ConfigNode* conditions = status.find_present("conditions");
  if (!conditions) return false;
  return std::any_of(conditions->items().begin(), conditions->items().end(), [](const ConfigNode& condition) {
    return text_at(condition, "type") == "PodResizePending" && text_at(condition, "reason") == "Infeasible";
  });
}

// Until a resize in place has happened, the larger one of what is wanted and what is given counts.
void apply_status(const ConfigNode& status, std::string_view key, std::vector<Container>& containers,
                  std::vector<ObjectFault>& faults) {
  const ConfigNode* list = status.find_present(key);
  if (!list) return;
  const bool infeasible = is_infeasible_resize(status);
  for (const ConfigNode& item : list->items()) {
    const ConfigNode* resources = item.find_present("resources");
    if (!resources) continue;
    const auto at = std::find_if(containers.begin(), containers.end(),
                                 [&](const Container& c) { return c.name == text_at(item, "name"); });
    if (at == containers.end()) continue;
    const std::string field = fmt::format("status.{}[{}]", key, &item - list->items().data());
    const Amounts actual = read_resources(resources, field + ".resources", faults);
    const UsageList allocated = read_amounts(item.find("allocatedResources"), field + ".allocatedResources", faults);
    if (infeasible) at->effective = {};
    at->effective.requests.raise(actual.requests);
    at->effective.requests.raise(allocated);
    at->effective.limits.raise(actual.limits);
  }
}

// All containers run at once, init containers one after the other before them; sidecars from their turn on.
UsageList aggregate(const std::vector<Container>& containers, const std::vector<Container>& init_containers,
                    UsageList Amounts::*part, Amounts Container::*which) {
  UsageList sum;
  for (const Container& c : containers) sum.add((c.*which).*part);
  UsageList sidecars, most;
  for (const Container& c : init_containers) {
    const UsageList& own = (c.*which).*part;
    if (c.sidecar) {
      sum.add(own);
      sidecars.add(own);
      most.raise(sidecars);
    } else {
      UsageList turn = own;
      turn.add(sidecars);
      most.raise(turn);
    }
  }
  sum.raise(most);
  return sum;
}

bool has_pod_level(const UsageList& list) {
  return std::any_of(list.begin(), list.end(), [](const auto& entry) { return is_pod_level(entry.first); });
}

// Requests that the pod leaves out although it has limits: what its containers ask for together, else the limit.
void default_pod_level(Amounts& pod, const UsageList& of_containers) {
  if (pod.limits.empty()) return;
  for (const auto& [name, amount] : of_containers) {
    if (is_pod_level(name) && !name.starts_with(kHugePages)) pod.requests.set_if_absent(name, amount);
  }
  for (const auto& [name, amount] : pod.limits) {
    if (is_pod_level(name)) pod.requests.set_if_absent(name, amount);
  }
}

void replace_pod_level(UsageList& list, const UsageList& pod_level) {
  for (const auto& [name, amount] : pod_level) {
    if (is_pod_level(name)) list.set(name, amount);
  }
}

void charge(UsageList& usage, const UsageList& requests, const UsageList& limits) {
  for (const auto& [name, amount] : requests) {
    if (name == "cpu" || name == "memory" || name == "ephemeral-storage" || name.starts_with(kHugePages)) {
      usage.set(name, amount);
      usage.set("requests." + name, amount);
    } else if (is_extended(name)) {
      usage.set("requests." + name, amount);
    }
  }
  for (const auto& [name, amount] : limits) {
    if (name == "cpu" || name == "memory" || name == "ephemeral-storage") usage.set("limits." + name, amount);
  }
}

bool asks_for_compute(const Amounts& amounts) {
  for (const UsageList* list : {&amounts.requests, &amounts.limits}) {
    for (const std::string_view name : {"cpu", "memory"}) {
      const Quantity* amount = list->find(name);
      if (amount && amount->sign() > 0) return true;
    }
  }
  return false;
}

// What quota may demand of every container.
void note_unspecified(QuotaSubject& subject, const std::vector<Container>& containers) {
  struct Demand {
    std::string_view key, name;
    UsageList Amounts::*part;
  };
  static constexpr Demand kDemands[] = {
      {"cpu", "cpu", &Amounts::requests},
      {"limits.cpu", "cpu", &Amounts::limits},
      {"limits.memory", "memory", &Amounts::limits},
      {"memory", "memory", &Amounts::requests},
      {"requests.cpu", "cpu", &Amounts::requests},
      {"requests.memory", "memory", &Amounts::requests},
  };
  for (const Demand& demand : kDemands) {
    for (const Container& c : containers) {
      if (!(c.own.*demand.part).has(demand.name)) subject.unspecified.emplace_back(demand.key, c.name);
    }
  }
}

bool crosses_namespaces(const ConfigNode& spec) {
  const auto crosses = [](const ConfigNode& term) {
    const ConfigNode* namespaces = term.find_present("namespaces");
    return (namespaces && !namespaces->items().empty()) || term.find_present("namespaceSelector");
  };
  const ConfigNode* affinity = spec.find_present("affinity");
  if (!affinity) return false;
  for (const char* side : {"podAffinity", "podAntiAffinity"}) {
    const ConfigNode* terms = affinity->find_present(side);
    if (!terms) continue;
    if (const ConfigNode* required = terms->find_present("requiredDuringSchedulingIgnoredDuringExecution")) {
      if (std::any_of(required->items().begin(), required->items().end(), crosses)) return true;
    }
    const ConfigNode* preferred = terms->find_present("preferredDuringSchedulingIgnoredDuringExecution");
    if (!preferred) continue;
    for (const ConfigNode& weighted : preferred->items()) {
      const ConfigNode* term = weighted.find_present("podAffinityTerm");
      if (term && crosses(*term)) return true;
    }
  }
  return false;
}

// Ended pods, and those that should long be gone, use nothing; they count as objects still.
bool has_ended(const ConfigNode& pod, std::optional<Nanos> now) {
  const ConfigNode* status = pod.find_present("status");
  const std::string_view phase = status ? text_at(*status, "phase") : std::string_view();
  if (phase == "Succeeded" || phase == "Failed") return true;
  const ConfigNode* metadata = pod.find_present("metadata");
  if (!now || !metadata) return false;
  const std::optional<Nanos> deleted = parse_rfc3339(text_at(*metadata, "deletionTimestamp"));
  const ConfigNode* grace = metadata->find_present("deletionGracePeriodSeconds");
  return deleted && grace && *now > *deleted + grace->integer().value_or(0) * kSecond;
}

// Of each container, and of the pod: its containers together, what the pod itself says instead of that.
void check_limit_ranges(QuotaSubject& subject, const EarlierAdmission& earlier,
                        const std::vector<Container>& containers, const std::vector<Container>& init_containers,
                        const Amounts& pod_level) {
  if (earlier.limit_ranges.empty()) return;
  Amounts pod;
  for (UsageList Amounts::*part : {&Amounts::requests, &Amounts::limits}) {
    pod.*part = aggregate(containers, init_containers, part, &Container::own);
    replace_pod_level(pod.*part, pod_level.*part);
  }
  std::vector<LimitRangeSubject> subjects;
  for (const std::vector<Container>* list : {&containers, &init_containers})
    for (const Container& c : *list) subjects.push_back({"Container", &c.own.requests, &c.own.limits});
  subjects.push_back({"Pod", &pod.requests, &pod.limits});
  subject.limit_range_fault = limit_range_faults(earlier.limit_ranges, subjects);
}

}  // namespace

void measure_pod(QuotaSubject& subject, const ConfigNode& pod, const EarlierAdmission& earlier,
                 std::vector<ObjectFault>& faults) {
  static const ConfigNode kNothing{};
  const ConfigNode* spec_node = pod.find_present("spec");
  const ConfigNode& spec = spec_node ? *spec_node : kNothing;
  std::vector<Container> containers = read_containers(spec, "containers", faults);
  std::vector<Container> init_containers = read_containers(spec, "initContainers", faults);

  const ConfigNode* pod_resources = spec.find_present("resources");
  Amounts pod_level = read_resources(pod_resources, "spec.resources", faults);
  if (pod_resources) {
    default_pod_level(pod_level, aggregate(containers, init_containers, &Amounts::requests, &Container::own));
  }

  apply_limit_ranges(earlier, containers);
  apply_limit_ranges(earlier, init_containers);

  note_unspecified(subject, containers);
  note_unspecified(subject, init_containers);
  std::sort(subject.unspecified.begin(), subject.unspecified.end());
  subject.unspecified.erase(std::unique(subject.unspecified.begin(), subject.unspecified.end()),
                            subject.unspecified.end());
  subject.pod_level_resources = has_pod_level(pod_level.requests) || has_pod_level(pod_level.limits);

  const auto asks = [](const Container& c) { return asks_for_compute(c.own); };
  const ConfigNode* status = pod.find_present("status");
  const std::string_view qos = status ? text_at(*status, "qosClass") : std::string_view();
  if (!qos.empty()) {
    subject.best_effort = qos == "BestEffort";
  } else if (pod_resources) {
    subject.best_effort = !asks_for_compute(pod_level);
  } else {
    subject.best_effort = std::none_of(containers.begin(), containers.end(), asks) &&
                          std::none_of(init_containers.begin(), init_containers.end(), asks);
  }
  const ConfigNode* deadline = spec.find_present("activeDeadlineSeconds");
  subject.terminating = deadline && deadline->integer().value_or(-1) >= 0;
  subject.priority_class = text_at(spec, "priorityClassName");
  if (subject.priority_class.empty()) subject.priority_class = earlier.priority_class;
  subject.cross_namespace_affinity = crosses_namespaces(spec);

  check_limit_ranges(subject, earlier, containers, init_containers, pod_level);
  const UsageList overhead = read_amounts(spec.find("overhead"), "spec.overhead", faults);
  if (has_ended(pod, earlier.now)) return;
  if (status) {
    apply_status(*status, "containerStatuses", containers, faults);
    // Of init containers only sidecars run on.
    std::vector<Container> resized = init_containers;
    apply_status(*status, "initContainerStatuses", resized, faults);
    for (std::size_t i = 0; i < init_containers.size(); ++i) {
      if (init_containers[i].sidecar) init_containers[i] = std::move(resized[i]);
    }
  }
  UsageList requests = aggregate(containers, init_containers, &Amounts::requests, &Container::effective);
  UsageList limits = aggregate(containers, init_containers, &Amounts::limits, &Container::effective);
  replace_pod_level(requests, pod_level.requests);
  replace_pod_level(limits, pod_level.limits);
  requests.add(overhead);
  for (const auto& [name, amount] : overhead) {
    if (limits.has(name)) limits.add(name, amount);
  }
  subject.usage.set("pods", Quantity(1));
  charge(subject.usage, requests, limits);
}

}  // namespace apf
