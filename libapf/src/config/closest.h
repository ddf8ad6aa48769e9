// "Did you mean": the nearest of a closed set of names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace apf {

// How many letters must be changed, added, dropped or swapped with their neighbour to get from one word to the other,
// upper and lower case alike. From `enough` on, how many is not found out: it returns some number that is no less.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t enough = SIZE_MAX);

// The nearest name, empty if none is near: at most a third of the letters differ, and at most three.
template <class Names>
std::string_view closest(std::string_view word, const Names& names) {
  std::string_view best;
  std::size_t best_distance = std::min<std::size_t>(word.size() / 3, 3) + 1;
  for (const std::string_view name : names) {
    const std::size_t distance = edit_distance(word, name, best_distance);
    if (distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

// What a message asks about it: `did you mean "pods"?`, or of a command line, 'pods'.
std::string did_you_mean(std::string_view near, char quote = '"');
// "pods" of that, wherever it stands in the text; empty: nothing is asked.
std::string_view meant_in(std::string_view text);

}  // namespace apf
