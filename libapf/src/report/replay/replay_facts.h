// A figure of a replay as expectations name it.
#pragma once

#include <string>

#include <apf/replay_report.h>

#include "report/core/facts.h"

namespace apf {

// Of the report and its other replays. `of`: as in Fact. Throws Error: there is no such level or FlowSchema.
Fact replay_fact(const ExpectedFigure& figure, const ReplayReport& report, bool percent, std::string of);

}  // namespace apf
