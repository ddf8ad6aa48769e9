// lint on any bytes: it always ends, and every finding is complete and has its place in the text.
#include <apf/lint.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/entry.h"

using apf::fuzz::require;

namespace {

void check(const apf::Diagnostic& d, const std::string& text) {
  const apf::RuleInfo* rule = apf::find_rule(d.code);
  require(rule != nullptr && d.name == rule->name);
  require(!d.message.empty() && d.message.find('\n') == std::string::npos);
  require(d.span.known() && d.span.file == "fuzz.yaml");
  require(d.witness.empty() || d.witness.starts_with("apfctl explain ") || d.witness.starts_with("apfctl hand "));
  require(d.witness.find('\n') == std::string::npos);
  if (!d.fix) return;
  for (const apf::Edit& edit : d.fix->edits)
    require(edit.begin <= edit.end && edit.end <= text.size() && edit.file == "fuzz.yaml");
}

}  // namespace

APF_FUZZER(lint_fuzz) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const apf::ConfigText texts[] = {{"fuzz.yaml", text}};
  apf::LintOptions options;
  options.today = "2026-11-20";
  // All releases, by the length, so that the text alone decides what happens.
  const int releases = apf::kNewestKubeVersion.minor - apf::kOldestKubeVersion.minor + 1;
  options.version = apf::KubeVersion{apf::kOldestKubeVersion.minor + static_cast<int>(size) % releases};
  const apf::LoadedConfig loaded = apf::load_config(texts);
  const apf::LintResult result = apf::lint(loaded, texts, options);
  for (const apf::Diagnostic& d : result.findings) check(d, text);
  for (const apf::Diagnostic& d : result.suppressed) check(d, text);
}
