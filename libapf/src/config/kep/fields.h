// The fields of an object in the KEP's dialect, read one by one, and what is wrong with them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/codes.h"
#include "config/reader.h"
#include "config/schema.h"

namespace apf {

// "a.b"; at the top "b".
std::string joined_path(std::string_view path, std::string_view name);
// "a, b and c".
std::string listed(std::span<const std::string_view> names);

class KepFields {
 public:
  KepFields(const ConfigNode& object, const ObjectLabel& label, std::vector<Diagnostic>& diagnostics)
      : object_(object), label_(label), diagnostics_(diagnostics), first_(diagnostics.size()) {}

  bool ok() const {
    return std::none_of(diagnostics_.begin() + static_cast<std::ptrdiff_t>(first_), diagnostics_.end(),
                        [](const Diagnostic& d) { return d.severity == Severity::error; });
  }

 protected:
  Diagnostic& fail(const ConfigCode& code, std::size_t begin, std::size_t end, std::string_view path,
                   std::string message);
  Diagnostic& fail(const ConfigCode& code, const ConfigNode& at, std::string_view path, std::string message);
  // At the key that lacks it.
  Diagnostic& missing(const ConfigNode& parent, std::string_view path, std::string_view name);
  void wrong_type(const ConfigNode& node, std::string_view path, std::string_view expected);
  void unknown(const ConfigNode& key, std::string_view path, std::span<const std::string_view> names);
  void duplicate(const ConfigEntry& entry, std::string_view path);
  void check_keys(const ConfigNode& mapping, std::string_view path, std::initializer_list<std::string_view> names);
  const ConfigNode* mapping_at(const ConfigNode& parent, std::string_view path, std::string_view name, bool needed);
  std::string text_at(const ConfigNode& parent, std::string_view path, std::string_view name, bool needed);
  bool boolean_at(const ConfigNode& spec, std::string_view name);
  std::optional<std::int32_t> integer_at(const ConfigNode& parent, std::string_view path, std::string_view name,
                                         bool needed);

  const ConfigNode& object_;
  const ObjectLabel& label_;
  std::vector<Diagnostic>& diagnostics_;
  std::size_t first_;
};

}  // namespace apf
