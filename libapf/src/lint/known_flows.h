// Flows that the configuration names, all of them: their hands are dealt, and need no odds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lint/rule.h"

namespace apf {

struct KnownFlow {
  std::string schema, distinguisher;
  std::string words() const;  // "ci/alice"; "ci" for all requests of a FlowSchema
};

// The flows that FlowSchemas make for the level. Complete only if subjects and namespaces are all named.
std::vector<KnownFlow> known_flows(const LintContext& context, std::string_view level);

// A flow each of whose queues others have, too.
struct Covering {
  std::size_t flow = 0;
  std::vector<std::size_t> by;  // as few others as can be
};

struct Coverings {
  std::vector<Covering> found;  // those by the fewest first
  bool complete = true;         // false: there is too much to compare
};

// Of all flows, those that at most `most` others cover.
Coverings find_coverings(const std::vector<KnownFlow>& flows, int queues, int hand_size, int most);

}  // namespace apf
