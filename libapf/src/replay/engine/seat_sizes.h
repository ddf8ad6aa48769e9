// Seats of a server that are tried one after the other, to find how many are enough.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace apf {

// So many octaves below the most, but no fewer than the least.
inline int seats_below(int least, int most, double octaves) {
  return std::clamp(static_cast<int>(std::lround(most / std::exp2(octaves))), least, most);
}
// Steps of so many an octave that lead from the most to the least.
inline int steps_between(int least, int most, int steps_an_octave) {
  return static_cast<int>(std::ceil(std::log2(static_cast<double>(most) / least) * steps_an_octave - 1e-9));
}

// The smallest first.
inline std::vector<int> seats_between(int least, int most, int steps_an_octave) {
  std::vector<int> out;
  for (int step = steps_between(least, most, steps_an_octave); step >= 0; --step)
    if (const int seats = seats_below(least, most, static_cast<double>(step) / steps_an_octave);
        out.empty() || seats > out.back())
      out.push_back(seats);
  return out;
}

}  // namespace apf
