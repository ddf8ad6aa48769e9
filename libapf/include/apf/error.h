// What stops an operation as a whole: a file that cannot be opened or inflated, a format nobody reads.
#pragma once

#include <stdexcept>
#include <string>

#include <apf/version.h>

namespace apf {

// One sentence that names the file (or flag) and says what to do. Faults inside a user's file that
// leave something usable are Diagnostics instead (apf/diagnostic.h).
class APF_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
  ~Error() override;
};

}  // namespace apf
