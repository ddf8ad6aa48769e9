#include "config/closest.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/core.h>

namespace apf {

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t enough) {
  constexpr std::size_t kLongest = 64;  // longer words are no misspelt names
  if (a.size() > kLongest || b.size() > kLongest) return std::max(a.size(), b.size());
  const std::size_t more = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (more >= enough) return more;
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  using Row = std::array<std::size_t, kLongest + 1>;
  Row rows[3];
  Row *before = &rows[0], *above = &rows[1], *row = &rows[2];
  for (std::size_t j = 0; j <= b.size(); ++j) (*above)[j] = j;
  std::size_t least_above = 0;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t least = (*row)[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t& here = (*row)[j];
      here = std::min({(*above)[j] + 1, (*row)[j - 1] + 1, (*above)[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        here = std::min(here, (*before)[j - 2] + 1);
      least = std::min(least, here);
    }
    // What follows is made of these two rows.
    if (std::min(least, least_above) >= enough) return enough;
    least_above = least;
    std::swap(before, above);
    std::swap(above, row);
  }
  return (*above)[b.size()];
}

std::string did_you_mean(std::string_view near, char quote) {
  return fmt::format("did you mean {0}{1}{0}?", quote, near);
}

std::string_view meant_in(std::string_view text) {
  constexpr std::string_view kQuestion = "did you mean \"";
  const std::size_t asks = text.find(kQuestion);
  if (asks == text.npos) return {};
  text.remove_prefix(asks + kQuestion.size());
  return text.substr(0, text.find('"'));
}

}  // namespace apf
