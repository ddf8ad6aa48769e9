// Writing JSON: compact, keys in the order given, the same bytes everywhere.
//
//   apf::JsonWriter json;
//   json.begin_object().field("name", "workload-low").key("seats").begin_array().value(1).value(2).end_array();
//   json.end_object();
//   std::puts(json.take().c_str());  // {"name":"workload-low","seats":[1,2]}
//
// The writer puts the commas; that objects and arrays are closed, and that each member has its key, is for the caller
// to see to. A writer belongs to one thread at a time. Nothing is thrown but std::bad_alloc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <apf/version.h>

namespace apf {

// Appends `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, control
// characters, U+2028 and U+2029 are escaped.
APF_API void append_json_string(std::string& out, std::string_view text);

// Appends the shortest decimal that reads back as `value`, in JSON's grammar; null for NaN and infinities.
APF_API void append_json_double(std::string& out, double value);

// A writer that puts the commas: begin_object().key("a").value(1).end_object().
class APF_API JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(std::uint64_t number);
  JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(unsigned number) { return value(static_cast<std::uint64_t>(number)); }
  JsonWriter& value(double number);
  JsonWriter& value(bool flag);
  JsonWriter& null();
  // A 64-bit number as a decimal string, because JSON readers lose digits beyond 2^53.
  JsonWriter& decimal_string(std::uint64_t number);
  // `json` is copied unchanged and must be one valid JSON value.
  JsonWriter& raw(std::string_view json);
  // Members of an object, as they stand: "a":1,"b":2.
  JsonWriter& members(std::string_view json);
  // Shorthand for key(name).value(x).
  template <class T>
  JsonWriter& field(std::string_view name, const T& x) {
    return key(name).value(x);
  }

  const std::string& str() const { return out_; }
  std::string take();

 private:
  void separate();
  std::string out_;
  bool need_comma_ = false;
};

}  // namespace apf
