#include "sweep/json_fields.h"

#include <charconv>

#include <apf/error.h>

#include "base/decimal.h"

namespace apf {

namespace {

[[noreturn]] void fail(std::string_view key, const char* expected) {
  throw Error("\"" + std::string(key) + "\" is not " + expected);
}

template <class Value>
Value given(std::optional<Value> value, std::string_view key, const char* expected) {
  if (!value) fail(key, expected);
  return std::move(*value);
}

}  // namespace

JsonValue JsonFields::get(std::string_view key) const {
  const std::optional<JsonValue> out = object_.get(key);
  if (!out) throw Error("\"" + std::string(key) + "\" is missing");
  return *out;
}

std::vector<std::string> JsonFields::keys() const {
  std::vector<std::string> out;
  const auto members = object_.members();
  for (const auto& [key, value] : *members) out.emplace_back(key);
  return out;
}

bool JsonFields::has(std::string_view key) const { return object_.get(key).has_value(); }

bool JsonFields::is_null(std::string_view key) const { return get(key).is_null(); }

std::uint64_t JsonFields::number(std::string_view key, std::uint64_t most) const {
  const auto out = given(get(key).natural(), key, "a whole number");
  if (out > most) throw Error("\"" + std::string(key) + "\" is too large");
  return out;
}

std::uint64_t JsonFields::decimal(std::string_view key) const {
  const auto digits = given(get(key).text(), key, "a number in a string");
  std::uint64_t out = 0;
  if (!read_integer(digits, out)) fail(key, "a number in a string");
  return out;
}

std::uint64_t JsonFields::hexadecimal(std::string_view key) const {
  const char* const expected = "a string of 16 hexadecimal digits";
  const auto digits = given(get(key).text(), key, expected);
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.size() != 16) fail(key, expected);
  return out;
}

double JsonFields::real(std::string_view key) const {
  const auto out = given(get(key).real(), key, "a number");
  if (!(out >= 0)) fail(key, "a number from 0 on");
  return out;
}

bool JsonFields::flag(std::string_view key) const { return given(get(key).flag(), key, "true or false"); }

std::string JsonFields::text(std::string_view key) const { return std::string(given(get(key).text(), key, "a text")); }

JsonFields JsonFields::object(std::string_view key) const {
  const JsonValue out = get(key);
  if (!out.is_object()) fail(key, "an object");
  return JsonFields(out);
}

std::vector<JsonFields> JsonFields::objects(std::string_view key) const {
  std::vector<JsonFields> out;
  for (const JsonValue& item : given(get(key).elements(), key, "a list")) {
    if (!item.is_object()) fail(key, "a list of objects");
    out.emplace_back(item);
  }
  return out;
}

std::vector<std::uint64_t> JsonFields::numbers(std::string_view key) const {
  std::vector<std::uint64_t> out;
  for (const JsonValue& item : given(get(key).elements(), key, "a list"))
    out.push_back(given(item.natural(), key, "a list of whole numbers"));
  return out;
}

std::vector<std::string> JsonFields::texts(std::string_view key) const {
  std::vector<std::string> out;
  for (const JsonValue& item : given(get(key).elements(), key, "a list"))
    out.emplace_back(given(item.text(), key, "a list of texts"));
  return out;
}

JsonLine::JsonLine(std::string_view line) : document_(line) {
  if (document_.error() || !document_.root().is_object()) throw Error("it is not a JSON object");
}

}  // namespace apf
