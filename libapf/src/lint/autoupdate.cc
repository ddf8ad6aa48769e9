#include "lint/autoupdate.h"

#include <algorithm>

namespace apf {

namespace {

// Go's ParseBool, by which the server reads the annotation.
std::optional<bool> parse_bool(std::string_view text) {
  constexpr std::string_view kTrue[] = {"1", "t", "T", "TRUE", "true", "True"},
                             kFalse[] = {"0", "f", "F", "FALSE", "false", "False"};
  if (std::find(std::begin(kTrue), std::end(kTrue), text) != std::end(kTrue)) return true;
  if (std::find(std::begin(kFalse), std::end(kFalse), text) != std::end(kFalse)) return false;
  return std::nullopt;
}

}  // namespace

std::optional<bool> autoupdate(const ObjectMeta& meta) {
  for (const auto& [key, value] : meta.annotations) {
    if (key == kAutoupdateAnnotation) return parse_bool(value);
  }
  return std::nullopt;
}

bool has_autoupdate(const ObjectMeta& meta) {
  return std::any_of(meta.annotations.begin(), meta.annotations.end(),
                     [](const auto& a) { return a.first == kAutoupdateAnnotation; });
}

bool is_former_built_in(std::string_view name) {
  return name == "workload-leader-election" || name == "endpoint-controller";
}

}  // namespace apf
