// How much of the traffic a log holds, in all formats: coverage by the server's counters, and what the audit policy
// records.
#pragma once

#include <string>

#include <apf/document.h>
#include <apf/output.h>
#include <apf/server.h>

#include "report/core/facts.h"

namespace apf {

Passage coverage_passage(const CoverageReport& coverage);
Passage policy_passage(const PolicyCoverage& policy);

// "get, list of nodes by Group system:nodes"
std::string in_words(const RequestSet& set);

// The members "coverage" and "auditPolicy", where there is something.
void write_coverage(JsonWriter& json, const LogCoverage& known);

// How much of the server's traffic a log holds. Throws Error: nothing says so.
Fact coverage_fact(const LogCoverage& known);

}  // namespace apf
