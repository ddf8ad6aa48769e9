// load_config on any bytes: it always ends, and what it returns is consistent.
#include <apf/config.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/entry.h"

using apf::fuzz::require;

namespace {

template <class Object>
void check_object(const Object& object) {
  require(object.meta.source.tree != nullptr);
  require(object.meta.source.span_of("metadata.name").known());
  require(object.meta.source.span_of("spec.rules[0].subjects[0].kind").known());
  // What was read can be written and read again.
  const apf::ConfigText again[] = {{"again.yaml", render_yaml(object)}};
  const apf::LoadedConfig reloaded = apf::load_config(again);
  require(reloaded.config.flow_schemas.size() + reloaded.config.priority_levels.size() <= 1);
  require(reloaded.documents == 1);
}

}  // namespace

APF_FUZZER(config_fuzz) {
  if (size == 0) return;
  // The first byte picks the name, because a file that says it is JSON is not tried as YAML.
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const apf::ConfigText texts[] = {{data[0] % 2 == 0 ? "fuzz.yaml" : "fuzz.json", text}};
  apf::LoadedConfig loaded = apf::load_config(texts);
  for (const apf::Diagnostic& d : loaded.diagnostics) {
    require(!d.code.empty() && !d.message.empty() && d.span.known());
    require(d.span.end_line > d.span.line || (d.span.end_line == d.span.line && d.span.end_column >= d.span.column));
  }
  for (const apf::FlowSchema& schema : loaded.config.flow_schemas) check_object(schema);
  for (const apf::PriorityLevel& level : loaded.config.priority_levels) check_object(level);
  // What is in the KEP's dialect is validated and translated as a whole.
  if (apf::is_kep(loaded.config)) {
    validate(loaded, apf::kNewestKubeVersion);
    const apf::Rewritten rewritten = convert_objects(loaded, texts, apf::FlowControlVersion::v1);
    require(!rewritten.objects.empty() || !rewritten.losses.empty() || loaded.has_errors());
    default_objects(loaded, texts);
  }
  apf::apply_defaults(loaded.config);
}
