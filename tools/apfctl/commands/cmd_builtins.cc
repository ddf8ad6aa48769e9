// apfctl builtins: the objects that a release of kube-apiserver maintains itself, and those that providers add.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/lint.h>
#include <apf/output.h>

#include "commands/provider_report.h"
#include "flags/options.h"
#include "flags/report_output.h"
#include "flags/settings_flags.h"
#include "shared/commands.h"
#include "shared/exit_code.h"

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

struct BuiltinsFlags {
  Console console;
  OutputFlags output;
  ReleaseFlags release;
  SettingsFlags settings;
  std::optional<std::string> provider;
};

std::vector<std::string> names_of_providers() {
  std::vector<std::string> out = preset_names();
  out.emplace_back("all");
  return out;
}

void declare(CommandLine& line, BuiltinsFlags& flags) {
  line.synopsis("builtins [--provider NAME|all] [FLAG]...");
  line.about(
      "Which objects does kube-apiserver create and maintain?",
      "Prints the FlowSchemas and PriorityLevelConfigurations that kube-apiserver creates and maintains, as the API "
      "returns them, in the newest API version that the release serves. With --provider, the objects that a provider "
      "adds; with -o text what it documents of its servers, with source and date: what --preset and the key preset of "
      ".apfctl.yaml take. What a provider does not document, no preset sets.");
  line.example("the built-in objects of a release", "apfctl builtins --kubernetes-version 1.33");
  line.example("the objects that OpenShift adds", "apfctl builtins --provider openshift");
  line.example("what providers document of their servers", "apfctl builtins --provider all");
  line.heading("Provider");
  line.option("--provider", flags.provider, "NAME|all",
              "The objects that this provider adds; with -o text what it documents. all: a list of the providers, with "
              "what they document.");
  line.choices("--provider", names_of_providers());
  flags.release.declare(line);
  flags.settings.declare(line, false);
  flags.output.declare(line, {"yaml", "json", "text", "markdown", "html"});
  flags.console.declare(line);
}

int print_builtins(BuiltinsFlags& flags) {
  for (const OutputFlags::Target& target : flags.output.targets)
    if (target.format != "yaml" && target.format != "json")
      throw UsageError("-o " + target.format + " needs --provider");
  if (!flags.settings.read(flags.console)) return kUsageOrInput;
  flags.settings.fill(flags.release);
  flags.release.warn_if_newer(flags.console);
  flags.release.note_patch(flags.console);
  const apf::Config config = apf::bootstrap_config(flags.release.version, flags.release.builtins);
  flags.output.write(flags.console, [&](const std::string& format, const apf::TextStyle&) {
    return render(config, flags.release.version, format == "json");
  });
  return 0;
}

bool prints(const OutputFlags& output, std::string_view format) {
  return std::any_of(output.targets.begin(), output.targets.end(),
                     [&](const OutputFlags::Target& target) { return target.format == format; });
}

int print_providers(BuiltinsFlags& flags) {
  if (flags.output.given.empty()) flags.output.targets.front().format = "text";
  if (prints(flags.output, "yaml")) throw UsageError("-o yaml cannot be combined with --provider all");
  std::vector<const apf::Preset*> all;
  for (const apf::Preset& preset : apf::presets()) all.push_back(&preset);
  write_report(
      flags.output, flags.console, [](const apf::View&) { return list_of_providers(); },
      [&] { return render_providers(all); });
  return 0;
}

// The objects as YAML or JSON; a page says what else the provider documents.
int print_provider(BuiltinsFlags& flags) {
  const apf::Preset& preset = *apf::find_preset(*flags.provider);
  if (preset.objects.empty() && (prints(flags.output, "yaml") || prints(flags.output, "json")))
    flags.console.note(preset.name + " documents no objects of its own; -o text shows what it documents");
  const auto json = [&] {
    const apf::ConfigText texts[] = {{preset.name, preset.objects}};
    std::string list = render(apf::load_config(texts).config, apf::kNewestKubeVersion, true);
    list.pop_back();
    return list;
  };
  write_report(flags.output, flags.console, [&](const apf::View&) { return page_of_provider(preset); }, json,
               {{"yaml", [&] { return preset.objects; }}});
  return 0;
}

}  // namespace

int cmd_builtins(CommandLine& line) {
  BuiltinsFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  line.arguments(0, 0, "");
  flags.console.check();
  flags.output.check();
  flags.release.check();
  if (!flags.provider) return print_builtins(flags);
  if (flags.release.given || flags.release.builtins != apf::Builtins::all)
    throw UsageError("--kubernetes-version and --builtins do not change what a provider documents");
  find_choice("--provider", *flags.provider, names_of_providers());
  return *flags.provider == "all" ? print_providers(flags) : print_provider(flags);
}

}  // namespace apfctl
