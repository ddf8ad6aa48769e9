// Objects as text of flowcontrol.apiserver.k8s.io, fields in the order of the API's Go types.
#include <apf/config.h>
#include <apf/output.h>

#include "base/releases.h"
#include "config/convert_value.h"
#include "config/schema.h"
#include "config/yaml_writer.h"

namespace apf {

namespace {

ApiVersion version_of(const ObjectForm& form) { return static_cast<ApiVersion>(form.version); }

// Makes a value of what the other writers make text of.
class ValueWriter {
 public:
  ValueWriter& begin_object() { return begin(NodeKind::mapping); }
  ValueWriter& end_object() { return end(); }
  ValueWriter& begin_array() { return begin(NodeKind::sequence); }
  ValueWriter& end_array() { return end(); }
  ValueWriter& key(std::string_view name) {
    key_ = name;
    return *this;
  }
  ValueWriter& value(std::string_view text) { return add(Value::string(text)); }
  ValueWriter& value(const std::string& text) { return value(std::string_view(text)); }
  ValueWriter& value(const char* text) { return value(std::string_view(text)); }
  ValueWriter& value(std::int32_t number) { return add(Value::integer(number)); }
  ValueWriter& value(bool flag) {
    Value out;
    out.kind = NodeKind::boolean;
    out.text = flag ? "true" : "false";
    return add(std::move(out));
  }
  template <class T>
  ValueWriter& field(std::string_view name, const T& x) {
    return key(name).value(x);
  }
  Value take() { return std::move(done_); }

 private:
  ValueWriter& begin(NodeKind kind) {
    Value value;
    value.kind = kind;
    open_.emplace_back(std::move(key_), std::move(value));
    key_.clear();
    return *this;
  }
  ValueWriter& end() {
    auto [key, value] = std::move(open_.back());
    open_.pop_back();
    key_ = std::move(key);
    return add(std::move(value));
  }
  ValueWriter& add(Value value) {
    if (open_.empty()) done_ = std::move(value);
    else if (Value& in = open_.back().second; in.kind == NodeKind::sequence) in.items.push_back(std::move(value));
    else in.members.emplace_back(std::move(key_), std::move(value));
    key_.clear();
    return *this;
  }

