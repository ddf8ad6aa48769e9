// A test file: its keys, each with its reader.
#include <fmt/core.h>

#include <apf/request_words.h>
#include <apf/test_file.h>

#include "test_file/entries.h"

namespace apf {

namespace {

using Admin = std::function<User(const TestFile&)>;

void read_root(const ConfigNode& root, Faults& faults, TestFile& file, const Admin& admin) {
  const auto of_server = server_keys("test");
  const Fields fields(faults, "a test file", root, names_of(of_server, test_file_keys()));
  if (!root.is_mapping()) return;
  read_keys(faults, fields, of_server, file);
  check_seats(faults, root, file);
  read_keys(faults, fields, test_file_keys(), file);
  if (const ConfigNode* node = fields.get("config")) file.config_line = node->span().line;
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

const std::vector<KeyOf<TestFile>>& test_file_keys() {
  using enum KeyForm;
  static const std::vector<KeyOf<TestFile>> keys = {
      {{"config", paths,
        "The configuration: files, folders, globs or git:REV:PATH, relative to the folder of this file. Absent: that "
        "of .apfctl.yaml, or the built-in objects alone.",
        "a path"},
       into(&TestFile::config)},
      {{"objects", path,
        "A file of object counts, which determine the seats of list requests, relative to the folder of this file.",
        "the path of a file of object counts"},
       into(&TestFile::objects)},
      {{"tests"}},
  };
  return keys;
}

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
