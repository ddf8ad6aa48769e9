#include "lsp/key_docs.h"

#include <algorithm>
#include <functional>

#include <fmt/core.h>

#include "base/text.h"
#include "lsp/messages.h"
#include "lsp/place.h"
#include "settings/settings.h"

namespace apf {

namespace {

constexpr int kMostNesting = 8;

// The schema itself, what it refers to, and its alternatives.
void expand(const JsonValue& root, const JsonValue& schema, std::vector<JsonValue>& out, int depth = 0) {
  if (depth > kMostNesting) return;
  out.push_back(schema);
  if (const std::string ref = text_in(schema, {"$ref"}); ref.starts_with("#/$defs/")) {
    if (const auto definition = member(root, {"$defs", std::string_view(ref).substr(8)}))
      expand(root, *definition, out, depth + 1);
  }
  for (const char* key : {"allOf", "anyOf", "oneOf"}) {
    const std::optional<JsonValue> list = schema.get(key);
    if (!list) continue;
    for (const JsonValue& one : list->elements().value_or(std::vector<JsonValue>())) expand(root, one, out, depth + 1);
  }
}

std::string value_text(const JsonValue& value) {
  if (const auto text = value.text()) return std::string(*text);
  if (const auto flag = value.flag()) return *flag ? "true" : "false";
  if (const auto whole = value.whole()) return fmt::format("{}", *whole);
  if (const auto real = value.real()) return fmt::format("{}", *real);
  return {};
}

KeyDoc doc_of(const std::vector<JsonValue>& schemas) {
  KeyDoc out;
  std::string low, high;
  for (const JsonValue& schema : schemas) {
    const auto take = [&](std::string& into, const char* key, bool is_number) {
      const auto value = into.empty() ? schema.get(key) : std::nullopt;
      if (value && (!is_number || value->whole())) into = value_text(*value);
    };
    take(out.description, "description", false);
    take(low, "minimum", true);  // but not of releases, such as 1.20
    take(high, "maximum", true);
    if (text_in(schema, {"type"}) == "boolean" ||
        (has_text(schema, {"type"}, "boolean") && has_text(schema, {"type"}, "null")))
      out.words = {"true", "false"};
    if (const auto value = schema.get("default"); value && out.limits.empty()) {
      if (const std::string text = value_text(*value); !text.empty()) out.limits = fmt::format("Default: {}.", text);
    }
    const auto words = schema.get("enum"), word = schema.get("const");
    std::vector<JsonValue> all =
        words ? words->elements().value_or(std::vector<JsonValue>()) : std::vector<JsonValue>();
    if (word) all.push_back(*word);
    for (const JsonValue& one : all) {
      if (std::string text = value_text(one); !text.empty() && !is_one_of(out.words, text))
        out.words.push_back(std::move(text));
    }
  }
  if (!low.empty() || !high.empty()) {
    out.limits += out.limits.empty() ? "" : " ";
    out.limits += low.empty()    ? "At most " + high + "."
                  : high.empty() ? "At least " + low + "."
                                 : low + " to " + high + ".";
  }
  return out;
}

}  // namespace

std::string KeyDocs::schema_for(std::string_view file, std::string_view text, std::string_view api_version,
                                std::string_view kind) const {
  if (file.ends_with(kSettingsFileName)) return "apfctl";
  if (kind.empty() && api_version.empty())
    return text.starts_with("tests:") || text.find("\ntests:") != text.npos ? "test" : "";
  const std::size_t slash = api_version.find('/');
  const std::string_view version = slash == api_version.npos ? api_version : api_version.substr(slash + 1);
  std::string lower = in_lower_case(kind);
  if (api_version.starts_with("eventratelimit.")) lower = "eventratelimit";
  const auto is_known = [&](const std::string& name) {
    return std::any_of(schemas_.begin(), schemas_.end(), [&](const auto& schema) { return schema.first == name; });
  };
  for (const std::string& name : {fmt::format("{}-{}", lower, version), lower + "-v1", lower}) {
    if (is_known(name)) return name;
  }
  return {};
}

const JsonDocument* KeyDocs::document(const std::string& name) {
  if (const auto known = read_.find(name); known != read_.end())
    return known->second.error() ? nullptr : &known->second;
  for (const auto& [schema, text] : schemas_) {
    if (schema != name) continue;
    const JsonDocument& document = read_.emplace(name, JsonDocument(text)).first->second;
    return document.error() ? nullptr : &document;
  }
  return nullptr;
}

std::vector<JsonValue> KeyDocs::resolve(const std::string& schema, std::span<const std::string> path) {
  std::vector<JsonValue> at;
  const JsonDocument* document_of_schema = document(schema);
  if (!document_of_schema) return at;
  const JsonValue root = document_of_schema->root();
  expand(root, root, at);
  for (const std::string& part : path) {
    std::vector<JsonValue> next;
    for (const JsonValue& one : at) {
      std::optional<JsonValue> child = part == kItem ? one.get("items") : member(one, {"properties", part});
      if (!child && part != kItem) child = one.get("additionalProperties");
      if (child && child->is_object()) expand(root, *child, next);
    }
    at = std::move(next);
  }
  return at;
}

std::optional<KeyDoc> KeyDocs::find(const std::string& schema, std::span<const std::string> path) {
  const std::vector<JsonValue> at = resolve(schema, path);
  if (at.empty()) return std::nullopt;
  return doc_of(at);
}

std::vector<std::pair<std::string, KeyDoc>> KeyDocs::keys(const std::string& schema,
                                                          std::span<const std::string> path) {
  std::vector<std::pair<std::string, KeyDoc>> out;
  const std::vector<JsonValue> at = resolve(schema, path);
  if (at.empty()) return out;
  const JsonValue root = document(schema)->root();
  for (const JsonValue& one : at) {
    const std::optional<JsonValue> properties = one.get("properties");
    if (!properties) continue;
    for (const auto& property : properties->members().value_or(std::vector<std::pair<std::string_view, JsonValue>>())) {
      const auto is_it = [&](const auto& key) { return key.first == property.first; };
      if (!property.second.is_object() || std::any_of(out.begin(), out.end(), is_it)) continue;
      std::vector<JsonValue> schemas;
      expand(root, property.second, schemas);
      KeyDoc doc = doc_of(schemas);
      if (!doc.description.empty()) out.emplace_back(property.first, std::move(doc));
    }
  }
  return out;
}

}  // namespace apf
