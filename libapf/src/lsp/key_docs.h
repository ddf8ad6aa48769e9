// What the JSON Schemas say of keys: documentation, defaults, ranges and words.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_value.h"

namespace apf {

struct KeyDoc {
  std::string description;
  std::string limits;              // "Default 1000. 0 to 10000."
  std::vector<std::string> words;  // the only values
};

class KeyDocs {
 public:
  explicit KeyDocs(std::vector<std::pair<std::string_view, std::string_view>> schemas) : schemas_(std::move(schemas)) {}

  // The schema of a file's object: that of its kind, of .apfctl.yaml or of test files; empty: it is none of ours.
  std::string schema_for(std::string_view file, std::string_view text, std::string_view api_version,
                         std::string_view kind) const;
  // Of the value at the path, where "[]" stands for an item. Nothing: the schema has no such key.
  std::optional<KeyDoc> find(const std::string& schema, std::span<const std::string> path);
  // The keys of the mapping at the path.
  std::vector<std::pair<std::string, KeyDoc>> keys(const std::string& schema, std::span<const std::string> path);

 private:
  std::vector<JsonValue> resolve(const std::string& schema, std::span<const std::string> path);
  const JsonDocument* document(const std::string& name);

  std::vector<std::pair<std::string_view, std::string_view>> schemas_;
  std::map<std::string, JsonDocument> read_;
};

}  // namespace apf
