#include "suggest.h"

#include <apf/report.h>

namespace apfctl {

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  if (const std::string near = apf::nearest_name(word, known); !near.empty()) return "; did you mean '" + near + "'?";
  if (known.empty() || known.size() > 14) return {};
  std::string out = known.size() == 1 ? "; expected " : "; expected one of ";
  for (std::size_t i = 0; i < known.size(); ++i) out += (i ? ", " : "") + known[i];
  return out;
}

}  // namespace apfctl
