// YAML as kubectl reads it: what yaml_vectors.py recorded of kubectl for texts of many layouts.
#include <apf/config.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "catch.h"
#include "config/reader.h"
#include "config/tree.h"
#include "support/vector_fields.h"
#include "support/vectors.h"

using namespace apf;

namespace {

bool same_number(const ConfigNode& node, simdjson::dom::element expected) {
  if (expected.is_int64() && node.integer()) return *node.integer() == expected.get_int64().value();
  return std::strtod(node.number_text().c_str(), nullptr) == expected.get_double().value();
}

// Of equal keys the last one counts.
bool same(const ConfigNode& node, simdjson::dom::element expected) {
  if (expected.is_null()) return node.is_null();
  if (expected.is_bool()) return node.kind() == NodeKind::boolean && node.boolean() == expected.get_bool().value();
  if (expected.is_number())
    return (node.kind() == NodeKind::integer || node.kind() == NodeKind::floating) && same_number(node, expected);
  if (expected.is_string()) return node.is_string() && node.text() == expected.get_string().value();
  if (expected.is_array()) {
    std::size_t i = 0;
    for (const simdjson::dom::element item : expected.get_array()) {
      if (i >= node.items().size() || !same(node.items()[i++], item)) return false;
    }
    return node.is_sequence() && i == node.items().size();
  }
  std::size_t members = 0;
  for (const auto& [key, value] : expected.get_object()) {
    const ConfigNode* found = node.find(key);
    if (!found || !same(*found, value)) return false;
    ++members;
  }
  std::set<std::string_view> keys;
  for (const ConfigEntry& entry : node.entries()) keys.insert(entry.key.text());
  return node.is_mapping() && keys.size() == members;
}

bool same_documents(const ConfigTree& tree, simdjson::dom::array expected) {
  std::vector<const ConfigNode*> roots;
  for (const ConfigDocument& document : tree.documents()) {
    if (!document.root->is_null()) roots.push_back(document.root);
  }
  std::size_t i = 0;
  for (const simdjson::dom::element item : expected) {
    if (i >= roots.size() || !same(*roots[i++], item)) return false;
  }
  return i == roots.size();
}

// What apfctl refuses although kubectl reads it says so, or is one of these.
bool is_deliberate(const std::vector<Diagnostic>& diagnostics) {
  return std::all_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) {
    return d.message.find("kubectl") != std::string::npos || d.message.find("apfctl") != std::string::npos;
  });
}

}  // namespace

TEST_CASE("yaml: what kubectl reads, or an error", "[yaml][config][conformance]") {
  simdjson::dom::parser parser;
  int read = 0, refused = 0, deliberate = 0;
  for (const std::string& line : test::read_vectors("yaml.jsonl")) {
    const simdjson::dom::element vector = parser.parse(line);
    const std::string text(test::text_at(vector, "text"));
    INFO(line);
    simdjson::dom::array objects;
    if (vector["read"].get(objects) != simdjson::SUCCESS) {
      ++refused;
      const ConfigText texts[] = {{"a.yaml", text}};
      CHECK(load_config(texts).has_errors());
      continue;
    }
    std::vector<Diagnostic> diagnostics;
    const auto tree = read_tree({"a.yaml", text}, diagnostics);
    INFO((diagnostics.empty() ? "" : diagnostics[0].message));
    if (diagnostics.empty()) {
      ++read;
      CHECK(same_documents(*tree, objects));
    } else {
      ++deliberate;
      CHECK(is_deliberate(diagnostics));
    }
  }
  CHECK(read > 900);
  CHECK(refused > 500);
  CHECK(deliberate < 150);
}
