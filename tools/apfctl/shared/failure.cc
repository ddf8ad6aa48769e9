#include "shared/failure.h"

#include <new>
#include <stdexcept>

#include <apf/error.h>
#include <apf/report.h>

#include "shared/command_line.h"
#include "shared/exit_code.h"

namespace apfctl {

namespace {

Failure internal_failure(const std::string& program, const std::string& what) {
  return {kInternalFailure, program + ": internal error: " + apf::printable(what) +
                                "\nThis is a bug in apfctl. Please report it with the command line and the output of "
                                "'apfctl version'.\n"};
}

}  // namespace

Failure describe_failure(const std::exception_ptr& exception, const std::string& program) {
  try {
    std::rethrow_exception(exception);
  } catch (const UsageError& error) {
    return {kUsageOrInput, program + ": " + error.what() + "\nRun '" + program + " --help' for usage.\n"};
  } catch (const apf::Error& error) {
    return {kUsageOrInput, program + ": " + apf::printable(error.what()) + "\n"};
  } catch (const std::bad_alloc&) {
    return {kUsageOrInput, program + ": not enough memory for this input\n"};
  } catch (const std::length_error&) {
    return {kUsageOrInput, program + ": not enough memory for this input\n"};
  } catch (const std::exception& error) {
    return internal_failure(program, error.what());
  } catch (...) {
    return internal_failure(program, "unknown exception");
  }
}

}  // namespace apfctl
