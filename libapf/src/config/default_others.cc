#include "config/default_others.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "config/admission_objects.h"
#include "config/convert_value.h"
#include "config/schema.h"
#include "config/tree.h"

namespace apf {

namespace {

constexpr int kMilli = -3;

// core/v1: amounts finer than a thousandth are rounded up. Printed as the server prints quantities: text, canonical.
void default_amounts(Value* list) {
  if (!list || list->kind != NodeKind::mapping) return;
  for (auto& [name, amount] : list->members) {
    std::optional<Quantity> quantity = amount.kind == NodeKind::null ? Quantity() : Quantity::parse(amount.text);
    if (!quantity) continue;
    quantity->round_up(kMilli);
    amount = Value::string(quantity->str());
  }
}

void default_quota(Value& quota) {
  if (Value* spec = quota.find("spec")) default_amounts(spec->find("hard"));
  Value* status = quota.find("status");
  if (!status) return;
  default_amounts(status->find("hard"));
  default_amounts(status->find("used"));
}

// What the item has for no other resource that `from` names is as there.
void fill_in(Value& item, std::string_view name, const Value* from) {
  if (!from) return;
  Value* list = item.find(name);
  if (!list || list->kind != NodeKind::mapping) {
    if (from->members.empty()) return;
    list = &set_member(item, limit_range_item_schema(), name, Value::mapping());
  }
  for (const auto& [resource, amount] : from->members)
    if (!list->find(resource)) list->members.emplace_back(resource, amount);
}

Value* amounts_of(Value& item, std::string_view name) {
  Value* list = item.find(name);
  return list && list->kind == NodeKind::mapping ? list : nullptr;
}

// SetDefaults_LimitRangeItem, then SetDefaults_ResourceList of each list (pkg/apis/core/v1, v1.36).
void default_limit_range(Value& range) {
  Value* spec = range.find("spec");
  Value* limits = spec ? spec->find("limits") : nullptr;
  if (!limits) return;
  for (Value& item : limits->items) {
    const Value* type = item.find_present("type");
    const auto copy_of = [&](std::string_view name) {
      const Value* list = amounts_of(item, name);
      return list ? std::optional(*list) : std::nullopt;
    };
    const auto fill = [&](std::string_view name, std::string_view from) {
      const std::optional<Value> amounts = copy_of(from);  // a new list may move it
      fill_in(item, name, amounts ? &*amounts : nullptr);
    };
    if (type && type->text == "Container") {
      fill("default", "max");
      fill("defaultRequest", "default");
      fill("defaultRequest", "min");
    }
    for (const char* name : {"max", "min", "default", "defaultRequest", "maxLimitRequestRatio"})
      default_amounts(item.find(name));
  }
}

// Buckets of a server-wide limit are one, whatever its cacheSize.
void default_event_limits(Value& configuration) {
  Value* limits = configuration.find("limits");
  if (!limits) return;
  for (Value& limit : limits->items) {
    const Value *type = limit.find_present("type"), *size = limit.find_present("cacheSize");
    if (!type || type->text == to_string(EventLimitType::server) || (size && size->text != "0")) continue;
    set_member(limit, event_limit_schema(), "cacheSize",
               Value::integer(EventRateLimitConfiguration::Limit().buckets()));
  }
}

void default_admission(Value& admission) {
  Value* plugins = admission.find("plugins");
  if (!plugins) return;
  bool seen = false;  // the first entry alone counts
  for (Value& plugin : plugins->items) {
    const Value* name = plugin.find_present("name");
    if (!name || name->text != kEventRateLimitPlugin || seen) continue;
    seen = true;
    Value* configuration = plugin.find("configuration");
    if (configuration && configuration->kind == NodeKind::mapping) default_event_limits(*configuration);
  }
}

template <class Default>
RewrittenObject rewritten(const ObjectMeta& meta, std::string_view kind, const StructSchema& schema,
                          Default apply_default) {
  const Value before = Value::of(*meta.source.tree);
  Value after = before;
  drop_unknown(after, schema);
  apply_default(after);
  // An item of a typed list need not say what it is.
  if (!after.find_present("kind")) set_member(after, schema, "kind", Value::string(kind));
  if (!after.find_present("apiVersion")) set_member(after, schema, "apiVersion", Value::string(meta.api_version));
  RewrittenObject out;
  out.kind = after.find_present("kind")->text;
  out.name = meta.name;
  out.span = meta.source.span_of("kind");
  append_api_json(out.json, after, schema);
  out.yaml_before = to_yaml(before);
  out.yaml = to_yaml(after);
  out.changed = before != after;
  return out;
}

bool is_within(const ObjectSource& inner, const ObjectSource& outer) {
  return inner.file == outer.file && inner.document == outer.document && inner.tree->begin() > outer.tree->begin() &&
         inner.tree->end() <= outer.tree->end();
}

}  // namespace

std::vector<RewrittenObject> default_others(const LoadedConfig& loaded) {
  std::vector<RewrittenObject> out;
  const auto nothing = [](Value&) {};
  const auto is_inline = [&](const ObjectMeta& meta) {
    return std::any_of(loaded.admission_configurations.begin(), loaded.admission_configurations.end(),
                       [&](const AdmissionConfiguration& a) { return is_within(meta.source, a.meta.source); });
  };
  for (const auto& object : loaded.admission_configurations)
    out.push_back(
        rewritten(object.meta, "AdmissionConfiguration", admission_configuration_schema(), default_admission));
  for (const auto& object : loaded.event_rate_limits)
    if (!is_inline(object.meta))
      out.push_back(rewritten(object.meta, "Configuration", event_rate_limit_schema(), default_event_limits));
  for (const auto& object : loaded.resource_quota_configurations)
    if (!is_inline(object.meta))
      out.push_back(
          rewritten(object.meta, "ResourceQuotaConfiguration", resource_quota_configuration_schema(), nothing));
  for (const auto* quotas : {&loaded.resource_quotas, &loaded.replaced_resource_quotas})
    for (const ResourceQuota& quota : *quotas)
      out.push_back(rewritten(quota.meta, "ResourceQuota", resource_quota_schema(), default_quota));
  for (const LimitRange& range : loaded.limit_ranges)
    out.push_back(rewritten(range.meta, "LimitRange", limit_range_schema(), default_limit_range));
  // A policy has no defaults.
  for (const AuditPolicy& policy : loaded.audit_policies) {
    const Value value = Value::of(*policy.meta.source.tree);
    RewrittenObject& written = out.emplace_back();
    written.kind = "Policy";
    written.name = policy.meta.name;
    written.span = policy.meta.source.span_of("kind");
    append_plain_json(written.json, value);
    written.yaml = written.yaml_before = to_yaml(value);
  }
  return out;
}

}  // namespace apf
