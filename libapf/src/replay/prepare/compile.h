// The configurations of a replay, ready to classify requests.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <apf/replay.h>

namespace apf {

// In order of time, then that of options.recorded, then those of other servers that are replayed from the same reading.
// Throws Error if a level is exempt in one and not in another.
std::vector<std::shared_ptr<const Classifier>> compile_configurations(const ReplayOptions& options,
                                                                      std::span<const ReplayOptions> others = {});

}  // namespace apf
