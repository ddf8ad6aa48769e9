// apfctl bootstrap: the objects that a release of kube-apiserver maintains itself.

#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/output.h>

#include "builtin_objects.h"
#include "commands.h"
#include "exit_code.h"
#include "options.h"
#include "settings_flags.h"

namespace apfctl {

namespace {

std::string render_yaml(const apf::Config& config) {
  std::string out;
  const auto document = [&](const std::string& yaml) {
    out += (out.empty() ? "" : "---\n") + yaml + (yaml.ends_with('\n') ? "" : "\n");
  };
  for (const apf::PriorityLevel& level : config.priority_levels) document(apf::render_yaml(level));
  for (const apf::FlowSchema& schema : config.flow_schemas) document(apf::render_yaml(schema));
  return out;
}

// As kubectl prints several objects.
std::string list_of(const std::vector<std::string>& items) {
  apf::JsonWriter json;
  json.begin_object().field("apiVersion", "v1").field("kind", "List").key("metadata").begin_object();
  json.field("resourceVersion", "").end_object().key("items").begin_array();
  for (const std::string& item : items) json.raw(item);
  json.end_array().end_object();
  return json.take() + "\n";
}

std::string render_json(const apf::Config& config) {
  std::vector<std::string> items;
  for (const apf::PriorityLevel& level : config.priority_levels) items.push_back(apf::render_json(level));
  for (const apf::FlowSchema& schema : config.flow_schemas) items.push_back(apf::render_json(schema));
  return list_of(items);
}

// In the newest version that the release serves.
std::string render(const apf::Config& config, apf::KubeVersion release, bool json) {
  const apf::FlowControlVersion version = apf::newest_served(release);
  if (version == apf::FlowControlVersion::v1) return json ? render_json(config) : render_yaml(config);
  std::string out;
  std::vector<std::string> items;
  for (const apf::RewrittenObject& object : builtin_objects(config, release)) {
    items.push_back(object.json);
    out += (out.empty() ? "" : "---\n") + object.yaml;
  }
  return json ? list_of(items) : out;
}

}  // namespace

int cmd_bootstrap(CommandLine& line) {
  Console console;
  OutputFlags output;
  ReleaseFlags release;
  SettingsFlags settings;
  line.synopsis("bootstrap [FLAG]...");
  line.about(
      "Prints the FlowSchemas and PriorityLevelConfigurations that kube-apiserver creates and maintains, as the API "
      "returns them, in the newest API version that the release serves.");
  line.example("the built-in objects of a release", "apfctl bootstrap --kubernetes-version 1.33 > builtins.yaml");
  line.example("the names of the mandatory objects",
               "apfctl bootstrap --builtins mandatory -o json | jq -r .items[].metadata.name");
  release.declare(line);
  settings.declare(line, false);
  output.declare(line, {"yaml", "json"});
  console.declare(line);
  if (!line.parse()) return 0;
  line.no_arguments();
  console.check();
  output.check();
  release.check();
  if (!settings.read(console)) return kUsageOrInput;
  settings.fill(release);
  release.note_patch(console);
  const apf::Config config = apf::bootstrap_config(release.version, release.builtins);
  output.write(console, [&](const std::string& format, const apf::TextStyle&) {
    return render(config, release.version, format == "json");
  });
  return 0;
}

}  // namespace apfctl
