// --require-objects: a folder whose files have moved away must not keep a pipeline green.
#pragma once

#include <string>
#include <vector>

#include <apf/config.h>

#include "shared/console.h"

namespace apfctl {

struct RequireObjects {
  bool required = false;

  void declare(CommandLine& line);
  // `texts`: what was read of `paths`. Throws apf::Error if it is required and a folder or glob among the paths has no
  // object that apfctl reads; else a note says so.
  void check(const std::vector<std::string>& paths, const std::vector<apf::ConfigText>& texts,
             const Console& console) const;
};

}  // namespace apfctl
