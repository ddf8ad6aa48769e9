// How likely hands collide: "Probability of Collisions" in KEP-1040, "Worked Example".
#include <apf/hand.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace apf {

namespace {

// Beyond so many steps the sum over all queues is left for the one over the queues of the mouse's hand.
constexpr std::int64_t kMostSteps = 10'000'000;

// C(n, m) in doubles, factor by factor from n down; 0 for m > n.
double choose(int n, int m) {
  if (m == 0 || m == n) return 1;
  double ways = n;
  for (int i = 1; i < m; ++i) ways = ways * (n - i) / (i + 1);
  return ways;
}

// Smallest first: the parts differ by many orders of magnitude.
double sum_ascending(std::vector<double>& parts) {
  std::sort(parts.begin(), parts.end());
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

// By the number of distinct queues that the elephants occupy, in the order of operations that gives the numbers of the
// published table to the last digit. O(elephants * queues * hand).
double by_occupied_queues(int queues, int hand_size, int elephants, int most) {
  const auto width = static_cast<std::size_t>(hand_size) + 1;
  const double hands = choose(queues, hand_size);
  // ways[u][n]: hands that add n queues to the u occupied ones.
  std::vector<double> ways(static_cast<std::size_t>(most + 1) * width);
  for (int u = 0; u <= most; ++u) {
    for (int n = 0; n <= hand_size; ++n) {
      ways[static_cast<std::size_t>(u) * width + static_cast<std::size_t>(n)] =
          choose(queues - u, n) * choose(u, hand_size - n);
    }
  }
  // occupied[u] = probability that the elephants so far sit on u distinct queues.
  std::vector<double> occupied(static_cast<std::size_t>(most) + 1), next(occupied.size()), parts(width);
  occupied[static_cast<std::size_t>(hand_size)] = 1;
  for (int elephant = 1; elephant < elephants; ++elephant) {
    for (int u = hand_size; u <= most; ++u) {
      for (int n = 0; n <= hand_size; ++n) {
        const auto before = static_cast<std::size_t>(u - n);
        parts[static_cast<std::size_t>(n)] = ways[before * width + static_cast<std::size_t>(n)] * occupied[before];
      }
      next[static_cast<std::size_t>(u)] = sum_ascending(parts) / hands;
    }
    occupied.swap(next);
  }
  std::vector<double> squashed;
  for (int u = hand_size; u <= most; ++u) {
    const double here = occupied[static_cast<std::size_t>(u)];
    squashed.push_back(elephants == 1 ? here / hands : here * choose(u, hand_size) / hands);
  }
  return sum_ascending(squashed);
}

using Matrix = std::vector<std::vector<long double>>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out(a.size(), std::vector<long double>(a.size(), 0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = i; k < a.size(); ++k)
      for (std::size_t j = k; j < a.size(); ++j) out[i][j] += a[i][k] * b[k][j];
  return out;
}

// The odds that a hand has `m` of `some` queues among `queues`, hypergeometric.
long double hits(int queues, int hand_size, int some, int m) {
  if (m > some || hand_size - m > queues - some) return 0;
  long double odds = 1;
  for (int i = 0; i < m; ++i)
    odds *= static_cast<long double>(some - i) * static_cast<long double>(hand_size - i) /
            (static_cast<long double>(i + 1) * static_cast<long double>(queues - i));
  for (int i = 0; i < hand_size - m; ++i)
    odds *= static_cast<long double>(queues - some - i) / static_cast<long double>(queues - m - i);
  return odds;
}

// By the number of the mouse's own queues that are taken: a Markov chain over 0 … hand, whose step is one elephant. All
// terms are positive, so that no digits cancel. O(hand³ * log elephants).
double by_taken_queues(int queues, int hand_size, int elephants) {
  const auto size = static_cast<std::size_t>(hand_size) + 1;
  Matrix step(size, std::vector<long double>(size, 0)), power = step;
  for (std::size_t taken = 0; taken < size; ++taken) {
    power[taken][taken] = 1;
    for (std::size_t then = taken; then < size; ++then)
      step[taken][then] = hits(queues, hand_size, hand_size - static_cast<int>(taken), static_cast<int>(then - taken));
  }
  for (int left = elephants; left > 0; left /= 2) {
    if (left % 2 == 1) power = product(power, step);
    step = product(step, step);
  }
  return static_cast<double>(std::min<long double>(power.front().back(), 1));
}

}  // namespace

double collision_probability(int queues, int hand_size, int elephants) {
  assert(1 <= hand_size && hand_size <= queues);
  if (elephants <= 0) return 0;
  // So many that the odds of any queue being free, at most queues * (1 - hand / queues)^elephants, vanish beside 1.
  if (std::log(queues) + elephants * std::log1p(-static_cast<double>(hand_size) / queues) < -50) return 1;
  const auto most = static_cast<int>(std::min<std::int64_t>(queues, std::int64_t{hand_size} * elephants));
  if (std::int64_t{elephants} * most * (hand_size + 1) > kMostSteps)
    return by_taken_queues(queues, hand_size, elephants);
  return by_occupied_queues(queues, hand_size, elephants, most);
}

}  // namespace apf
