// --expect of headroom: 'LEVEL.refusesAt >= 2'.
#pragma once

#include <string>
#include <vector>

#include <apf/advise.h>
#include <apf/report.h>

namespace apfctl {

struct HeadroomExpectation {
  std::string text, level;  // level "total": every level
  bool refuses = false;
  bool or_equal = false;  // >=
  double multiple = 1;
};

// Throws UsageError.
HeadroomExpectation parse_headroom_expectation(const std::string& text);
// Throws apf::Error for a level that no request of the log goes to.
apf::ExpectationResult check_expectation(const HeadroomExpectation& expectation, const apf::HeadroomReport& report);

}  // namespace apfctl
