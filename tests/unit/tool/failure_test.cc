// How exceptions that end a command become exit codes and messages.
#include "shared/failure.h"

#include "catch.h"

#include <new>
#include <stdexcept>

#include <apf/error.h>

#include "shared/command_line.h"

namespace {

template <typename Exception>
apfctl::Failure failure_of(const Exception& exception) {
  return apfctl::describe_failure(std::make_exception_ptr(exception), "apfctl lint");
}

}  // namespace

TEST_CASE("wrong usage exits 2 and points to the help", "[tool]") {
  const apfctl::Failure failure = failure_of(apfctl::UsageError("unknown flag --frob"));
  CHECK(failure.exit_code == 2);
  CHECK(failure.message == "apfctl lint: unknown flag --frob\nRun 'apfctl lint --help' for usage.\n");
}

TEST_CASE("input that cannot be used exits 2", "[tool]") {
  const apfctl::Failure failure = failure_of(apf::Error("cannot open a\x1b[31m.yaml"));
  CHECK(failure.exit_code == 2);
  CHECK(failure.message.starts_with("apfctl lint: cannot open a"));
  CHECK(failure.message.find('\x1b') == std::string::npos);
}

TEST_CASE("an internal failure exits 70 and asks for a report", "[tool]") {
  for (const apfctl::Failure& failure : {failure_of(std::out_of_range("vector::at")), failure_of(42)}) {
    CHECK(failure.exit_code == 70);
    CHECK(failure.message.find("internal error: ") != std::string::npos);
    CHECK(failure.message.find("Please report it") != std::string::npos);
  }
  CHECK(failure_of(std::out_of_range("vector::at")).message.starts_with("apfctl lint: internal error: vector::at\n"));
}

TEST_CASE("not enough memory exits 2 without asking for a report", "[tool]") {
  const apfctl::Failure failure = failure_of(std::bad_alloc());
  CHECK(failure.exit_code == 2);
  CHECK(failure.message == "apfctl lint: not enough memory for this input\n");
}
