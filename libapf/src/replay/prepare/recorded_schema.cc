#include "replay/prepare/recorded_schema.h"

#include <algorithm>
#include <string>

namespace apf {

RecordedSchema find_recorded_schema(const Classifier& classifier, std::string_view name) {
  const auto& schemas = classifier.schemas();
  const auto find = [&](auto&& matches) {
    return static_cast<std::uint32_t>(std::find_if(schemas.begin(), schemas.end(), matches) - schemas.begin());
  };
  const auto none = static_cast<std::uint32_t>(schemas.size());
  std::uint32_t at = find([&](const Classifier::Schema& s) { return s.name == name; });
  if (at == none && name.size() >= kLoggedNameLimit)
    at = find([&](const Classifier::Schema& s) { return std::string_view(s.name).starts_with(name); });
  if (at != none) return {at, false};
  // The KEP's dialect has no catch-all: its last backstop is the last of all.
  at = find([](const Classifier::Schema& s) { return s.name == "catch-all"; });
  return {at == none ? none - 1 : at, true};
}

}  // namespace apf
