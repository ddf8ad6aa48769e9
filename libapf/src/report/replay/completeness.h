// Whether the log of a replay is the whole traffic: what says so, and what the replay added.
#pragma once

#include <string>
#include <vector>

#include <apf/document.h>
#include <apf/replay_report.h>

namespace apf {

// The first lines of a report on a log that is not whole; none for others.
std::vector<std::string> incomplete_sentences(const ReplayReport& report);
void say_incomplete(const ReplayReport& report, Passage& out, Tone tone = Tone::plain);

// All that the report has of coverage, and what a fill changes.
std::vector<Passage> coverage_passages(const ReplayReport& report);

// Of requests that came too late in the log.
std::string late_sentence(const ReplayReport& report);

}  // namespace apf
