#include "sweep/json_fields.h"

#include <charconv>

#include <apf/error.h>

namespace apf {

namespace {

[[noreturn]] void fail(std::string_view key, const char* expected) {
  throw Error("\"" + std::string(key) + "\" is no " + expected);
}

template <class Value>
Value value_of(const simdjson::dom::element& element, std::string_view key, const char* expected) {
  Value out;
  if (element.get(out) != simdjson::SUCCESS) fail(key, expected);
  return out;
}

}  // namespace

simdjson::dom::element JsonFields::get(std::string_view key) const {
  simdjson::dom::element out;
  if (object_.at_key(key).get(out) != simdjson::SUCCESS) throw Error("\"" + std::string(key) + "\" is missing");
  return out;
}

std::vector<std::string> JsonFields::keys() const {
  std::vector<std::string> out;
  for (const auto& [key, value] : object_) out.emplace_back(key);
  return out;
}

bool JsonFields::has(std::string_view key) const {
  simdjson::dom::element out;
  return object_.at_key(key).get(out) == simdjson::SUCCESS;
}

bool JsonFields::is_null(std::string_view key) const { return get(key).is_null(); }

std::uint64_t JsonFields::number(std::string_view key, std::uint64_t most) const {
  const auto out = value_of<std::uint64_t>(get(key), key, "whole number");
  if (out > most) throw Error("\"" + std::string(key) + "\" is too large");
  return out;
}

std::uint64_t JsonFields::decimal(std::string_view key) const {
  const auto digits = value_of<std::string_view>(get(key), key, "number in a string");
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (error != std::errc() || end != digits.data() + digits.size()) fail(key, "number in a string");
  return out;
}

double JsonFields::real(std::string_view key) const {
  const auto out = value_of<double>(get(key), key, "number");
  if (!(out >= 0)) fail(key, "number from 0 on");
  return out;
}

bool JsonFields::flag(std::string_view key) const { return value_of<bool>(get(key), key, "true or false"); }

std::string JsonFields::text(std::string_view key) const {
  return std::string(value_of<std::string_view>(get(key), key, "text"));
}

JsonFields JsonFields::object(std::string_view key) const {
  return JsonFields(value_of<simdjson::dom::object>(get(key), key, "object"));
}

std::vector<JsonFields> JsonFields::objects(std::string_view key) const {
  std::vector<JsonFields> out;
  for (const simdjson::dom::element item : value_of<simdjson::dom::array>(get(key), key, "list"))
    out.emplace_back(value_of<simdjson::dom::object>(item, key, "list of objects"));
  return out;
}

std::vector<std::uint64_t> JsonFields::numbers(std::string_view key) const {
  std::vector<std::uint64_t> out;
  for (const simdjson::dom::element item : value_of<simdjson::dom::array>(get(key), key, "list"))
    out.push_back(value_of<std::uint64_t>(item, key, "list of whole numbers"));
  return out;
}

std::vector<std::string> JsonFields::texts(std::string_view key) const {
  std::vector<std::string> out;
  for (const simdjson::dom::element item : value_of<simdjson::dom::array>(get(key), key, "list"))
    out.emplace_back(value_of<std::string_view>(item, key, "list of texts"));
  return out;
}

JsonLine::JsonLine(std::string_view line) : text_(line), parser_(std::make_unique<simdjson::dom::parser>()) {
  if (parser_->parse(text_).get(object_) != simdjson::SUCCESS) throw Error("it is no JSON object");
}

}  // namespace apf
