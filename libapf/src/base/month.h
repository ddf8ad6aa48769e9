// Months by their English names, as logs and exports abbreviate them.
#pragma once

#include <optional>
#include <string_view>

namespace apf {

// "Jul" is 7.
inline std::optional<int> month_named(std::string_view name) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::size_t at = kMonths.find(name);
  if (at == std::string_view::npos || at % 3 != 0) return std::nullopt;
  return static_cast<int>(at / 3) + 1;
}

}  // namespace apf
