// Reading the mappings of files whose keys are a closed set (settings, tests, plans), and what is wrong with them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>
#include <apf/findings.h>

#include "config/tree.h"

namespace apf {

class Faults {
 public:
  explicit Faults(std::vector<Diagnostic>& faults) : faults_(faults) {}
  void add(const ConfigNode& at, std::string message);
  // More than kMostFaults would only fill memory.
  bool full() const;

 private:
  std::vector<Diagnostic>& faults_;
};

// "a mapping", "a list", "nothing", "a single value".
std::string_view kind_of(const ConfigNode& node);

// A mapping whose keys are a closed set. Unknown ones and those that occur twice are faults, as is another kind of
// node.
class Fields {
 public:
  Fields(Faults& faults, std::string_view what, const ConfigNode& node, const std::vector<std::string_view>& names);

  // Null: absent, or null.
  const ConfigNode* get(std::string_view name) const { return node_.find_present(name); }
  // Null: absent.
  const ConfigNode* given(std::string_view name) const {
    const ConfigEntry* entry = node_.find_entry(name);
    return entry ? &entry->value : nullptr;
  }
  bool has(std::string_view name) const { return get(name) != nullptr; }
  // An unknown key may have been meant for one that seems to be missing.
  bool has_unknown() const { return has_unknown_; }

 private:
  const ConfigNode& node_;
  bool has_unknown_ = false;
};

// ", did you mean "x"?", or which ones there are.
std::string suggested(std::string_view word, const std::vector<std::string_view>& names);

// A text that is not empty; else a fault and nothing.
std::optional<std::string> text_of(Faults& faults, std::string_view key, const ConfigNode& node,
                                   std::string_view expected);
// `path`, which the file names, as seen from the current folder.
std::string path_beside(const std::string& file, const std::string& path);

// One text, or a list of them.
std::vector<std::string> texts_of(Faults& faults, std::string_view key, const ConfigNode& node,
                                  std::string_view expected);
std::optional<bool> boolean_of(Faults& faults, std::string_view key, const ConfigNode& node);
// A whole number from `least` to `most`.
std::optional<int> number_of(Faults& faults, std::string_view key, const ConfigNode& node, int least, int most);

// `read` gets the only document of the text. `what`: "a plan is"; `needs`: what an empty one lacks; empty: it may be.
// The faults are sorted.
void read_single_document(const ConfigText& text, const std::string& what, const std::string& needs,
                          std::vector<Diagnostic>& faults,
                          const std::function<void(const ConfigNode& root, Faults& faults)>& read);

}  // namespace apf
