// What the commands that rewrite objects share: default and convert.
#pragma once

#include <functional>
#include <span>
#include <string>

#include <apf/convert.h>

#include "options.h"

namespace apfctl {

struct RewriteFlags {
  Console console;
  OutputFlags output;
  bool diff = false, check = false;

  void declare(CommandLine& line, const char* check_text);
  void check_flags();
};

// Reads the files, has them rewritten and writes them, or what changes. The exit code.
int rewrite_files(
    const RewriteFlags& flags, const std::vector<std::string>& paths, const char* adjective,
    const std::function<apf::Rewritten(const apf::LoadedConfig&, std::span<const apf::ConfigText>)>& rewrite);

}  // namespace apfctl
