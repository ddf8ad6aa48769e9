// The schemas of .apfctl.yaml, test files and plans of sweeps say of keys what their rows do, whatever their layout.
// With UPDATE in the environment they are written anew, without one: schemas/generate.py --layout follows.
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <sstream>

#include <apf/flag_values.h>
#include <apf/output.h>
#include <fmt/core.h>
#include <simdjson.h>

#include "settings/keys.h"
#include "settings/settings.h"
#include "sweep/plan_flags.h"
#include "test_file/entries.h"

#include "catch.h"

using namespace apf;

namespace {

std::string read_file(const std::string& path) {
  std::ostringstream read;
  read << std::ifstream(APF_TESTS_DIR "/../" + path).rdbuf();
  return read.str();
}

std::string minified(const std::string& json) {
  std::string out(json.size(), ' ');
  std::size_t size = 0;
  REQUIRE(!simdjson::minify(json.data(), json.size(), out.data(), size));
  out.resize(size);
  return out;
}

// A flag is named without its dashes, and a list says itself that there may be several.
std::string description_of(const ReplaySetting& setting) {
  std::string out(setting.text);
  for (std::size_t at = 0; (at = out.find("--", at)) != std::string::npos;) out.erase(at, 2);
  const std::string on_off = "on (default), or off", repeatable = " Repeatable.";
  if (setting.form == SettingForm::on_off && out.starts_with(on_off))
    out.replace(0, on_off.size(), "true (default), or false");
  if (out.ends_with(repeatable)) out.resize(out.size() - repeatable.size());
  return out;
}

void write_bounds(JsonWriter& json, const Key& key) {
  json.field("minimum", static_cast<std::int64_t>(key.least));
  json.field("maximum", static_cast<std::int64_t>(key.most));
  if (!key.usual.empty()) json.field("default", std::int64_t{std::stoi(std::string(key.usual))});
}

void write_text(JsonWriter& json, const Key& key) {
  if (key.also == "any scalar") {
    json.key("anyOf").begin_array().begin_object().field("type", "string").field("minLength", 1).end_object();
    for (const char* type : {"number", "boolean"}) json.begin_object().field("type", type).end_object();
    json.end_array();
    return;
  }
  if (key.also.empty() || key.also == "off") json.field("type", "string");
  else json.key("type").begin_array().value("string").value(key.also).end_array();
  if (key.pattern.empty()) json.field("minLength", 1);
  else json.field("pattern", key.pattern);
  if (key.also == "number" || key.also == "integer") write_bounds(json, key);
}

// The keywords of one value.
void write_value(JsonWriter& json, const Key& key) {
  switch (key.form) {
    case KeyForm::yes:
      json.field("type", "boolean");
      break;
    case KeyForm::word:
      json.key("enum").begin_array();
      for (const std::string_view word : key.words) {
        json.value(word);
        if (word == "off") json.value(false);  // as YAML reads it
      }
      json.end_array();
      if (!key.usual.empty()) json.field("default", key.usual);
      break;
    case KeyForm::whole_number:
      json.field("type", "integer");
      write_bounds(json, key);
      break;
    default:
      write_text(json, key);
  }
}

void write_list(JsonWriter& json, const Key& key) {
  json.field("type", "array");
  if (key.form == KeyForm::texts || key.form == KeyForm::paths) json.field("minItems", 1);
  json.key("items").begin_object();
  write_value(json, key);
  json.end_object();
}

// Replays are of the releases that have the filter as it is today.
void write_release(JsonWriter& json, bool replays) {
  const char* const minors = replays ? "(2[3-9]|[3-9][0-9]|[1-9][0-9]{2,})" : "([2-9][0-9]|[1-9][0-9]{2,})";
  json.key("anyOf").begin_array().begin_object().field("type", "string");
  json.field("pattern", fmt::format("^v?1\\.{}(\\.[0-9]+)?([-+_].*)?$", minors));
  json.end_object().begin_object().field("type", "number").field("minimum", replays ? 1.23 : 1.2);
  json.field("exclusiveMaximum", 2).end_object().end_array();
}

std::string property_of(const Key& key, bool replays) {
  JsonWriter json;
  json.begin_object();
  if (key.form == KeyForm::release) {
    std::string text(key.text);
    text.insert(text.find(", as with"), replays ? ", 1.23 or newer" : ", 1.20 or newer");
    json.field("description", fmt::format("{} Absent: 1.{}.", text, kNewestKubeVersion.minor));
    write_release(json, replays);
    return json.end_object().take();
  }
  json.field("description", key.text);
  if (key.form == KeyForm::texts || key.form == KeyForm::paths || key.form == KeyForm::any_texts) {
    json.key("anyOf").begin_array().begin_object();
    write_value(json, key);
    write_list(json.end_object().begin_object(), key);
    json.end_object().end_array();
  } else if (key.form == KeyForm::list) {
    write_list(json, key);
  } else if (key.also == "off") {
    json.key("anyOf").begin_array().begin_object();
    write_value(json, key);
    json.end_object().begin_object().field("const", false).end_object().end_array();
  } else {
    write_value(json, key);
  }
  return json.end_object().take();
}

// Behind the value that begins there, in minified JSON.
std::size_t end_of_value(const std::string& json, std::size_t at) {
  bool quoted = false;
  for (int depth = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (quoted && c == '\\') ++at;
    else if (c == '"') quoted = !quoted;
    else if (quoted) continue;
    else if (depth == 0 && (c == ',' || c == '}')) break;
    else if (c == '{' || c == '[') ++depth;
    else if (c == '}' || c == ']') --depth;
  }
  return at;
}

// The members, with their names, of the object whose first member begins at `at`, which is then at its end.
std::map<std::string, std::string> members_from(const std::string& json, std::size_t& at) {
  std::map<std::string, std::string> out;
  while (json.at(at) != '}') {
    const std::size_t colon = json.find("\":", at), end = end_of_value(json, colon + 2);
    out[json.substr(at + 1, colon - at - 1)] = json.substr(at, end - at);
    at = end + (json[end] == ',' ? 1 : 0);
  }
  return out;
}

// The mapping whose properties come first behind `mark`: those of rows anew, all others as they are.
std::string with_properties(const std::string& schema, const std::string& mark, const std::vector<Key>& keys,
                            bool replays = false) {
  const std::string_view open = "\"properties\":{";
  const std::size_t found = schema.find(open, schema.find(mark));
  REQUIRE(found != std::string::npos);
  std::size_t end = found + open.size();
  const std::map<std::string, std::string> today = members_from(schema, end);
  std::string out;
  for (const Key& key : keys) {
    if (!out.empty()) out += ',';
    if (key.form == KeyForm::other) out += today.at(std::string(key.name));
    else out += fmt::format("\"{}\":{}", key.name, minified(property_of(key, replays)));
  }
  return schema.substr(0, found + open.size()) + out + schema.substr(end);
}

template <class... Out>
std::vector<Key> joined_keys(const std::vector<KeyOf<Out>>&... keys) {
  std::vector<Key> out;
  (out.insert(out.end(), keys.begin(), keys.end()), ...);
  return out;
}

std::vector<Key> flag_set_keys() {
  static std::deque<std::string> texts;
  std::vector<Key> out = joined_keys(server_keys("plan"));
  out.insert(out.begin(), {.name = "name"});
  out.push_back({.name = "seats-from"});
  for (const ReplaySetting& setting : replay_settings()) {
    if (!setting.is_of("sweep")) continue;
    out.push_back(key_of(setting));
    out.back().text = texts.emplace_back(description_of(setting));
  }
  return out;
}

std::string with_needs(const std::string& schema) {
  JsonWriter json;
  json.begin_object();
  for (const ReplaySetting& setting : replay_settings())
    if (setting.is_of("sweep") && !setting.needs.empty())
      json.key(setting.name).begin_array().value(setting.needs).end_array();
  const std::string_view open = "\"dependentRequired\":";
  const std::size_t begin = schema.find(open) + open.size();
  return schema.substr(0, begin) + minified(json.end_object().take()) + schema.substr(end_of_value(schema, begin));
}

void check_schema(const std::string& path, const std::string& wanted) {
  if (std::getenv("UPDATE")) std::ofstream(APF_TESTS_DIR "/../" + path) << wanted;
  // otherwise: UPDATE=1 build/release/bin/unit-tests '[keys]' && schemas/generate.py --layout
  else CHECK(minified(read_file(path)) == wanted);
}

void check_page(const std::string& path, const std::vector<Key>& keys) {
  std::string items, line;
  for (std::istringstream page(read_file(path)); std::getline(page, line);)
    if (line.starts_with(".It Li ")) items += line + " ";
  for (const Key& key : keys)
    if (items.find(fmt::format(" {} ", key.name)) == std::string::npos) FAIL_CHECK(path << " has no " << key.name);
}

}  // namespace

