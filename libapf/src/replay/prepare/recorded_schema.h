// Requests whose user is not in the log, but where they went: the FlowSchema by its name.
#pragma once

#include <cstdint>
#include <string_view>

#include <apf/classify.h>

namespace apf {

// The HTTP log cuts names at 64 bytes.
inline constexpr std::size_t kLoggedNameLimit = 64;

struct RecordedSchema {
  std::uint32_t schema = 0;  // index into schemas()
  bool missing = false;      // the configuration has none of that name: catch-all takes its place
};
RecordedSchema find_recorded_schema(const Classifier& classifier, std::string_view name);

}  // namespace apf
