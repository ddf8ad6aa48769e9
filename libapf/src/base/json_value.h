// Small texts of JSON, read whole: what a configuration, a dump or a line of results is. Log lines have readers of
// their own. simdjson's header costs the compiler more than all that a source of ours does, so only this one's source
// includes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace apf {

// Of a JsonDocument, which it must not outlive. Nothing comes of a value of another type.
class JsonValue {
 public:
  bool is_null() const;
  bool is_object() const;
  std::optional<bool> flag() const;
  std::optional<std::int64_t> whole() const;
  std::optional<std::uint64_t> natural() const;
  std::optional<double> real() const;  // of whole numbers too
  std::optional<std::string_view> text() const;
  std::optional<std::vector<JsonValue>> elements() const;
  std::optional<std::vector<std::pair<std::string_view, JsonValue>>> members() const;
  std::optional<JsonValue> get(std::string_view key) const;  // of an object: the member, if it has it

 private:
  friend class JsonDocument;
  friend struct JsonValueAccess;
  alignas(void*) std::array<std::byte, 2 * sizeof(void*)> element_;  // simdjson's
};

class JsonDocument {
 public:
  explicit JsonDocument(std::string_view text);
  JsonDocument(JsonDocument&&) noexcept;
  ~JsonDocument();
  const char* error() const;  // why it is no JSON; nullptr: it is
  JsonValue root() const;     // of what is JSON

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::string simdjson_version();

}  // namespace apf
