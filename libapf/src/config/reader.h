// Configuration texts into located trees.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>

#include "config/tree.h"
#include "config/tree_builder.h"

namespace apf {

// Reads every document of `text`, YAML or JSON. A document that does not parse gives a diagnostic and is left out;
// the others are read where that is safe. The trees of JSON and YAML texts look alike.
std::shared_ptr<ConfigTree> read_tree(ConfigText text, std::vector<Diagnostic>& diagnostics);
// The same for kubectl, which takes a text that begins with "{" for JSON: other YAML of that kind is an error.
std::shared_ptr<ConfigTree> read_manifests(ConfigText text, std::vector<Diagnostic>& diagnostics);

struct DocumentFault {
  SyntaxFault fault;
  int document = 0;
};

inline constexpr const char* kTemplateMessage =
    "this is a template with {{ }}, not a configuration yet: render it first ('helm template' if it is of a chart, "
    "else "
    "by what fills it in), and check what comes out";

// The readers of the two syntaxes. They add documents to `tree` and what went wrong to `faults`.
void read_yaml(ConfigTree& tree, std::vector<DocumentFault>& faults);
void read_json(ConfigTree& tree, std::vector<DocumentFault>& faults);  // one value after another

Diagnostic make_diagnostic(const ConfigTree& tree, const ConfigCode& code, Severity severity, std::size_t begin,
                           std::size_t end, std::string message, int document);

// How many diagnostics a text may have, and what one object may hold, so that no text makes many times its size of
// memory: what is beyond is said to be so (too-large).
inline constexpr std::size_t kMostFaults = 10'000;
inline constexpr std::size_t kMostValues = 20'000;
// An object's name in its diagnostics: a name that could be valid is never cut.
std::string name_to_tell(std::string_view name);

}  // namespace apf
