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

Occupied occupied_by(int queues, int hand_size, int elephants) {
  Occupied occupied(queues, hand_size, elephants);
  for (int i = 1; i < elephants; ++i) occupied.add();
  return occupied;
}

}  // namespace

double collision_probability(int queues, int hand_size, int elephants) {
  assert(1 <= hand_size && hand_size <= queues);
  if (elephants <= 0) return 0;
  if (leave_nothing(queues, hand_size, elephants)) return 1;
  return occupied_by(queues, hand_size, elephants).free(0);
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
  detail.taken = queues * (1 - std::pow(1 - static_cast<double>(hand_size) / queues, elephants));
  Occupied occupied = occupied_by(queues, hand_size, elephants);
  for (std::size_t n = 0; n < detail.free.size(); ++n) detail.free[n] = occupied.free(static_cast<int>(n));
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
