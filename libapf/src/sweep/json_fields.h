// Reading lines of JSON that apfctl itself has written: what is missing or of another type is an Error in a few words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_value.h"

namespace apf {

// An object of a JsonLine, which it must not outlive.
class JsonFields {
 public:
  explicit JsonFields(const JsonValue& object) : object_(object) {}  // of an object

  std::size_t size() const { return object_.members()->size(); }
  std::vector<std::string> keys() const;
  bool has(std::string_view key) const;
  bool is_null(std::string_view key) const;
  std::uint64_t number(std::string_view key, std::uint64_t most) const;
  std::uint64_t decimal(std::string_view key) const;      // a string of digits
  std::uint64_t hexadecimal(std::string_view key) const;  // a string of 16 digits
  double real(std::string_view key) const;
  bool flag(std::string_view key) const;
  std::string text(std::string_view key) const;
  JsonFields object(std::string_view key) const;
  std::vector<JsonFields> objects(std::string_view key) const;
  std::vector<std::uint64_t> numbers(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;

 private:
  JsonValue get(std::string_view key) const;
  JsonValue object_;
};

class JsonLine {
 public:
  explicit JsonLine(std::string_view line);  // throws Error
  JsonFields fields() const { return JsonFields(document_.root()); }

 private:
  JsonDocument document_;
};

}  // namespace apf