TEST_CASE("The schema of settings has their keys", "[keys]") {
  const std::string path = "schemas/apfctl.schema.json";
  const std::vector<Key> keys = joined_keys(server_keys("apfctl"), settings_keys());
  check_schema(path, with_properties(minified(read_file(path)), "\"title\"", keys));
  check_page("man/apfctl-config.5", keys);
}

TEST_CASE("The schema of test files has their keys", "[keys]") {
  const std::string path = "schemas/test.schema.json";
  const std::vector<Key> keys = joined_keys(server_keys("test"), test_file_keys());
  std::string wanted = with_properties(minified(read_file(path)), "\"title\"", keys);
  wanted = with_properties(wanted, "\"description\":\"A request in its long form", joined_keys(long_request_keys()));
  wanted = with_properties(wanted, "\"description\":\"Where a request goes.", joined_keys(place_keys()));
  wanted = with_properties(wanted, "\"description\":\"Which findings.\"", joined_keys(lint_test_keys()));
  wanted = with_properties(wanted, "\"description\":\"A replay.\"", joined_keys(replay_test_keys()));
  check_schema(path, wanted);
  check_page("man/apfctl-test.5", keys);
  check_page("man/apfctl-test.5", joined_keys(replay_test_keys()));
}

TEST_CASE("The schema of plans has their keys", "[keys]") {
  const std::string path = "schemas/sweep-plan.schema.json";
  std::string wanted = with_properties(minified(read_file(path)), "\"title\"", joined_keys(plan_keys()));
  wanted = with_properties(wanted, "\"description\":\"Sets of flags", flag_set_keys(), true);
  check_schema(path, with_needs(wanted));
}
