#include "config/server_keys.h"

#include <memory>

#include <fmt/core.h>

#include "config/reader.h"

namespace apf {

std::optional<KubeVersion> version_in(Faults& faults, const Fields& fields) {
  const ConfigNode* node = fields.get("kubernetes-version");
  if (!node) return std::nullopt;
  const std::string text = text_of(faults, "kubernetes-version", *node, "a release such as 1.34").value_or("");
  const std::optional<KubeVersion> version = KubeVersion::parse(text);
  if (!version && !text.empty()) faults.add(*node, "kubernetes-version: " + unsupported_release(text));
  return version;
}

std::optional<Builtins> builtins_in(Faults& faults, const Fields& fields) {
  return word_of<Builtins>(faults, fields, "builtins",
                           {{"all", Builtins::all},
                            {"mandatory", Builtins::mandatory},
                            {"none", Builtins::none},
                            {"enforced", Builtins::enforced}});
}

InflightKeys inflight_in(Faults& faults, const Fields& fields, const ConfigNode& node) {
  InflightKeys out;
  const auto seats = [&](const char* key, std::optional<int>& into, int least) {
    if (const ConfigNode* number = fields.get(key)) into = number_of(faults, key, *number, least, kMostInflight);
  };
  seats("max-requests-inflight", out.reads, 0);
  seats("max-mutating-requests-inflight", out.writes, 0);
  seats("server-concurrency", out.sum, 1);
  if (out.sum && (out.reads || out.writes))
    faults.add(
        node.find_entry("server-concurrency")->key,
        "server-concurrency is the sum of max-requests-inflight and max-mutating-requests-inflight: give it or them");
  return out;
}

void read_single_document(const ConfigText& text, const std::string& what, const std::string& needs,
                          std::vector<Diagnostic>& faults,
                          const std::function<void(const ConfigNode& root, Faults& faults)>& read) {
  const std::shared_ptr<ConfigTree> tree = read_tree(text, faults);
  for (Diagnostic& d : faults) {  // the rules are about configurations
    d.code.clear();
    d.name.clear();
  }
  Faults own(faults);
  bool found = false;
  for (const ConfigDocument& document : tree->documents()) {
    if (document.root->is_null()) continue;
    if (found) {
      own.add(*document.root, fmt::format("a second document; {} a single document", what));
      break;
    }
    found = true;
    read(*document.root, own);
  }
  if (!found && faults.empty() && !needs.empty()) {
    Diagnostic& d = faults.emplace_back();
    d.message = "the file is empty: " + needs;
    d.span.file = text.name;
    d.span.line = d.span.column = d.span.end_line = d.span.end_column = 1;
  }
  sort_diagnostics(faults);
}

}  // namespace apf
