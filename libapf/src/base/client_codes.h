// The codes of what clients do wrong (apfctl log), which settings switch off as they do rules of lint.
#pragma once

#include <string_view>

namespace apf {

inline constexpr std::string_view kClientCodes[] = {
    "CLIENT-LIST-LOOP",         "CLIENT-SHORT-WATCHES",    "CLIENT-RETRIES-FORBIDDEN",
    "CLIENT-RETRIES-NOT-FOUND", "CLIENT-RETRIES-CONFLICT", "CLIENT-RETRIES-APPLY",
    "CLIENT-RETRIES-INVALID",   "CLIENT-RETRIES-DENIED",   "CLIENT-CREATES-EXISTING",
    "CLIENT-REWRITES",          "CLIENT-POLLS-OBJECT",     "CLIENT-EARLY-RETRY",
    "CLIENT-UNPAGED-LISTS",     "CLIENT-REVIEWS",          "CLIENT-HERD",
    "CLIENT-EXPIRED-VERSIONS",  "CLIENT-SHARED-IDENTITY",  "CLIENT-THROTTLED",
};

}  // namespace apf
