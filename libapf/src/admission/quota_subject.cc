// Measuring objects: what is common to all kinds, and services.
#include "admission/quota_subject.h"

#include <algorithm>

#include <fmt/core.h>

#include "config/quantity_faults.h"

namespace apf {

QuotaKind quota_kind(const GroupResource& resource) {
  if (resource.group.empty()) {
    if (resource.resource == "pods") return QuotaKind::pods;
    if (resource.resource == "services") return QuotaKind::services;
    if (resource.resource == "persistentvolumeclaims") return QuotaKind::claims;
  }
  if (resource.group == "resource.k8s.io" && resource.resource == "resourceclaims") return QuotaKind::resource_claims;
  return QuotaKind::counted;
}

std::string count_name(const GroupResource& resource) { return "count/" + resource.str(); }

std::string_view count_alias(const GroupResource& resource) {
  static constexpr std::string_view kAliases[] = {"configmaps", "replicationcontrollers", "resourcequotas", "secrets"};
  if (!resource.group.empty()) return {};
  const auto at = std::find(std::begin(kAliases), std::end(kAliases), resource.resource);
  return at == std::end(kAliases) ? std::string_view() : *at;
}

const ConfigNode* find_path(const ConfigNode& node, std::initializer_list<std::string_view> keys) {
  const ConfigNode* at = &node;
  for (const std::string_view key : keys) {
    at = at->find_present(key);
    if (!at) return nullptr;
  }
  return at;
}

std::string_view text_at(const ConfigNode& node, std::string_view key) {
  const ConfigNode* value = node.find_present(key);
  return value && value->is_string() ? value->text() : std::string_view();
}

UsageList read_amounts(const ConfigNode* list, const std::string& field, std::vector<ObjectFault>& faults) {
  UsageList out;
  if (!list || list->is_null()) return out;
  if (!list->is_mapping()) {
    faults.push_back({list, field, "expected amounts by resource name", 0, false});
    return out;
  }
  for (const ConfigEntry& entry : list->entries()) {
    if (entry.value.is_null()) {
      out.set(entry.key.text(), Quantity());
      continue;
    }
    std::optional<Quantity> amount = quantity_of(entry.value);
    if (!amount) {
      const std::optional<QuantityFault> fault = find_quantity_fault(entry.value);  // there is one
      faults.push_back({&entry.value, fmt::format("{}[{}]", field, entry.key.text()),
                        fault->cure.empty() ? fault->message : fault->message + "; " + fault->cure, 0, false});
      continue;
    }
    if (amount->sign() < 0) {
      faults.push_back({&entry.value, fmt::format("{}[{}]", field, entry.key.text()),
                        "must be greater than or equal to 0", 0, true});
    }
    amount->round_up(-3);
    out.set(entry.key.text(), std::move(*amount));
  }
  return out;
}

QuotaSubject measure_object(const GroupResource& resource, const ConfigNode& object, const EarlierAdmission& earlier,
                            std::vector<ObjectFault>& faults) {
  QuotaSubject subject;
  subject.resource = resource;
  subject.kind = quota_kind(resource);
  if (const ConfigNode* metadata = object.find_present("metadata")) {
    subject.name = text_at(*metadata, "name");
    subject.generate_name = text_at(*metadata, "generateName");
    subject.ns = text_at(*metadata, "namespace");
    subject.has_resource_version = !text_at(*metadata, "resourceVersion").empty();
  }
  subject.usage.set(count_name(resource), Quantity(1));
  switch (subject.kind) {
    case QuotaKind::pods:
      measure_pod(subject, object, earlier, faults);
      break;
    case QuotaKind::services:
      measure_service(subject, object);
      break;
    case QuotaKind::claims:
      measure_claim(subject, object, earlier, faults);
      break;
    case QuotaKind::resource_claims:
      measure_resource_claim(subject, object);
      break;
    case QuotaKind::counted:
      if (const std::string_view alias = count_alias(resource); !alias.empty()) subject.usage.set(alias, Quantity(1));
      break;
  }
  return subject;
}

QuotaSubject count_object(const GroupResource& resource, std::string_view ns, std::string_view name) {
  QuotaSubject subject;
  subject.resource = resource;
  subject.kind = quota_kind(resource);
  subject.ns = ns;
  subject.name = name;
  subject.counts_only = true;
  subject.usage.set(count_name(resource), Quantity(1));
  if (subject.kind == QuotaKind::counted) {
    if (const std::string_view alias = count_alias(resource); !alias.empty()) subject.usage.set(alias, Quantity(1));
  } else if (subject.kind != QuotaKind::resource_claims) {
    subject.usage.set(resource.resource, Quantity(1));  // pods, services, persistentvolumeclaims
  }
  return subject;
}

// Node ports are not allocated yet when quota looks, so it counts what the type needs.
void measure_service(QuotaSubject& subject, const ConfigNode& service) {
  const ConfigNode* spec = service.find_present("spec");
  const std::string_view type = spec ? text_at(*spec, "type") : std::string_view();
  const ConfigNode* ports = spec ? spec->find_present("ports") : nullptr;
  std::int64_t node_ports = 0;
  if (ports && (type == "NodePort" || type == "LoadBalancer")) {
    const ConfigNode* allocate = spec->find_present("allocateLoadBalancerNodePorts");
    const bool explicit_only =
        type == "LoadBalancer" && allocate && allocate->kind() == NodeKind::boolean && !allocate->boolean();
    for (const ConfigNode& port : ports->items()) {
      const ConfigNode* node_port = port.find_present("nodePort");
      node_ports += !explicit_only || (node_port && node_port->integer().value_or(0) != 0);
    }
  }
  subject.usage.set("services", Quantity(1));
  subject.usage.set("services.loadbalancers", Quantity(type == "LoadBalancer" ? 1 : 0));
  subject.usage.set("services.nodeports", Quantity(node_ports));
}

}  // namespace apf
