// The schema of plans says of settings what their table does. With UPDATE in the environment it is written anew.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <apf/flag_values.h>
#include <apf/output.h>
#include <fmt/core.h>

#include "catch.h"

using namespace apf;

namespace {

using Form = SettingForm;

// A flag is named without its dashes, and a list says itself that there may be several.
std::string description_of(const ReplaySetting& setting) {
  std::string out(setting.text);
  for (std::size_t at = 0; (at = out.find("--", at)) != std::string::npos;) out.erase(at, 2);
  const std::string on_off = "on (default), or off", repeatable = " Repeatable.";
  if (setting.form == Form::on_off && out.starts_with(on_off))
    out.replace(0, on_off.size(), "true (default), or false");
  if (out.ends_with(repeatable)) out.resize(out.size() - repeatable.size());
  return out;
}

// A limit of requests a second may be negative: there is none then.
void write_bounds(JsonWriter& json, const ReplaySetting& setting) {
  if (setting.form != Form::number) json.field("minimum", static_cast<std::int64_t>(setting.least));
  json.field("maximum", static_cast<std::int64_t>(setting.most));
}

void write_text(JsonWriter& json, const ReplaySetting& setting) {
  if (setting.also.empty() || setting.also == "off") json.field("type", "string");
  else json.key("type").begin_array().value("string").value(setting.also).end_array();
  if (setting.pattern.empty()) json.field("minLength", 1);
  else json.field("pattern", setting.pattern);
  if (setting.also == "number" || setting.also == "integer") write_bounds(json, setting);
}

// The keywords of one value.
void write_value(JsonWriter& json, const ReplaySetting& setting) {
  switch (setting.form) {
    case Form::on_off:
    case Form::yes:
      json.field("type", "boolean");
      break;
    case Form::word:
      json.key("enum").begin_array();
      for (const std::string_view word : setting.words) {
        json.value(word);
        if (word == "off") json.value(false);  // as YAML reads it
      }
      json.end_array();
      break;
    case Form::number:
    case Form::whole_number:
      json.field("type", setting.form == Form::number ? "number" : "integer");
      write_bounds(json, setting);
      break;
    default:
      write_text(json, setting);
  }
}

std::string property_of(const ReplaySetting& setting) {
  JsonWriter json;
  json.begin_object().field("description", description_of(setting));
  if (setting.form == Form::texts || setting.form == Form::files) {
    json.key("anyOf").begin_array().begin_object();
    write_value(json, setting);
    json.end_object().begin_object().field("type", "array").field("minItems", 1).key("items").begin_object();
    write_value(json, setting);
    json.end_object().end_object().end_array();
  } else if (setting.also == "off") {
    json.key("anyOf").begin_array().begin_object();
    write_value(json, setting);
    json.end_object().begin_object().field("const", false).end_object().end_array();
  } else {
    write_value(json, setting);
  }
  json.end_object();
  return json.take();
}

// The lines of the settings: the last properties of a set of flags.
std::string properties() {
  std::string out;
  for (const ReplaySetting& setting : replay_settings())
    if (setting.is_of("sweep"))
      out += fmt::format("{}          \"{}\": {}", out.empty() ? "" : ",\n", setting.name, property_of(setting));
  return out;
}

std::string needs() {
  JsonWriter json;
  json.begin_object();
  for (const ReplaySetting& setting : replay_settings())
    if (setting.is_of("sweep") && !setting.needs.empty())
      json.key(setting.name).begin_array().value(setting.needs).end_array();
  json.end_object();
  return json.take();
}

// `text` with what stands between the two marks replaced.
std::string with_between(const std::string& text, std::string_view begin, std::string_view end,
                         const std::string& what) {
  const std::size_t from = text.find(begin),
                    to = text.find(end, from == std::string::npos ? from : from + begin.size());
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  return text.substr(0, from + begin.size()) + what + text.substr(to);
}

}  // namespace

TEST_CASE("The schema of plans has the settings of the table", "[sweep]") {
  const std::string path = APF_TESTS_DIR "/../schemas/sweep-plan.schema.json";
  std::ostringstream read;
  read << std::ifstream(path).rdbuf();
  std::string wanted = with_between(read.str(), "\"pattern\": \"^[0-9]{1,6}\\\\.\\\\.[0-9]{1,6}$\"\n          },",
                                    "\n        },\n        \"required\"", "\n" + properties());
  wanted = with_between(wanted, "\"dependentRequired\": ", ",\n        \"allOf\"", needs());
  if (std::getenv("UPDATE")) std::ofstream(path) << wanted;
  else CHECK(read.str() == wanted);  // otherwise: UPDATE=1 build/release/bin/unit-tests '[sweep]'
}
