// The one exception of the library: what stops an operation as a whole, such as a file that cannot be opened.
//
//   try {
//     throw apf::Error("cannot open a.yaml: No such file or directory");
//   } catch (const apf::Error& error) {
//     std::fprintf(stderr, "%s\n", error.what());
//   }
//
// Faults in a user's file that leave something usable are not exceptions but Diagnostics (<apf/findings.h>). Which
// functions throw Error, and when, is said at each of them; besides it only std::bad_alloc is thrown.
#pragma once

#include <stdexcept>
#include <string>

#include <apf/version.h>

namespace apf {

// One sentence that names the file (or flag) and says what to do. Faults inside a user's file that
// leave something usable are Diagnostics instead (apf/findings.h).
class APF_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
  ~Error() override;
};

}  // namespace apf
