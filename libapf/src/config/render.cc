// Objects as text of flowcontrol.apiserver.k8s.io/v1, fields in the order of the API's Go types.
#include <apf/config.h>
#include <apf/output.h>

#include "config/schema.h"
#include "config/yaml_writer.h"

namespace apf {

namespace {

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

template <class Writer>
void write_head(Writer& out, std::string_view kind, const ObjectMeta& meta) {
  out.field("apiVersion", std::string(kApiGroup) + "/v1").field("kind", kind);
  out.key("metadata").begin_object().field("name", meta.name);
  if (!meta.uid.empty()) out.field("uid", meta.uid);
  // The annotation speaks to v1beta3 only; conversion from there drops it.
  const bool drop_preserve = meta.api_version.ends_with("/v1beta3");
  const auto dropped = [&](const auto& annotation) {
    return drop_preserve && annotation.first == kPreserveZeroAnnotation;
  };
  bool any = false;
  for (const auto& annotation : meta.annotations) any = any || !dropped(annotation);
  if (any) {
    out.key("annotations").begin_object();
    for (const auto& annotation : meta.annotations) {
      if (!dropped(annotation)) out.field(annotation.first, annotation.second);
    }
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
void write(Writer& out, const FlowSchema& object) {
  out.begin_object();
  write_head(out, "FlowSchema", object.meta);
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
void write_limited(Writer& out, const LimitedLevel& limited) {
  out.key("limited").begin_object();
  write_optional(out, "nominalConcurrencyShares", limited.nominal_concurrency_shares);
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
  write_optional(out, "lendablePercent", limited.lendable_percent);
  write_optional(out, "borrowingLimitPercent", limited.borrowing_limit_percent);
  out.end_object();
}

template <class Writer>
void write(Writer& out, const PriorityLevel& object) {
  out.begin_object();
  write_head(out, "PriorityLevelConfiguration", object.meta);
  out.key("spec").begin_object().field("type", object.type);
  if (object.limited) write_limited(out, *object.limited);
  if (object.exempt) {
    out.key("exempt").begin_object();
    write_optional(out, "nominalConcurrencyShares", object.exempt->nominal_concurrency_shares);
    write_optional(out, "lendablePercent", object.exempt->lendable_percent);
    out.end_object();
  }
  out.end_object().end_object();
}

template <class Writer, class Object>
std::string render(const Object& object) {
  Writer out;
  write(out, object);
  return out.take();
}

}  // namespace

std::string render_json(const FlowSchema& object) { return render<JsonWriter>(object); }
std::string render_json(const PriorityLevel& object) { return render<JsonWriter>(object); }
std::string render_yaml(const FlowSchema& object) { return render<YamlWriter>(object); }
std::string render_yaml(const PriorityLevel& object) { return render<YamlWriter>(object); }

}  // namespace apf
