// The sizes of levels that every plan has: of clients that are protected or isolated.
#pragma once

#include <functional>

#include "advise/trials.h"

namespace apf {

// The best of a few sizes for the levels that isolate, the same for each of them; those that keep seats as small as
// lint takes them.
Trial rough_sizes(Trials& trials, const Plan& fixed);

// The sizes of levels that isolate with which others fare best. `offer`: gets all that was tried.
Plan tuned(Trials& trials, Plan fixed, const std::function<void(const Trial&)>& offer);

// The same plan with levels that keep seats, as small as lint takes them: what is smaller needs no replay. Nothing: no
// size does.
std::optional<Plan> settled(Trials& trials, const Plan& plan);

}  // namespace apf
