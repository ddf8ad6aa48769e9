// apfctl presets: what providers document of the servers that they run.

#include <fmt/core.h>

#include <algorithm>

#include <apf/lint.h>
#include <apf/output.h>
#include <apf/report.h>

#include "commands.h"
#include "options.h"
#include "suggest.h"

namespace apfctl {

namespace {

std::string seats_of(const apf::Preset& preset) {
  if (preset.server_concurrency) return grouped(static_cast<std::size_t>(*preset.server_concurrency));
  if (!preset.max_requests_inflight) return "not documented";
  return fmt::format("{} + {}", *preset.max_requests_inflight, preset.max_mutating_requests_inflight.value_or(0));
}

std::size_t object_count(const apf::Preset& preset) {
  const apf::Config objects = apf::preset_objects(preset);
  return objects.flow_schemas.size() + objects.priority_levels.size();
}

std::string list_text(const apf::TextStyle& style) {
  constexpr std::size_t kIndent = 9 + 2 + 14 + 2 + 7 + 2;
  std::string out = fmt::format("{:<9}  {:<14}  {:>7}  {}\n", "PRESET", "SEATS", "OBJECTS", "WHAT");
  for (const apf::Preset& preset : apf::presets())
    out += fmt::format("{:<9}  {:<14}  {:>7}  {}\n", preset.name, seats_of(preset), object_count(preset),
                       wrap(preset.title, text_width_of(style) - kIndent, kIndent));
  return out + "\n'apfctl presets NAME' shows where each value was read, and what is not\ndocumented.\n";
}

std::string page_text(const apf::Preset& preset, const apf::TextStyle& style) {
  const std::size_t width = text_width_of(style);
  std::string out = preset.name + ": " + preset.title + "\n";
  if (preset.facts.empty()) out += "\nSets nothing.\n";
  std::string source;
  for (const apf::Preset::Fact& fact : preset.facts) {
    if (fact.source != source) out += "\n" + wrap("Read " + fact.date + " at " + fact.source, width - 2, 2) + "\n";
    source = fact.source;
    out += "  " + wrap(fact.what, width - 2, 2) + "\n";
  }
  if (!preset.limits.empty()) out += "\nNot covered:\n";
  for (const std::string& sentence : preset.limits) out += "- " + wrap(sentence, width - 2, 2) + "\n";
  if (!preset.objects.empty()) out += "\n'-o yaml' prints the objects.\n";
  return out;
}

void write_preset(apf::JsonWriter& json, const apf::Preset& preset) {
  json.begin_object().field("name", preset.name).field("title", preset.title);
  const auto number = [&](const char* key, const std::optional<int>& value) {
    json.key(key);
    value ? json.value(*value) : json.null();
  };
  number("maxRequestsInflight", preset.max_requests_inflight);
  number("maxMutatingRequestsInflight", preset.max_mutating_requests_inflight);
  number("serverConcurrency", preset.server_concurrency);
  json.field("objects", static_cast<std::uint64_t>(object_count(preset))).key("facts").begin_array();
  for (const apf::Preset::Fact& fact : preset.facts)
    json.begin_object().field("what", fact.what).field("source", fact.source).field("date", fact.date).end_object();
  json.end_array().key("notCovered").begin_array();
  for (const std::string& sentence : preset.limits) json.value(sentence);
  json.end_array().end_object();
}

std::string render_json(const std::vector<const apf::Preset*>& chosen) {
  apf::JsonWriter json;
  json.begin_object().key("presets").begin_array();
  for (const apf::Preset* preset : chosen) write_preset(json, *preset);
  json.end_array().end_object();
  return json.take() + "\n";
}

}  // namespace

int cmd_presets(CommandLine& line) {
  Console console;
  OutputFlags output;
  line.synopsis("presets [NAME] [FLAG]...");
  line.about(
      "Lists the presets that --preset and the key preset of .apfctl.yaml take, or shows one: what the provider "
      "documents of its servers, with source and date. What a provider does not document, no preset sets.");
  line.example("all presets", "apfctl presets");
  line.example("the objects that OpenShift adds", "apfctl presets openshift -o yaml");
  std::vector<std::string> names;
  for (const apf::Preset& preset : apf::presets()) names.push_back(preset.name);
  line.argument_choices(names);
  output.declare(line, {"text", "json", "yaml"});
  output.prints_yaml();
  console.declare(line);
  if (!line.parse()) return 0;
  const std::vector<std::string>& words = line.arguments(0, 1, "NAME");
  console.check();
  output.check();
  std::vector<const apf::Preset*> chosen;
  if (!words.empty()) chosen.push_back(&apf::presets()[find_choice("NAME", words[0], names)]);
  else
    for (const apf::Preset& preset : apf::presets()) chosen.push_back(&preset);
  output.write(console, [&](const std::string& format, const apf::TextStyle& style) {
    if (format == "json") return render_json(chosen);
    if (format == "yaml") {
      std::string out;
      for (const apf::Preset* preset : chosen)
        if (!preset->objects.empty()) out += (out.empty() ? "" : "---\n") + preset->objects;
      return out;
    }
    return words.empty() ? list_text(style) : page_text(*chosen.front(), style);
  });
  return 0;
}

}  // namespace apfctl
