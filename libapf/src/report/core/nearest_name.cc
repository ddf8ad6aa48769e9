// "Did you mean" for whoever uses the library.
#include <apf/report_words.h>

#include <algorithm>

#include "config/closest.h"

namespace apf {

std::string nearest_name(std::string_view word, std::span<const std::string> names) {
  const std::string_view near = closest(word, names);
  if (!near.empty()) return std::string(near);
  // However much is missing or too much, a beginning is near: "--max-requests" for "--max-requests-inflight".
  const auto begun = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return word.size() >= 3 && (name.starts_with(word) || (name.size() >= 3 && word.starts_with(name)));
  });
  return begun == names.end() ? std::string() : *begun;
}

}  // namespace apf
