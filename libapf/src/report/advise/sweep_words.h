// How a sweep is said, alike in all formats for people.
#pragma once

#include <string>
#include <vector>

#include <apf/document.h>
#include <apf/sweep.h>

#include "report/core/writers.h"
#include "report/replay/ranges.h"

namespace apf {

TallyVersions versions_of(const std::vector<RequestTally>& tallies);
// Of what further stages did; a stage is the same one in all of them.
Versions<SweepStages> versions_of(const std::vector<SweepStages>& stages);
Versions<StageReport> versions_of(const std::vector<SweepStages>& stages, std::size_t stage);

// Whether its sets of flags have to be named.
bool has_flags(const SweepReport& report);

// Results of the same load together, the best first; loads in the order of the plan. Without servers of several sizes,
// of which the largest is always the best.
std::vector<std::vector<const SweepResult*>> by_load(const SweepReport& report);
Verdict verdict_of(const SweepReport& report);
// Logs that are not whole or have no requests, and entries of flags that are about nobody: ten of each at most; and
// events that are in logs twice.
std::vector<std::string> warnings_of(const SweepReport& report);
// What speaks against the figures, before any of them: logs that contradict their replays, or are selections.
std::vector<std::string> doubts_of(const SweepReport& report);
// What is missing, in one sentence, and then each task; nothing where all is there.
std::string missing_sentence(const SweepReport& report);
std::vector<std::string> missing_tasks(const SweepReport& report);

// One row for each combination; for each level where anything waits or is refused, and combination; and for each of
// the logs that fare worst.
Table combinations_table(const SweepReport& report);
Table levels_table(const SweepReport& report);
Table worst_table(const SweepReport& report);
// One row for each stage of each combination that has others than API Priority and Fairness.
Table stages_table(const SweepReport& report);
// One row for each combination in which clients that were refused came back.
Table retries_table(const SweepReport& report);
// What the numbers are of.
std::vector<std::string> explanations_of(const SweepReport& report);

}  // namespace apf
