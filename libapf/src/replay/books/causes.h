// Why requests were refused or waited: the configuration, or more load than the server has seats for.
#pragma once

#include <vector>

#include <apf/replay.h>

namespace apf {

// Of each level that refused requests or kept one in a hundred waiting for a second, the worst first. Left out is what
// the replays of the report do not agree on.
std::vector<Remark> causes_of(const ReplayReport& report);

}  // namespace apf
