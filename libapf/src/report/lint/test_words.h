// What the formats of test results have in common.
#pragma once

#include <string>
#include <vector>

#include <apf/test_file.h>

namespace apf {

// "2 of 14 tests failed."
std::string tests_verdict(const TestsReport& report);
// "Coverage 74 %: tests reach 23 of 31 parts of 4 FlowSchemas."; what is demanded, where it is more.
std::string coverage_verdict(const TestsReport& report);
// One sentence: "expected jail/workload-jail, got catch-all/catch-all; jail: …".
std::string failure_words(const TestResult& test);

// What no test reaches; of a rule or a FlowSchema none of which is reached, not its parts.
std::vector<const TestCoverage::Item*> unreached_items(const TestCoverage& coverage);
// "Group devs"; "rules[0]".
std::string item_words(const TestCoverage::Item& item);

}  // namespace apf
