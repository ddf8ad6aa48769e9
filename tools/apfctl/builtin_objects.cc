#include "builtin_objects.h"

#include <algorithm>
#include <string>
#include <utility>

namespace apfctl {

namespace {

// Conversion fills in lendablePercent, a field that releases before borrowing don't have.
void remove_all(std::string& text, const std::string& field) {
  for (std::size_t at = 0; (at = text.find(field, at)) != text.npos;) text.erase(at, field.size());
}

}  // namespace

std::vector<apf::RewrittenObject> builtin_objects(const apf::Config& config, apf::KubeVersion release) {
  std::string yaml;
  const auto add = [&](const std::string& document) { yaml += (yaml.empty() ? "" : "---\n") + document; };
  for (const apf::PriorityLevel& level : config.priority_levels) add(apf::render_yaml(level));
  for (const apf::FlowSchema& schema : config.flow_schemas) add(apf::render_yaml(schema));
  const apf::ConfigText texts[] = {{"built-in objects", std::move(yaml)}};
  std::vector<apf::RewrittenObject> out =
      apf::convert_objects(apf::load_config(texts), texts, apf::newest_served(release)).objects;
  const bool lends = std::any_of(config.priority_levels.begin(), config.priority_levels.end(),
                                 [](const apf::PriorityLevel& l) { return l.limited && l.limited->lendable_percent; });
  if (lends) return out;
  for (apf::RewrittenObject& object : out) {
    remove_all(object.json, ",\"lendablePercent\":0");
    remove_all(object.yaml, "    lendablePercent: 0\n");
  }
  return out;
}

}  // namespace apfctl
