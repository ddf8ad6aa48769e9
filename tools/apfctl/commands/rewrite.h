// Common parts of the commands that rewrite objects: default and convert.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include <apf/config.h>

#include "flags/settings_flags.h"

namespace apfctl {

struct RewriteFlags {
  Console console;
  OutputFlags output;
  SettingsFlags settings;
  bool diff = false, check = false;
  bool in_place = false;                               // of convert: with rewrite_in_place()
  bool converts = false;                               // objects of flowcontrol.apiserver.k8s.io alone
  bool partial = false;                                // of convert: what the API can express of the KEP's dialect
  apf::KubeVersion version = apf::kNewestKubeVersion;  // whose server would take the objects

  void declare(CommandLine& line, const char* check_text);
  void check_flags();
};

// Objects in another version, in their own files or as a diff of these. Returns the exit code.
int convert_in_place(RewriteFlags& flags, const std::vector<std::string>& paths, apf::FlowControlVersion to,
                     std::optional<apf::KubeVersion> release);

// Reads the files, rewrites the objects, and writes them or their changes. Returns the exit code.
int rewrite_files(
    RewriteFlags& flags, const std::vector<std::string>& paths, const char* adjective,
    const std::function<apf::Rewritten(const apf::LoadedConfig&, std::span<const apf::ConfigText>)>& rewrite);

}  // namespace apfctl
