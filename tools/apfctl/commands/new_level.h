// apfctl new level: a FlowSchema and a level of its own for some users, where they do what they are meant to do.
#pragma once

#include <string>
#include <vector>

#include <apf/config.h>

namespace apfctl {

struct NewLevel {
  std::string name;
  std::vector<std::string> who;  // as given: "sa:team-e/*"
  std::vector<apf::Subject> subjects;
  int seats = 0;  // the nominal limit, at least
  int server_seats = 600;
  apf::KubeVersion version = apf::kNewestKubeVersion;
  std::string server_flags;  // " -f flowcontrol/": what the same configuration needs as flags of apfctl
};

// YAML with comments that say why. `config`: what it comes to, complete. Throws apf::Error where no number of matching
// precedence is free that takes nothing from the server's own FlowSchemas, or where there are not so many seats.
std::string new_level_text(const NewLevel& wanted, const apf::Config& config);

}  // namespace apfctl
