// Reading lines of JSON that apfctl itself has written: what is missing or of another type is an Error in a few words.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

namespace apf {

// An object of a JsonLine, which it must not outlive.
class JsonFields {
 public:
  explicit JsonFields(simdjson::dom::object object) : object_(object) {}

  std::size_t size() const { return object_.size(); }
  std::vector<std::string> keys() const;
  bool has(std::string_view key) const;
  bool is_null(std::string_view key) const;
  std::uint64_t number(std::string_view key, std::uint64_t most) const;
  std::uint64_t decimal(std::string_view key) const;  // a string of digits
  double real(std::string_view key) const;
  bool flag(std::string_view key) const;
  std::string text(std::string_view key) const;
  JsonFields object(std::string_view key) const;
  std::vector<JsonFields> objects(std::string_view key) const;
  std::vector<std::uint64_t> numbers(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;

 private:
  simdjson::dom::element get(std::string_view key) const;
  simdjson::dom::object object_;
};

class JsonLine {
 public:
  explicit JsonLine(std::string_view line);  // throws Error
  JsonFields fields() const { return JsonFields(object_); }

 private:
  simdjson::padded_string text_;
  std::unique_ptr<simdjson::dom::parser> parser_;
  simdjson::dom::object object_;
};

}  // namespace apf
