#include "config/kep/convert.h"

#include <map>

#include "config/convert_value.h"
#include "config/kep/decode.h"
#include "config/kep/validate.h"

namespace apf {

namespace {

std::string source_text(const ObjectMeta& meta) {
  if (!meta.source.tree) return {};
  const ConfigNode& root = *meta.source.tree;
  std::string out(root.tree().text().substr(root.begin(), root.end() - root.begin()));
  return out.ends_with('\n') ? out : out + "\n";
}

void set_default(Value& spec, std::string_view name, Value value) {
  if (spec.find_present(name)) return;
  spec.erase(name);
  spec.members.emplace_back(name, std::move(value));
}

Value boolean(bool value) {
  Value out;
  out.kind = NodeKind::boolean;
  out.text = value ? "true" : "false";
  return out;
}

template <class Object>
void default_object(const Object& object, const char* kind, Rewritten& out) {
  Value value = Value::of(*object.meta.source.tree);
  RewrittenObject rewritten;
  rewritten.kind = kind;
  rewritten.name = object.meta.name;
  rewritten.span = object.meta.source.span_of("kind");
  rewritten.yaml_before = to_yaml(value);
  Value& spec = *value.find("spec");
  if constexpr (std::is_same_v<Object, PriorityLevel>) {
    set_default(spec, "exempt", boolean(false));
    set_default(spec, "catchAll", boolean(false));
    if (object.limited) set_default(spec, "handSize", Value::integer(1));
  } else if (!spec.find_present("matchingPriority")) {
    set_default(spec, "matchingPrecedence", Value::integer(object.matching_precedence));
  }
  rewritten.yaml = to_yaml(value);
  append_plain_json(rewritten.json, value);
  rewritten.changed = rewritten.yaml != rewritten.yaml_before;
  out.objects.push_back(std::move(rewritten));
}

}  // namespace

Rewritten convert_kep(const LoadedConfig& loaded, FlowControlVersion to, std::optional<KubeVersion> release) {
  Rewritten out;
  if (loaded.has_errors()) return out;  // a part of it means something else
  validate_kep(loaded, out.losses);
  std::erase_if(out.losses, [](const Diagnostic& d) { return d.severity != Severity::error; });
  if (!out.losses.empty()) return out;
  KepTranslation translation = translate_kep(loaded);
  out.losses = std::move(translation.refusals);
  for (Diagnostic& loss : translation.losses) out.losses.push_back(std::move(loss));
  ConfigText text{"translation.yaml", {}};
  for (const PriorityLevel& level : translation.config.priority_levels) text.text += "---\n" + render_yaml(level);
  for (const FlowSchema& schema : translation.config.flow_schemas) text.text += "---\n" + render_yaml(schema);
  const ConfigText texts[] = {std::move(text)};
  const LoadedConfig v1 = load_config(texts);
  Rewritten converted = convert_objects(v1, texts, to, release);
  std::map<std::string, const ObjectMeta*> schemas, levels;
  for (const FlowSchema& schema : loaded.config.flow_schemas) schemas.emplace(schema.meta.name, &schema.meta);
  for (const PriorityLevel& level : loaded.config.priority_levels) levels.emplace(level.meta.name, &level.meta);
  for (RewrittenObject& object : converted.objects) {
    const auto& given = object.kind == "FlowSchema" ? schemas : levels;
    const auto at = given.find(object.name);
    const ObjectMeta& meta = at != given.end()  ? *at->second
                             : !schemas.empty() ? *schemas.begin()->second
                                                : *levels.begin()->second;
    object.span = meta.source.span_of("kind");
    object.yaml_before = at != given.end() ? source_text(meta) : std::string();
    object.changed = true;
  }
  out.objects = std::move(converted.objects);
  // What older versions lose; said of the object, wherever it came from.
  for (Diagnostic& loss : converted.losses) {
    loss.span = {};
    out.losses.push_back(std::move(loss));
  }
  return out;
}

Rewritten default_kep(const LoadedConfig& loaded) {
  Rewritten out;
  for (const PriorityLevel& level : loaded.config.priority_levels) default_object(level, kKepPriorityKind, out);
  for (const FlowSchema& schema : loaded.config.flow_schemas) default_object(schema, "FlowSchema", out);
  return out;
}

}  // namespace apf
