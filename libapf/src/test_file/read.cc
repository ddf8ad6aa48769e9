// A test file: its keys, each with its reader.
#include <fmt/core.h>

#include <apf/request_words.h>
#include <apf/test_file.h>

#include "config/fields.h"
#include "config/server_keys.h"
#include "test_file/entries.h"

namespace apf {

namespace {

void read_server(const Fields& fields, const ConfigNode& root, Faults& faults, TestFile& file) {
  file.kubernetes_version = version_in(faults, fields);
  const InflightKeys inflight = inflight_in(faults, fields, root);
  file.max_requests_inflight = inflight.reads;
  file.max_mutating_requests_inflight = inflight.writes;
  file.server_concurrency = inflight.sum;
  file.builtins = builtins_in(faults, fields);
  if (const ConfigNode* node = fields.get("preset")) {
    const std::string name = text_of(faults, "preset", *node, "the name of a preset").value_or("");
    std::vector<std::string_view> names;
    for (const Preset& preset : presets()) names.push_back(preset.name);
    if (find_preset(name)) file.preset = name;
    else if (!name.empty())
      faults.add(*node, fmt::format("preset: there is no preset \"{}\"{}", name, suggested(name, names)));
  }
}

using Admin = std::function<User(const TestFile&)>;

void read_root(const ConfigNode& root, Faults& faults, TestFile& file, const Admin& admin) {
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
  EntryReader entries(file, faults, admin);
  for (const ConfigNode& entry : tests->items()) {
    if (faults.full() || file.cases.size() > kMostCases) break;
    entries.read(entry);
  }
}

}  // namespace

TestFile read_test_file_of(const ConfigText& text, const Admin& admin) {
  TestFile file;
  file.name = text.name;
  read_single_document(text, "a test file is", "it needs a list \"tests\"", file.faults,
                       [&](const ConfigNode& root, Faults& faults) { read_root(root, faults, file, admin); });
  return file;
}

TestFile read_test_file(const ConfigText& text) {
  return read_test_file_of(text, [](const TestFile& file) {
    return administrator(file.kubernetes_version.value_or(kNewestKubeVersion), file.preset);
  });
}

}  // namespace apf
