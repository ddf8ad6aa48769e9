// The name of the object in a request target. Which FlowSchema a request matches does not depend on it, so that
// thousands of requests are one as far as most of what is known of them goes.
#pragma once

#include <cstdint>
#include <string_view>

namespace apf {

struct ObjectName {
  std::uint32_t at = 0, size = 0;  // in the target; size 0: it has none, or none that can be told so easily
};

// Only where any other name of the same characters would give the same RequestView but for `name`, `parts` and `path`
// (of an audit event whose verb is neither list nor watch): in a path without escapes and empty segments, of
// characters from '-' to 'z'.
ObjectName find_object_name(std::string_view target);

}  // namespace apf
