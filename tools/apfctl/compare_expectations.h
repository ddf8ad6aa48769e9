// --expect of compare: 'new.node-high.p99wait <= old.node-high.p99wait'.
#pragma once

#include <string>
#include <vector>

#include <apf/compare.h>
#include <apf/report.h>

namespace apfctl {

class CompareExpectations {
 public:
  // Throws UsageError and apf::Error.
  explicit CompareExpectations(const std::vector<std::string>& texts);
  // Says on standard error which do not hold; returns the exit code. Throws apf::Error for an unknown name.
  int check(const apf::CompareReport& comparison) const;

 private:
  struct Term {
    bool old_side = false;
    apf::Expectation metric;  // its operator and value are of no meaning
  };
  struct Entry {
    std::string text, op;
    Term left;
    bool by_metric = false;
    Term right;                // by_metric
    apf::Expectation against;  // otherwise: the left side against a number
  };
  static Term term_of(const std::string& text, const std::string& whole);

  std::vector<Entry> entries_;
};

}  // namespace apfctl
