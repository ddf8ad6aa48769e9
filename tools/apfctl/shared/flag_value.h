// Values of flags that the library parses.
#pragma once

#include <string>
#include <string_view>

#include <apf/error.h>
#include <apf/report.h>

#include "shared/usage_error.h"

namespace apfctl {

// What `parse` returns. Its apf::Error is wrong usage of this flag.
template <class Parse>
auto value_of(std::string_view flag, Parse parse) {
  try {
    return parse();
  } catch (const apf::Error& error) {
    throw UsageError(std::string(flag) + ": " + apf::printable(error.what()));
  }
}

}  // namespace apfctl
