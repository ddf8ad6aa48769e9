// How likely heavy flows take the queues of a small one (KEP-1040, "Probability of Collisions"), hands being dealt
// fairly and independently.
#include <apf/hand.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <numeric>

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

// On how many distinct queues the hands of some heavy flows are. In the order of operations that gives the numbers of
// the published table to the last digit.
class Occupied {
 public:
  // One heavy flow; `most` of them will come.
  Occupied(int queues, int hand_size, int most)
      : queues_(queues),
        hand_size_(hand_size),
        most_(static_cast<int>(std::min<std::int64_t>(queues, std::int64_t{hand_size} * most))),
        width_(static_cast<std::size_t>(hand_size) + 1),
        hands_(choose(queues, hand_size)),
        ways_(static_cast<std::size_t>(most_ + 1) * width_),
        odds_(static_cast<std::size_t>(most_) + 1),
        next_(odds_.size()),
        parts_(width_) {
    for (int u = 0; u <= most_; ++u) {
      for (int n = 0; n <= hand_size; ++n)
        ways_[static_cast<std::size_t>(u) * width_ + static_cast<std::size_t>(n)] =
            choose(queues - u, n) * choose(u, hand_size - n);
    }
    odds_[static_cast<std::size_t>(hand_size)] = 1;
  }

  // One more.
  void add() {
    for (int u = hand_size_; u <= most_; ++u) {
      for (int n = 0; n <= hand_size_; ++n) {
        const auto before = static_cast<std::size_t>(u - n);
        parts_[static_cast<std::size_t>(n)] = ways_[before * width_ + static_cast<std::size_t>(n)] * odds_[before];
      }
      next_[static_cast<std::size_t>(u)] = sum_ascending(parts_) / hands_;
    }
    odds_.swap(next_);
  }

  // That just so many queues of a further hand are free.
  double free(int count) {
    all_.clear();
    for (int u = hand_size_; u <= most_; ++u) {
      const double ways =
          count == 0 ? choose(u, hand_size_) : choose(queues_ - u, count) * choose(u, hand_size_ - count);
      all_.push_back(odds_[static_cast<std::size_t>(u)] * ways / hands_);
    }
    return sum_ascending(all_);
  }

 private:
  const int queues_, hand_size_, most_;
  const std::size_t width_;
  const double hands_;
  std::vector<double> ways_;  // [u][n]: hands that add n queues to the u occupied ones
  std::vector<double> odds_;  // [u]: that u distinct queues are occupied
  std::vector<double> next_, parts_, all_;
};

// So many that the odds of any queue being free, at most queues * (1 - hand / queues)^elephants, vanish beside 1.
bool leave_nothing(int queues, int hand_size, int elephants) {
  return std::log(queues) + elephants * std::log1p(-static_cast<double>(hand_size) / queues) < -50;
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
std::vector<double> free_by_taken_queues(int queues, int hand_size, int elephants) {
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
  std::vector<double> free;  // [n]: the odds that just n queues of the mouse are free
  for (auto odds = power.front().rbegin(); odds != power.front().rend(); ++odds)
    free.push_back(static_cast<double>(std::min<long double>(*odds, 1)));
  return free;
}

std::vector<double> free_queues(int queues, int hand_size, int elephants) {
  const std::int64_t most = std::min<std::int64_t>(queues, std::int64_t{hand_size} * elephants);
  if (std::int64_t{elephants} * most * (hand_size + 1) > kMostSteps)
    return free_by_taken_queues(queues, hand_size, elephants);
  Occupied occupied(queues, hand_size, elephants);
  for (int i = 1; i < elephants; ++i) occupied.add();
  std::vector<double> free;
  for (int n = 0; n <= hand_size; ++n) free.push_back(occupied.free(n));
  return free;
}

}  // namespace

double collision_probability(int queues, int hand_size, int elephants) {
  assert(1 <= hand_size && hand_size <= queues);
  if (elephants <= 0) return 0;
  if (leave_nothing(queues, hand_size, elephants)) return 1;
  return free_queues(queues, hand_size, elephants).front();
}

CollisionDetail collision_detail(int queues, int hand_size, int elephants) {
  assert(1 <= hand_size && hand_size <= queues);
  CollisionDetail detail;
  detail.free.resize(static_cast<std::size_t>(hand_size) + 1);
  const bool nothing_left = elephants > 0 && leave_nothing(queues, hand_size, elephants);
  if (elephants <= 0 || nothing_left) {
    detail.taken = nothing_left ? queues : 0;
    detail.free[nothing_left ? 0 : detail.free.size() - 1] = 1;
    return detail;
  }
  // Each queue is in a hand with the same odds, whatever the other queues.
  // Not by pow(), which C libraries round differently.
  double missed = 1, power = 1 - static_cast<double>(hand_size) / queues;
  for (int left = elephants; left > 0; left /= 2, power *= power)
    if (left % 2 == 1) missed *= power;
  detail.taken = queues * (1 - missed);
  detail.free = free_queues(queues, hand_size, elephants);
  return detail;
}

std::optional<int> elephants_until(int queues, int hand_size, double probability) {
  assert(1 <= hand_size && hand_size <= queues);
  constexpr int kMostQueues = 4096;  // the time grows with their square
  if (queues > kMostQueues) return std::nullopt;
  Occupied occupied(queues, hand_size, queues);
  int elephants = 1;
  for (; occupied.free(0) < probability; ++elephants) occupied.add();
  return elephants;
}

}  // namespace apf
