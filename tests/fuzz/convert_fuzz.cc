// validate, default_objects and convert_objects on any bytes: they end, what they say has a place, and what they write
// is read again as what it was.
#include <apf/config.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/entry.h"

using apf::fuzz::require;

namespace {

void check_findings(const std::vector<apf::Diagnostic>& findings) {
  for (const apf::Diagnostic& d : findings) {
    require(!d.code.empty() && !d.field.empty() && !d.message.empty() && d.span.known());
    require(d.type.empty() || d.message.starts_with(d.field + ": " + d.type));
    require(d.kind == "FlowSchema" || d.kind == "PriorityLevelConfiguration");
  }
}

void check_validation(const apf::LoadedConfig& loaded, apf::KubeVersion version) {
  check_findings(apf::validate(loaded, version));
  check_findings(apf::validate(loaded, version, &loaded));
  check_findings(apf::validate(loaded, version, nullptr, apf::Subresource::status));
  std::vector<apf::Diagnostic> strict = loaded.diagnostics;
  apf::apply_strict_decoding(strict);
  require(strict.size() <= loaded.diagnostics.size());
  require(strict.empty() == loaded.diagnostics.empty());
}

std::size_t objects_of(const apf::LoadedConfig& loaded) {
  return loaded.config.flow_schemas.size() + loaded.config.priority_levels.size() +
         loaded.replaced.flow_schemas.size() + loaded.replaced.priority_levels.size();
}

// Reads what was written and defaults it: nothing changes any more, and both forms say the same.
void check_rewritten(const apf::Rewritten& rewritten, bool lost) {
  for (const apf::RewrittenObject& object : rewritten.objects) {
    require(object.changed == (object.yaml != object.yaml_before));
    require(object.span.known());
    const apf::ConfigText yaml[] = {{"again.yaml", object.yaml}}, json[] = {{"again.json", object.json}};
    const apf::LoadedConfig loaded = apf::load_config(yaml);
    require(!loaded.has_errors());
    const apf::Rewritten again = apf::default_objects(loaded, yaml);
    const apf::Rewritten same = apf::default_objects(apf::load_config(json), json);
    require(again.objects.size() == 1 && same.objects.size() == 1);
    require(again.objects[0].json == same.objects[0].json);
    if (!lost) require(again.objects[0].json == object.json && again.objects[0].yaml == object.yaml);
  }
}

}  // namespace

APF_FUZZER(convert_fuzz) {
  if (size == 0) return;
  // The first byte picks how the text is called, the version to convert to and the release.
  const apf::KubeVersion release{20 + data[0] / 8 % 17};
  const auto to = static_cast<apf::FlowControlVersion>(data[0] / 2 % 5);
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const apf::ConfigText texts[] = {{data[0] % 2 == 0 ? "fuzz.yaml" : "fuzz.json", text}};
  const apf::LoadedConfig loaded = apf::load_config(texts);
  if (objects_of(loaded) > 100) return;
  check_validation(loaded, release);
  const apf::Rewritten defaulted = apf::default_objects(loaded, texts);
  require(defaulted.objects.size() <= objects_of(loaded) && defaulted.losses.empty());
  require(defaulted.objects.empty() == (objects_of(loaded) == 0));
  check_rewritten(defaulted, false);
  const apf::Rewritten converted = apf::convert_objects(loaded, texts, to);
  require(converted.objects.size() == defaulted.objects.size());
  check_rewritten(converted, !converted.losses.empty());
}
