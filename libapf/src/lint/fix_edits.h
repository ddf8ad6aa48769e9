// The edits that fixes are made of: changes of one place in an object's source that keep everything around it, comments
// and layout included. In block style whole lines come and go, in flow style and JSON the text between commas.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <apf/findings.h>

#include "config/tree.h"

namespace apf {

// A scalar to be written: the string "5" or the integer 5. It is quoted so that every YAML reader takes it for what it
// is.
struct NewScalar {
  NewScalar(std::string_view value) : text(value), is_string(true) {}
  NewScalar(const std::string& value) : text(value), is_string(true) {}
  NewScalar(const char* value) : text(value), is_string(true) {}
  NewScalar(std::int64_t value) : text(std::to_string(value)) {}
  NewScalar(std::int32_t value) : text(std::to_string(value)) {}
  NewScalar(bool value) : text(value ? "true" : "false") {}
  // A list or a mapping in flow style, which both YAML and JSON read: ["*"], {}.
  static NewScalar flow(std::string_view text) {
    NewScalar out(text);
    out.is_string = false;
    return out;
  }

  std::string text;
  bool is_string = false;
};

// `field` is a path within the object at `root` as kube-apiserver prints them
// ("spec.rules[0].resourceRules[1].verbs[2]"). Each of these gives no edits when the field is not there, or when the
// change cannot be made at that place alone: it comes from an alias or a merge key, it carries an anchor or a tag, or
// its layout isn't known to be safe.

// The scalar (or absent value) of `field` becomes `value`; its style of quotes is kept where that is possible.
std::vector<Edit> replace_scalar(const ConfigNode& root, std::string_view field, const NewScalar& value);

// The key of the mapping entry `field` becomes `name`.
std::vector<Edit> rename_key(const ConfigNode& root, std::string_view field, std::string_view name);

// A mapping entry or an item of a sequence goes, with its lines or its comma. When nothing is left, {} or [] is.
// Comment lines above it stay.
std::vector<Edit> remove_field(const ConfigNode& root, std::string_view field);
// The same, and the mapping itself goes where nothing is left of it.
std::vector<Edit> remove_with_empty_mapping(const ConfigNode& root, std::string_view field);

// A new entry `name: value` after the mapping entry `field`, indented like it.
std::vector<Edit> insert_after(const ConfigNode& root, std::string_view field, std::string_view name,
                               const NewScalar& value);

// A new entry `name: {key: value}` after the mapping entry `field`.
std::vector<Edit> insert_mapping_after(const ConfigNode& root, std::string_view field, std::string_view name,
                                       std::string_view key, const NewScalar& value);

// A new last item of the sequence `field`, which must have one already.
std::vector<Edit> append_item(const ConfigNode& root, std::string_view field, const NewScalar& value);

}  // namespace apf
