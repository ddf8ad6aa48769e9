// replay --dump-at: what the server's debug endpoints would show at some instants.
#pragma once

#include <string>
#include <vector>

#include <apf/replay.h>

#include "flags/replay_output.h"
#include "shared/command_line.h"

namespace apfctl {

struct DumpFlags {
  std::vector<std::string> given;  // TIME[=FOLDER]

  void declare(CommandLine& line);
  // Throws UsageError.
  void set(apf::ReplayOptions& options) const;
  // Four files for each instant and server; makes missing folders. Throws apf::Error.
  // `prefix`: of the names of all files.
  void write(const ReplayOutcome& outcome, const std::string& prefix = {}) const;

 private:
  struct Wanted {
    std::string time, folder;
  };
  std::vector<Wanted> wanted() const;
};

}  // namespace apfctl
