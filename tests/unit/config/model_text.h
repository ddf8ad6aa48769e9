// The model's objects as text with every member in it, for comparing them in tests.
#pragma once

#include <string>

#include <apf/config.h>
#include <fmt/format.h>

namespace apf::test {

inline std::string text(const std::optional<std::int32_t>& value) { return value ? std::to_string(*value) : "unset"; }
inline std::string text(const std::optional<std::string>& value) { return value ? "'" + *value + "'" : "unset"; }
inline std::string text(const std::vector<std::string>& values) {
  std::string out = "[";
  for (const std::string& value : values) out += "'" + value + "' ";
  return out + "]";
}

inline std::string spec_text(const FlowSchema& schema) {
  std::string out = fmt::format("level '{}' precedence {} distinguisher {}\n", schema.priority_level,
                                schema.matching_precedence, text(schema.distinguisher_method));
  for (const PolicyRule& rule : schema.rules) {
    out += "rule\n";
    for (const Subject& s : rule.subjects) {
      out += fmt::format(" subject '{}' user {} group {} account ", s.kind, text(s.user), text(s.group));
      out += s.service_account ? fmt::format("'{}' '{}'\n", s.service_account->ns, s.service_account->name) : "unset\n";
    }
    for (const ResourceRule& r : rule.resource_rules) {
      out += fmt::format(" resource {} {} {} {} {}\n", text(r.verbs), text(r.api_groups), text(r.resources),
                         text(r.namespaces), r.cluster_scope);
    }
    for (const NonResourceRule& r : rule.non_resource_rules)
      out += fmt::format(" non-resource {} {}\n", text(r.verbs), text(r.urls));
  }
  return out;
}

inline std::string spec_text(const PriorityLevel& level) {
  std::string out = fmt::format("type '{}'\n", level.type);
  if (level.limited) {
    const LimitedLevel& l = *level.limited;
    out += fmt::format("limited shares {} lendable {} borrowing {} response '{}'", text(l.nominal_concurrency_shares),
                       text(l.lendable_percent), text(l.borrowing_limit_percent), l.limit_response);
    if (l.queuing)
      out += fmt::format(" queuing {} {} {}", l.queuing->queues, l.queuing->hand_size, l.queuing->queue_length_limit);
    out += "\n";
  }
  if (level.exempt) {
    out += fmt::format("exempt shares {} lendable {}\n", text(level.exempt->nominal_concurrency_shares),
                       text(level.exempt->lendable_percent));
  }
  return out;
}

template <class Object>
std::string object_text(const Object& object) {
  std::string out = fmt::format("name '{}' uid '{}'\n", object.meta.name, object.meta.uid);
  for (const auto& [key, value] : object.meta.annotations) out += fmt::format("annotation '{}' = '{}'\n", key, value);
  return out + spec_text(object);
}

// With api_version, names, annotations; or, where objects of different versions are compared, the specs alone.
inline std::string config_text(const Config& config, bool specs_only = false) {
  std::string out;
  const auto add = [&](const auto& object) {
    out += specs_only ? "name '" + object.meta.name + "'\n" + spec_text(object)
                      : object.meta.api_version + "\n" + object_text(object);
  };
  for (const FlowSchema& schema : config.flow_schemas) add(schema);
  for (const PriorityLevel& level : config.priority_levels) add(level);
  return out;
}

inline LoadedConfig load_text(std::string content, std::string name = "test.yaml") {
  const ConfigText texts[] = {{std::move(name), std::move(content)}};
  return load_config(texts);
}

inline std::string diagnostics_text(const LoadedConfig& loaded) {
  std::string out;
  for (const Diagnostic& d : loaded.diagnostics) out += d.code + " " + to_string(d) + "\n";
  return out;
}

}  // namespace apf::test
