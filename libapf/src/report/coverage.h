// How much of the traffic a log holds, in all formats: what says so, coverage by the server's counters, what the audit
// policy records, and what a replay added.
#pragma once

#include <string>
#include <vector>

#include <apf/document.h>
#include <apf/output.h>
#include <apf/replay.h>

namespace apf {

// The first lines of a report on a log that is not whole; none for others.
std::vector<std::string> incomplete_sentences(const ReplayReport& report);
void say_incomplete(const ReplayReport& report, Passage& out, Tone tone = Tone::plain);

Passage coverage_passage(const CoverageReport& coverage);
Passage policy_passage(const PolicyCoverage& policy);
// All that the report has of these, and what a fill changes.
std::vector<Passage> coverage_passages(const ReplayReport& report);

// "get, list of nodes by Group system:nodes"
std::string in_words(const RequestSet& set);

// The members "coverage" and "auditPolicy", where there is something.
void write_coverage(JsonWriter& json, const LogCoverage& known);

}  // namespace apf
