#include "base/json_value.h"

#include <cstring>

#include <simdjson.h>

namespace apf {

using simdjson::dom::element;

struct JsonValueAccess {
  static JsonValue from(const element& value) {
    JsonValue out;
    static_assert(sizeof(out.element_) == sizeof(element));
    std::memcpy(&out.element_, &value, sizeof value);
    return out;
  }
  static element to(const JsonValue& value) {
    element out;
    std::memcpy(static_cast<void*>(&out), &value.element_, sizeof out);
    return out;
  }

  template <class T>
  static std::optional<T> get(const JsonValue& value) {
    T out;
    if (to(value).get(out) != simdjson::SUCCESS) return std::nullopt;
    return out;
  }
};

bool JsonValue::is_null() const { return JsonValueAccess::to(*this).is_null(); }
bool JsonValue::is_object() const { return JsonValueAccess::to(*this).is_object(); }
std::optional<bool> JsonValue::flag() const { return JsonValueAccess::get<bool>(*this); }
std::optional<std::int64_t> JsonValue::whole() const { return JsonValueAccess::get<std::int64_t>(*this); }
std::optional<std::uint64_t> JsonValue::natural() const { return JsonValueAccess::get<std::uint64_t>(*this); }
std::optional<double> JsonValue::real() const { return JsonValueAccess::get<double>(*this); }
std::optional<std::string_view> JsonValue::text() const { return JsonValueAccess::get<std::string_view>(*this); }

std::optional<std::vector<JsonValue>> JsonValue::elements() const {
  const auto array = JsonValueAccess::get<simdjson::dom::array>(*this);
  if (!array) return std::nullopt;
  std::vector<JsonValue> out;
  for (const element value : *array) out.push_back(JsonValueAccess::from(value));
  return out;
}

std::optional<std::vector<std::pair<std::string_view, JsonValue>>> JsonValue::members() const {
  const auto object = JsonValueAccess::get<simdjson::dom::object>(*this);
  if (!object) return std::nullopt;
  std::vector<std::pair<std::string_view, JsonValue>> out;
  for (const auto& [key, value] : *object) out.emplace_back(key, JsonValueAccess::from(value));
  return out;
}

std::optional<JsonValue> JsonValue::get(std::string_view key) const {
  element out;
  if (JsonValueAccess::to(*this)[key].get(out) != simdjson::SUCCESS) return std::nullopt;
  return JsonValueAccess::from(out);
}

struct JsonDocument::Impl {
  simdjson::dom::parser parser;
  element root;
  simdjson::error_code error;
};

JsonDocument::JsonDocument(std::string_view text) : impl_(std::make_unique<Impl>()) {
  impl_->error = impl_->parser.parse(text.data(), text.size()).get(impl_->root);
}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

const char* JsonDocument::error() const {
  return impl_->error == simdjson::SUCCESS ? nullptr : simdjson::error_message(impl_->error);
}

JsonValue JsonDocument::root() const { return JsonValueAccess::from(impl_->root); }

std::string simdjson_version() {
  return std::to_string(static_cast<int>(simdjson::SIMDJSON_VERSION_MAJOR)) + "." +
         std::to_string(static_cast<int>(simdjson::SIMDJSON_VERSION_MINOR)) + "." +
         std::to_string(static_cast<int>(simdjson::SIMDJSON_VERSION_REVISION));
}

}  // namespace apf
