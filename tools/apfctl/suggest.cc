#include "suggest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace apfctl {

namespace {

// Edit distance in which swapping two neighbours is one step; upper and lower case are the same.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> known) {
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : known) {
    std::size_t d = distance(word, candidate);
    // A beginning or a longer form of a name is near, however much is missing ("text" for "--text").
    if (word.size() >= 3 && (candidate.starts_with(word) || word.starts_with(candidate))) d = std::min<std::size_t>(d, 1);
    if (!best || d < best_distance) best = &candidate, best_distance = d;
  }
  const std::size_t allowed = std::max<std::size_t>(1, std::min<std::size_t>(3, word.size() / 3));
  return best && best_distance <= allowed && best_distance < best->size() ? *best : std::string();
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  if (const std::string near = nearest(word, known); !near.empty()) return "; did you mean '" + near + "'?";
  if (known.empty() || known.size() > 12) return {};
  std::string out = known.size() == 1 ? "; it takes " : "; it is one of ";
  for (std::size_t i = 0; i < known.size(); ++i) out += (i ? ", " : "") + known[i];
  return out;
}

}  // namespace apfctl
