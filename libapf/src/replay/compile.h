// The configurations of a replay, ready to classify requests.
#pragma once

#include <memory>
#include <vector>

#include <apf/replay.h>

namespace apf {

// In order of time, that of options.recorded last. Throws Error if a level is exempt in one and not in another.
std::vector<std::shared_ptr<const Classifier>> compile_configurations(const ReplayOptions& options);

}  // namespace apf
