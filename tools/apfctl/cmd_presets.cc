// apfctl presets: what providers document of the servers that they run.

#include <fmt/core.h>

#include <algorithm>

#include <apf/lint.h>
#include <apf/output.h>
#include <apf/report.h>

#include "commands.h"
#include "report_output.h"
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

apf::Document list_of_presets() {
  apf::Document out("Presets");
  apf::Table table;
  table.left("PRESET").left("SEATS").right("OBJECTS").left("WHAT").wraps();
  for (const apf::Preset& preset : apf::presets())
    table.row({preset.name, seats_of(preset), std::to_string(object_count(preset)), preset.title});
  out.section().show(std::move(table));
  out.section().say("'apfctl presets NAME' shows where each value was read, and what is not documented.");
  return out;
}

apf::Document page_of(const apf::Preset& preset) {
  apf::Document out(preset.name + ": " + preset.title);
  out.section().say(out.title);
  if (preset.facts.empty()) out.section().say("Sets nothing.");
  std::string source;
  for (const apf::Preset::Fact& fact : preset.facts) {
    if (fact.source != source) out.section().say("Read " + fact.date + " at " + fact.source, apf::Tone::plain, 2);
    source = fact.source;
    out.sections.back().item(fact.what, "  ", apf::Tone::plain, 2);
  }
  out.section("Not covered:").list(preset.limits);
  if (!preset.objects.empty()) out.section().say("'-o yaml' prints the objects.");
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
  return json.take();
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
  output.declare(line, {"text", "json", "yaml", "markdown", "html"});
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
  write_report(
      output, console, [&](const apf::View&) { return words.empty() ? list_of_presets() : page_of(*chosen.front()); },
      [&] { return render_json(chosen); }, {{"yaml", [&] {
                                               std::string out;
                                               for (const apf::Preset* preset : chosen)
                                                 if (!preset->objects.empty())
                                                   out += (out.empty() ? "" : "---\n") + preset->objects;
                                               return out;
                                             }}});
  return 0;
}

}  // namespace apfctl
