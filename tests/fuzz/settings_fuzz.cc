// Any text as a .apfctl.yaml and as a baseline: what is wrong has its place, and a baseline that reads is written the
// same.
#include <cstdint>
#include <cstdlib>

#include <apf/error.h>

#include "base/path_globs.h"
#include "fuzz/entry.h"
#include "lint/baseline.h"
#include "lint/project.h"
#include "lint/select.h"

using apf::fuzz::require;

APF_FUZZER(settings_fuzz) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const apf::ProjectSettings project = apf::settings_in({".apfctl.yaml", text});
  const apf::Settings& settings = project.settings;
  for (const apf::Diagnostic& d : project.faults) require(!d.message.empty() && d.severity == apf::Severity::error);
  apf::setting_of(settings, "APF101", "dangling-level");
  apf::is_ignored(settings, "a/b.yaml", "APF101", "dangling-level");
  const std::size_t half = size / 2;
  apf::path_matches(std::string_view(text).substr(0, half), std::string_view(text).substr(half));
  try {
    const std::string written = apf::render_baseline(apf::parse_baseline(text, "baseline.json"));
    require(apf::render_baseline(apf::parse_baseline(written, "again.json")) == written);
  } catch (const apf::Error& error) {
    require(std::string_view(error.what()).find("baseline.json") != std::string_view::npos);
  }
}
