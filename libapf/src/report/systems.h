// Systems side by side: what all formats for people show.
#pragma once

#include <string>
#include <vector>

#include <apf/report.h>

#include "report/passage.h"

namespace apf {

std::string systems_heading(const SystemsTable& table);  // "Replay of audit.log, once for each system"
std::string systems_span(const SystemsTable& table);     // "2,000 requests in 2m, from …"
std::vector<Passage> systems_passages(const SystemsTable& table);

using Remarks = std::vector<Remark> ReplayReport::*;
// The remarks of all replays, each once; in front, the systems it is of unless it is of all.
std::vector<std::string> systems_texts(const SystemsTable& table, Remarks of);

}  // namespace apf
