#include "commands/provider_report.h"

#include <fmt/core.h>

#include <algorithm>

#include <apf/lint.h>
#include <apf/output.h>
#include <apf/report.h>

#include "shared/words.h"

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

}  // namespace

apf::Document list_of_providers() {
  apf::Document out("Providers");
  apf::Table table;
  table.left("PROVIDER").left("SEATS").right("OBJECTS").left("WHAT").wraps();
  for (const apf::Preset& preset : apf::presets())
    table.row({preset.name, seats_of(preset), std::to_string(object_count(preset)), preset.title});
  out.section().show(std::move(table));
  out.section().say(
      "'apfctl builtins --provider NAME -o text' shows where each value was read, and what is not documented.");
  return out;
}

apf::Document page_of_provider(const apf::Preset& preset) {
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
  if (!preset.objects.empty())
    out.section().say("'apfctl builtins --provider " + preset.name + "' prints the objects.");
  return out;
}

namespace {

void write_provider(apf::JsonWriter& json, const apf::Preset& preset) {
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

}  // namespace

std::string render_providers(std::span<const apf::Preset* const> chosen) {
  apf::JsonWriter json;
  json.begin_object().key("providers").begin_array();
  for (const apf::Preset* preset : chosen) write_provider(json, *preset);
  json.end_array().end_object();
  return json.take();
}

}  // namespace apfctl
