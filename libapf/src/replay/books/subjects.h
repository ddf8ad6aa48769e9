// What a comparison of replays counts: requests by level, FlowSchema and flow, and flows that go elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <apf/compare.h>

namespace apf {

// What became of requests; everything is the level without a name.
using Subjects = std::map<std::pair<ComparedChange::What, std::string>, RequestTally>;

struct MovedFlow {
  std::string from_schema, from_level, to_schema, to_level, distinguisher;  // of the flow where it came from
  std::uint64_t requests = 0;
};

// Which configuration OLD has in force when: numbers as in Flows.
struct OldConfigurations {
  std::size_t first = 0;
  std::vector<std::pair<Nanos, std::size_t>> changes;  // in order of time
  std::size_t at(Nanos time) const {
    std::size_t out = first;
    for (const auto& [since, number] : changes) out = since <= time ? number : out;
    return out;
  }
};

}  // namespace apf