  std::string key_;
  std::vector<std::pair<std::string, Value>> open_;
  Value done_;
};

template <class Writer>
void write_strings(Writer& out, std::string_view name, const std::vector<std::string>& strings) {
  out.key(name).begin_array();
  for (const std::string& text : strings) out.value(text);
  out.end_array();
}

template <class Writer>
void write_optional(Writer& out, std::string_view name, const std::optional<std::int32_t>& value) {
  if (value) out.field(name, *value);
}

// What the form has of the annotations. That about zero shares speaks to v1beta3 only: conversion from there drops it,
// conversion to there sets it.
std::vector<std::pair<std::string, std::string>> annotations_of(const ObjectMeta& meta, const ObjectForm& form,
                                                                bool zero_shares) {
  const bool speaks = form.version == FlowControlVersion::v1beta3;
  const bool drop = speaks || meta.api_version.ends_with("/v1beta3");
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& annotation : meta.annotations)
    if (!drop || annotation.first != kPreserveZeroAnnotation) out.emplace_back(annotation.first, annotation.second);
  if (speaks && zero_shares) out.emplace_back(kPreserveZeroAnnotation, "");
  return out;
}

template <class Writer>
void write_head(Writer& out, std::string_view kind, const ObjectMeta& meta, const ObjectForm& form,
                bool zero_shares = false) {
  out.field("apiVersion", std::string(kApiGroup) + "/" + std::string(api_version_name(version_of(form))));
  out.field("kind", kind);
  out.key("metadata").begin_object().field("name", meta.name);
  if (!meta.uid.empty()) out.field("uid", meta.uid);
  const auto annotations = annotations_of(meta, form, zero_shares);
  if (!annotations.empty()) {
    out.key("annotations").begin_object();
    for (const auto& [name, text] : annotations) out.field(name, text);
    out.end_object();
  }
  out.end_object();
}

template <class Writer>
void write_subject(Writer& out, const Subject& subject) {
  out.begin_object().field("kind", subject.kind);
  if (subject.user) out.key("user").begin_object().field("name", *subject.user).end_object();
  if (subject.group) out.key("group").begin_object().field("name", *subject.group).end_object();
  if (subject.service_account) {
    out.key("serviceAccount").begin_object();
    out.field("namespace", subject.service_account->ns).field("name", subject.service_account->name).end_object();
  }
  out.end_object();
}

template <class Writer>
void write_rule(Writer& out, const PolicyRule& rule) {
  out.begin_object().key("subjects").begin_array();
  for (const Subject& subject : rule.subjects) write_subject(out, subject);
  out.end_array();
  if (!rule.resource_rules.empty()) {
    out.key("resourceRules").begin_array();
    for (const ResourceRule& resource : rule.resource_rules) {
      out.begin_object();
      write_strings(out, "verbs", resource.verbs);
      write_strings(out, "apiGroups", resource.api_groups);
      write_strings(out, "resources", resource.resources);
      if (resource.cluster_scope) out.field("clusterScope", true);
      if (!resource.namespaces.empty()) write_strings(out, "namespaces", resource.namespaces);
      out.end_object();
    }
    out.end_array();
  }
  if (!rule.non_resource_rules.empty()) {
    out.key("nonResourceRules").begin_array();
    for (const NonResourceRule& non_resource : rule.non_resource_rules) {
      out.begin_object();
      write_strings(out, "verbs", non_resource.verbs);
      write_strings(out, "nonResourceURLs", non_resource.urls);
      out.end_object();
    }
    out.end_array();
  }
  out.end_object();
}

template <class Writer>
void write(Writer& out, const FlowSchema& object, const ObjectForm& form) {
  out.begin_object();
  write_head(out, "FlowSchema", object.meta, form);
  out.key("spec").begin_object();
  out.key("priorityLevelConfiguration").begin_object().field("name", object.priority_level).end_object();
  // 0 means in the API that it isn't set.
  if (object.matching_precedence != 0) out.field("matchingPrecedence", object.matching_precedence);
  if (object.distinguisher_method)
    out.key("distinguisherMethod").begin_object().field("type", *object.distinguisher_method).end_object();
  if (!object.rules.empty()) {
    out.key("rules").begin_array();
    for (const PolicyRule& rule : object.rules) write_rule(out, rule);
    out.end_array();
  }
  out.end_object().end_object();
}

template <class Writer>
void write_limited(Writer& out, const LimitedLevel& limited, const ObjectForm& form) {
  out.key("limited").begin_object();
  write_optional(out, has_assured_shares(version_of(form)) ? "assuredConcurrencyShares" : "nominalConcurrencyShares",
                 limited.nominal_concurrency_shares);
  out.key("limitResponse").begin_object().field("type", limited.limit_response);
  if (limited.queuing) {
    const Queuing& queuing = *limited.queuing;
    out.key("queuing").begin_object();
    if (queuing.queues != 0) out.field("queues", queuing.queues);
    if (queuing.hand_size != 0) out.field("handSize", queuing.hand_size);
    if (queuing.queue_length_limit != 0) out.field("queueLengthLimit", queuing.queue_length_limit);
    out.end_object();
  }
  out.end_object();
  if (has(form.release, Feature::borrowing)) {
    write_optional(out, "lendablePercent", limited.lendable_percent);
    write_optional(out, "borrowingLimitPercent", limited.borrowing_limit_percent);
  }
  out.end_object();
}

template <class Writer>
void write(Writer& out, const PriorityLevel& object, const ObjectForm& form) {
  out.begin_object();
  write_head(out, "PriorityLevelConfiguration", object.meta, form,
             object.limited && object.limited->nominal_concurrency_shares == 0);
  out.key("spec").begin_object().field("type", object.type);
  if (object.limited) write_limited(out, *object.limited, form);
  if (object.exempt && has(form.release, Feature::exempt_level_has_seats)) {
    out.key("exempt").begin_object();
    write_optional(out, "nominalConcurrencyShares", object.exempt->nominal_concurrency_shares);
    write_optional(out, "lendablePercent", object.exempt->lendable_percent);
    out.end_object();
  }
  out.end_object().end_object();
}

template <class Writer, class Object>
auto render(const Object& object, const ObjectForm& form) {
  Writer out;
  write(out, object, form);
  return out.take();
}

template <class Object>
RewrittenObject render_as(std::string_view kind, const StructSchema& schema, const Object& object,
                          const ObjectForm& form) {
  RewrittenObject out;
  out.kind = kind;
  out.name = object.meta.name;
  const Value value = render<ValueWriter>(object, form);
  append_api_json(out.json, value, schema);
  out.yaml = to_yaml(value);
  return out;
}

}  // namespace

std::string render_json(const FlowSchema& object, const ObjectForm& form) { return render<JsonWriter>(object, form); }
std::string render_json(const PriorityLevel& object, const ObjectForm& form) {
  return render<JsonWriter>(object, form);
}
std::string render_yaml(const FlowSchema& object, const ObjectForm& form) { return render<YamlWriter>(object, form); }
std::string render_yaml(const PriorityLevel& object, const ObjectForm& form) {
  return render<YamlWriter>(object, form);
}

RewrittenObject render_object(const FlowSchema& object, const ObjectForm& form) {
  return render_as("FlowSchema", flow_schema_schema(), object, form);
}
RewrittenObject render_object(const PriorityLevel& object, const ObjectForm& form) {
  return render_as("PriorityLevelConfiguration", priority_level_schema(version_of(form), form.release), object, form);
}

}  // namespace apf
