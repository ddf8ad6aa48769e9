// What an exception that ends a command means to the user.
#pragma once

#include <exception>
#include <string>

namespace apfctl {

struct Failure {
  int exit_code;
  std::string message;  // one or two lines, for standard error
};

// program: "apfctl lint".
Failure describe_failure(const std::exception_ptr& exception, const std::string& program);

}  // namespace apfctl
