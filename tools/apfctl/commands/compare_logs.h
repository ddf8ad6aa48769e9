// The words of compare: OLD NEW... --log LOG..., or --server NAME=LOG...
#pragma once

#include <string>
#include <vector>

#include "flags/replay_servers.h"

namespace apfctl {

struct ComparedWords {
  std::vector<std::string> paths;   // OLD, then every NEW
  std::vector<ServerLogs> servers;  // one without a name, or several
};

// Words after --log or --server are logs. `old_given`: OLD is one of the words. Throws UsageError.
ComparedWords compared_words(const CommandLine& line, bool old_given = true);

}  // namespace apfctl
