// --expect of compare: 'new.node-high.p99wait <= old.node-high.p99wait'.
#pragma once

#include <string>
#include <vector>

#include <apf/advise.h>
#include <apf/report.h>

namespace apfctl {

class CompareExpectations {
 public:
  // Throws UsageError and apf::Error.
  explicit CompareExpectations(const std::vector<std::string>& texts);
  bool empty() const { return entries_.empty(); }
  // Throws apf::Error for a name that is in no configuration of its side.
  void check_subjects(const apf::CompareOptions& options) const;
  // One for each NEW. `names`: of the NEW sides.
  std::vector<apf::ExpectationResult> results(const apf::CompareReport& comparison,
                                              const std::vector<std::string>& names) const;

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
  static apf::ExpectationResult compare(const Entry& entry, const apf::CompareReport& comparison, std::size_t side);

  std::vector<Entry> entries_;
};

}  // namespace apfctl
