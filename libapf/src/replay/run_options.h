// What the options of a replay mean for its parts.
#pragma once

#include <optional>
#include <span>

#include <apf/replay.h>

#include "replay/prepare/prepare.h"

namespace apf {

// Throws Error where a release is to be replayed that queued by rules that are not known here.
void check_releases(const ReplayOptions& options);

// What is replayed first, when the log was written under another configuration: that one, and nothing but the server.
// `seats`: the recorded server's, if neither `recorded` nor its log names them; nothing: as replayed.
std::optional<ReplayOptions> first_options(const ReplayOptions& options, std::optional<int> seats = std::nullopt);

// What becomes of log text, for this server and others that are replayed from the same reading. Their configurations
// are numbered in this order: the server's own and its changes, the recorded one, those of the others. Throws Error
// when the configurations do not fit together.
PrepareContext context_of(const ReplayOptions& options, std::span<const ReplayOptions> others = {});

}  // namespace apf
