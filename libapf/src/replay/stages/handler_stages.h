// The stages of the admission pipeline that run inside the handler, by the options of a replay.
#pragma once

#include <memory>
#include <vector>

#include <apf/replay.h>

#include "replay/stages/handler_stage.h"

namespace apf {

// The stages that the options switch on, in the order in which requests pass them.
std::vector<std::unique_ptr<HandlerStage>> handler_stages(const ReplayOptions& options);

}  // namespace apf
