// --task, --partial: which part of a sweep to do, also as the engine that runs it says in the environment.
#pragma once

#include <optional>
#include <string>

#include <apf/sweep.h>

#include "shared/command_line.h"

namespace apfctl {

struct SweepTaskFlags {
  std::optional<std::string> task, partial;

  void declare(CommandLine& line);
  // The task, and where it is from ("" = the flag). Nothing: without --partial. Throws UsageError.
  struct Found {
    apf::SweepTask task;
    std::string from;
  };
  std::optional<Found> find() const;
  // The file of the task in the folder of --partial, which is made if it does not exist.
  std::string path_of(const apf::SweepTask& task) const;
};

}  // namespace apfctl
