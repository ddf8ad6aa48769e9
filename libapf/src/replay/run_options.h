// What the options of a replay mean for its parts.
#pragma once

#include <optional>

#include <apf/replay.h>

#include "replay/prepare/prepare.h"

namespace apf {

// What is replayed first, when the log was written under another configuration: that one, and nothing but the server.
std::optional<ReplayOptions> first_options(const ReplayOptions& options);

// What becomes of log text. Throws Error when the configurations do not fit together.
PrepareContext context_of(const ReplayOptions& options);

}  // namespace apf
