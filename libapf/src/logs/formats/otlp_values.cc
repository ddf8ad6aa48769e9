#include "logs/formats/otlp_values.h"

#include <algorithm>
#include <string_view>

#include "logs/formats/text_scan.h"

namespace apf {
namespace {

constexpr int kMostLevels = 64;

// By either name that protobuf's JSON has for a member: kvlistValue, kvlist_value.
bool is_value_of(std::string_view key, std::string_view type) {
  return key.starts_with(type) && (key.substr(type.size()) == "Value" || key.substr(type.size()) == "_value");
}

class PlainWriter {
 public:
  explicit PlainWriter(JsonText json) : json_(json) {}

  // False: it is nested too deep, or no JSON.
  bool write(JsonToken value, int level = 0) {
    if (level > kMostLevels) return false;
    const char c = json_.first(value);
    if (c == '{') return write_object(value, level);
    if (c == '[') return write_array(value, level);
    const JsonToken next = json_.skip(value);
    if (next != nullptr) out_ += json_.between(value, next);
    return next != nullptr;
  }
  std::string take() { return std::move(out_); }

 private:
  struct Member {
    std::string_view key;
    JsonToken value = nullptr;
  };

  // The only member; without a key: there are none, or several.
  Member only_member(JsonToken object) const {
    Member out;
    int count = 0;
    walk_object(json_, object, [&](std::string_view key, JsonToken value) {
      out = {key, value};
      ++count;
      return json_.skip(value);
    });
    return count == 1 ? out : Member();
  }

  // {"key": "a", "value": {…}}
  Member pair_of(JsonToken element) const {
    Member out;
    if (json_.first(element) != '{') return out;
    walk_object(json_, element, [&](std::string_view key, JsonToken value) {
      if (is_key(key, "key") && json_.first(value) == '"') out.key = json_.string(value);
      if (is_key(key, "value") && json_.first(value) == '{') out.value = value;
      return json_.skip(value);
    });
    return out.key.empty() ? Member() : out;
  }

  bool write_object(JsonToken object, int level) {
    const Member only = only_member(object);
    const char c = only.value == nullptr ? '\0' : json_.first(only.value);
    if (c == '"' && is_value_of(only.key, "int")) {  // 64 bits are text in protobuf's JSON
      out_ += json_.string(only.value);
      return true;
    }
    for (const std::string_view type : {"string", "int", "double", "bool", "bytes"})
      if (c != '{' && c != '[' && is_value_of(only.key, type)) return write(only.value, level + 1);
    for (const std::string_view type : {"kvlist", "array"})
      if (c == '{' && is_value_of(only.key, type)) {
        const Member values = only_member(only.value);
        if (values.key == "values" && json_.first(values.value) == '[') return write(values.value, level + 1);
        out_ += type == "array" ? "[]" : "{}";  // an empty list is left out
        return true;
      }
    bool sound = true;
    out_ += '{';
    const JsonToken end = walk_object(json_, object, [&](std::string_view key, JsonToken value) {
      write_key(key);
      sound = sound && write(value, level + 1);
      return json_.skip(value);
    });
    out_ += '}';
    return sound && end != nullptr;
  }

  bool write_array(JsonToken array, int level) {
    bool sound = true, pairs = true, any = false;
    walk_array(json_, array, [&](JsonToken element) {
      pairs = pairs && pair_of(element).value != nullptr;
      any = true;
      return json_.skip(element);
    });
    pairs = pairs && any;
    out_ += pairs ? '{' : '[';
    const JsonToken end = walk_array(json_, array, [&](JsonToken element) {
      const Member pair = pairs ? pair_of(element) : Member{{}, element};
      if (pairs) write_key(pair.key);
      else if (out_.back() != '[') out_ += ',';
      sound = sound && write(pair.value, level + 1);
      return json_.skip(element);
    });
    out_ += pairs ? '}' : ']';
    return sound && end != nullptr;
  }

  void write_key(std::string_view key) {
    if (out_.back() != '{') out_ += ',';
    out_.append("\"").append(key).append("\":");
  }

  const JsonText json_;
  std::string out_;
};

}  // namespace

std::string without_otlp_values(JsonText json, JsonToken record) {
  const JsonToken next = json.skip(record);
  if (next == nullptr) return {};
  const std::string_view text = json.between(record, next);
  // Within a text of a record the quote has a backslash.
  if (!(holds(text, "stringValue\"") || holds(text, "string_value\"")) || !holds(text, "requestURI\"")) return {};
  PlainWriter plain(json);
  std::string out = plain.write(record) ? plain.take() : std::string();
  return out.size() < text.size() ? out : std::string();  // there was nothing to unfold
}

}  // namespace apf
