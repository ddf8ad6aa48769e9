// apfctl bootstrap: the objects that a release of kube-apiserver maintains itself.

#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/output.h>

#include "commands.h"
#include "exit_code.h"
#include "options.h"
#include "settings_flags.h"

namespace apfctl {

namespace {

// As kubectl prints several objects.
std::string list_of(const std::vector<std::string>& items) {
  apf::JsonWriter json;
  json.begin_object().field("apiVersion", "v1").field("kind", "List").key("metadata").begin_object();
  json.field("resourceVersion", "").end_object().key("items").begin_array();
  for (const std::string& item : items) json.raw(item);
  json.end_array().end_object();
  return json.take() + "\n";
}

// In the newest version that the release serves.
std::string render(const apf::Config& config, apf::KubeVersion release, bool json) {
  const apf::ObjectForm form{apf::newest_served(release), release};
  std::vector<std::string> items;
  std::string documents;
  const auto add = [&](const auto& object) {
    if (json) items.push_back(apf::render_json(object, form));
    else documents += (documents.empty() ? "" : "---\n") + apf::render_yaml(object, form);
  };
  for (const apf::PriorityLevel& level : config.priority_levels) add(level);
  for (const apf::FlowSchema& schema : config.flow_schemas) add(schema);
  return json ? list_of(items) : documents;
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
  release.warn_if_newer(console);
  release.note_patch(console);
  const apf::Config config = apf::bootstrap_config(release.version, release.builtins);
  output.write(console, [&](const std::string& format, const apf::TextStyle&) {
    return render(config, release.version, format == "json");
  });
  return 0;
}

}  // namespace apfctl
