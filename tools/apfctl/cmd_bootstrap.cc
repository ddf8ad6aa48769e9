// apfctl bootstrap: the objects that a release of kube-apiserver maintains itself.

#include <algorithm>
#include <string>
#include <utility>

#include <apf/config.h>

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

std::string render_json(const apf::Config& config) {
  std::string out;
  for (const apf::PriorityLevel& level : config.priority_levels) out += apf::render_json(level) + "\n";
  for (const apf::FlowSchema& schema : config.flow_schemas) out += apf::render_json(schema) + "\n";
  return out;
}

// Conversion fills in lendablePercent, a field that releases before borrowing don't have.
std::string without_lending(std::string text, bool json) {
  const std::string field = json ? ",\"lendablePercent\":0" : "    lendablePercent: 0\n";
  for (std::size_t at = 0; (at = text.find(field, at)) != text.npos;) text.erase(at, field.size());
  return text;
}

// In the newest version that the release serves.
std::string render(const apf::Config& config, apf::KubeVersion release, bool json) {
  const apf::FlowControlVersion version = apf::newest_served(release);
  if (version == apf::FlowControlVersion::v1) return json ? render_json(config) : render_yaml(config);
  const apf::ConfigText texts[] = {{"built-in objects", render_yaml(config)}};
  std::string out;
  for (const apf::RewrittenObject& object : apf::convert_objects(apf::load_config(texts), texts, version).objects) {
    if (!json && !out.empty()) out += "---\n";
    out += json ? object.json + "\n" : object.yaml;
  }
  const bool lends = std::any_of(config.priority_levels.begin(), config.priority_levels.end(),
                                 [](const apf::PriorityLevel& l) { return l.limited && l.limited->lendable_percent; });
  return lends ? out : without_lending(std::move(out), json);
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
               "apfctl bootstrap --builtins mandatory -o json | jq -r .metadata.name");
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
  const apf::Config config = apf::bootstrap_config(release.version, release.builtins);
  output.write(console, [&](const std::string& format, const apf::TextStyle&) {
    return render(config, release.version, format == "json");
  });
  return 0;
}

}  // namespace apfctl
