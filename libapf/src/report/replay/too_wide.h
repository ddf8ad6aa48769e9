// Requests that are wider than their level, or the server, allows: what they would cost, and what they take.
#pragma once

#include <apf/document.h>
#include <apf/output.h>
#include <apf/replay.h>

#include "report/replay/ranges.h"

namespace apf {

// By level, then by flow; nothing where there are none.
Passage too_wide_passage(const ReplayReport& report);

}  // namespace apf
