// The command line is wrong.
#pragma once

#include <stdexcept>

namespace apfctl {

// Exit code 2, and the message points to the help.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace apfctl
