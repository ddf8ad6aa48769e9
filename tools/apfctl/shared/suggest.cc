#include "shared/suggest.h"

#include <algorithm>
#include <vector>

#include <apf/report.h>

namespace apfctl {

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  if (const std::string near = apf::nearest_name(word, known); !near.empty()) return "; did you mean '" + near + "'?";
  if (known.empty() || known.size() > 14) return {};
  std::string out = known.size() == 1 ? "; expected " : "; expected one of ";
  for (std::size_t i = 0; i < known.size(); ++i) out += (i ? ", " : "") + known[i];
  return out;
}

std::string did_you_mean_flag(std::string_view word, std::span<const std::string> flags) {
  const auto bare = [](std::string_view flag) {
    return flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  };
  std::vector<std::string> names;
  for (const std::string& flag : flags) names.emplace_back(bare(flag));
  const std::string near = apf::nearest_name(bare(word), names);
  return near.empty() ? std::string() : "; did you mean '--" + near + "'?";
}

}  // namespace apfctl
