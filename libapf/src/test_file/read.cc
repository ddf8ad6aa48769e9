// A test file: its keys, each with its reader.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <apf/test_file.h>

#include "config/reader.h"
#include "lint/settings.h"
#include "test_file/entries.h"
#include "test_file/fields.h"

namespace apf {

namespace {

void read_server(const Fields& fields, const ConfigNode& root, Faults& faults, TestFile& file) {
  if (const ConfigNode* node = fields.get("kubernetes-version")) {
    const std::string text = text_of(faults, "kubernetes-version", *node, "a release such as 1.34").value_or("");
    file.kubernetes_version = KubeVersion::parse(text);
    if (!file.kubernetes_version && !text.empty()) {
      faults.add(*node, fmt::format("kubernetes-version: unsupported version \"{}\" (supported: {} to {})", text,
                                    kOldestKubeVersion.str(), kNewestKubeVersion.str()));
    }
  }
  const auto seats = [&](const char* key, std::optional<int>& into, int least) {
    if (const ConfigNode* node = fields.get(key)) into = number_of(faults, key, *node, least, kMostInflight);
  };
  seats("max-requests-inflight", file.max_requests_inflight, 0);
  seats("max-mutating-requests-inflight", file.max_mutating_requests_inflight, 0);
  seats("server-concurrency", file.server_concurrency, 1);
  if (file.server_concurrency && (file.max_requests_inflight || file.max_mutating_requests_inflight)) {
    faults.add(
        root.find_entry("server-concurrency")->key,
        "server-concurrency is the sum of max-requests-inflight and max-mutating-requests-inflight: give it or them");
  }
  if (const ConfigNode* node = fields.get("builtins")) {
    constexpr std::array<std::pair<std::string_view, Builtins>, 3> kBuiltins = {
        {{"all", Builtins::all}, {"mandatory", Builtins::mandatory}, {"none", Builtins::none}}};
    std::vector<std::string_view> names;
    for (const auto& [name, value] : kBuiltins) {
      names.push_back(name);
      if (node->text() == name) file.builtins = value;
    }
    if (!file.builtins)
      faults.add(*node, fmt::format("builtins: \"{}\" is unknown{}", node->text(), suggested(node->text(), names)));
  }
  if (const ConfigNode* node = fields.get("preset")) {
    const std::string name = text_of(faults, "preset", *node, "the name of a preset").value_or("");
    std::vector<std::string_view> names;
    for (const Preset& preset : presets()) names.push_back(preset.name);
    if (find_preset(name)) file.preset = name;
    else if (!name.empty())
      faults.add(*node, fmt::format("preset: there is no preset \"{}\"{}", name, suggested(name, names)));
  }
}

void read_root(const ConfigNode& root, Faults& faults, TestFile& file) {
  const Fields fields(faults, "a test file", root,
                      {"config", "kubernetes-version", "max-requests-inflight", "max-mutating-requests-inflight",
                       "server-concurrency", "builtins", "preset", "objects", "tests"});
  if (!root.is_mapping()) return;
  if (const ConfigNode* node = fields.get("config")) {
    file.config_line = node->span().line;
    for (const std::string& path : texts_of(faults, "config", *node, "a path"))
      file.config.push_back(path_beside(file.name, path));
  }
  if (const ConfigNode* node = fields.get("objects")) {
    if (const std::optional<std::string> path =
            text_of(faults, "objects", *node, "the path of a file of object counts"))
      file.objects = path_beside(file.name, *path);
  }
  read_server(fields, root, faults, file);
  const ConfigNode* tests = fields.get("tests");
  if (!tests || !tests->is_sequence() || tests->items().empty()) {
    faults.add(tests ? *tests : root,
               fmt::format("tests: expected a list of tests, found {}", !tests                 ? "none"
                                                                        : tests->is_sequence() ? "an empty one"
                                                                                               : kind_of(*tests)));
    return;
  }
  EntryReader entries(file, faults);
  for (const ConfigNode& entry : tests->items()) {
    if (faults.full() || file.cases.size() > kMostCases) break;
    entries.read(entry);
  }
}

}  // namespace

TestFile read_test_file(const ConfigText& text) {
  TestFile file;
  file.name = text.name;
  const std::shared_ptr<ConfigTree> tree = read_tree(text, file.faults);
  for (Diagnostic& d : file.faults) {  // the rules are about configurations
    d.code.clear();
    d.name.clear();
  }
  Faults faults(file.faults);
  bool read = false;
  for (const ConfigDocument& document : tree->documents()) {
    if (document.root->is_null()) continue;
    if (read) {
      faults.add(*document.root, "a second document; a test file is a single document");
      break;
    }
    read = true;
    read_root(*document.root, faults, file);
  }
  if (!read && file.faults.empty()) {
    Diagnostic& d = file.faults.emplace_back();
    d.message = "the file is empty: it needs a list \"tests\"";
    d.span.file = text.name;
    d.span.line = d.span.column = d.span.end_line = d.span.end_column = 1;
  }
  sort_diagnostics(file.faults);
  return file;
}

}  // namespace apf
