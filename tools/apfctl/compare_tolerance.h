// --tolerance of compare: how much worse a level or a FlowSchema may get.
#pragma once

#include <string>
#include <vector>

#include <apf/advise.h>

namespace apfctl {

// `text`: a number, or a percentage; empty: anything goes. Returns the exit code, after saying on standard error what
// is beyond. `names`: of the NEW sides. Throws UsageError.
class Tolerance {
 public:
  explicit Tolerance(const std::string& text);
  int check(const apf::CompareReport& comparison, const std::vector<std::string>& names) const;

 private:
  bool given_ = false;
  double most_ = 0;
};

}  // namespace apfctl
