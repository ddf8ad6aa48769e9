// Common parts of the commands that rewrite objects: default and convert.
#pragma once

#include <functional>
#include <span>
#include <string>

#include <apf/config.h>

#include "settings_flags.h"

namespace apfctl {

struct RewriteFlags {
  Console console;
  OutputFlags output;
  SettingsFlags settings;
  bool diff = false, check = false;

  void declare(CommandLine& line, const char* check_text);
  void check_flags();
};

// Reads the files, rewrites the objects, and writes them or their changes. Returns the exit code.
int rewrite_files(
    RewriteFlags& flags, const std::vector<std::string>& paths, const char* adjective,
    const std::function<apf::Rewritten(const apf::LoadedConfig&, std::span<const apf::ConfigText>)>& rewrite);

}  // namespace apfctl
