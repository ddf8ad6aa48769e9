// One reading of a log for several servers: what a comparison is made of.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <apf/advise.h>

namespace apf {

// How requests fared; everything is the level without a name.
using Subjects = std::map<std::pair<ComparedChange::What, std::string>, RequestTally>;

struct MovedFlow {
  std::string from_schema, from_level, to_schema, to_level, distinguisher;  // of the flow where it came from
  std::uint64_t requests = 0;
};

struct SideReplay {
  ReplayReport report;
  std::vector<Subjects> runs;  // the report's, then those with jitter
  // The same with clients that send at the recorded times, where those of the report wait for their answers.
  std::vector<Subjects> others;
  std::vector<MovedFlow> moved;  // from OLD
};

struct SidesReplay {
  SideReplay old_side;
  std::vector<SideReplay> new_sides;
};

// The log is read once and scheduled for each server. Throws Error: as replay().
SidesReplay replay_sides(const CompareOptions& options);

}  // namespace apf
