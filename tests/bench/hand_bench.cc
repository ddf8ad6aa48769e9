// How many hands a second one core deals, and how many flows it hashes. Prints one line per claim.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <apf/hand.h>

namespace {

constexpr int kRepetitions = 9;
constexpr int kHands = 4'000'000;
constexpr int kHashes = 400'000;

// Millions a second, the median of several runs of `count` pieces of work.
template <class Work>
double rate(int count, Work work) {
  std::vector<double> rates;
  for (int i = 0; i < kRepetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    rates.push_back(count / took.count() / 1e6);
  }
  std::nth_element(rates.begin(), rates.begin() + kRepetitions / 2, rates.end());
  return rates[kRepetitions / 2];
}

volatile std::uint64_t sink = 0;  // so that the work is not optimised away

double hand_rate(int queues, int hand_size) {
  return rate(kHands, [=] {
    std::array<std::uint32_t, 15> cards{};
    const std::span<std::uint32_t> hand(cards.data(), static_cast<std::size_t>(hand_size));
    std::uint64_t hash = 0x243f6a8885a308d3;
    std::uint64_t sum = 0;
    for (int i = 0; i < kHands; ++i) {
      apf::deal_hand(hash, queues, hand);
      sum += cards[static_cast<std::size_t>(hand_size) - 1];
      hash = hash * 6364136223846793005 + 1442695040888963407;
    }
    sink = sink + sum;
  });
}

double hash_rate() {
  return rate(kHashes, [] {
    const std::string user = "system:serviceaccount:kube-system:generic-garbage-collector";
    std::uint64_t sum = 0;
    for (int i = 0; i < kHashes; ++i) sum += apf::flow_hash("kube-system-service-accounts", user);
    sink = sink + sum;
  });
}

}  // namespace

int main() {
  const double usual = hand_rate(128, 6);
  std::printf("hands: 128/6 %.1f M/s (floor 20 M/s)\n", usual);
  std::printf("hands: 64/8 %.1f M/s\n", hand_rate(64, 8));
  std::printf("hands: 1024/6 %.1f M/s\n", hand_rate(1024, 6));
  std::printf("hands: 4096/5 %.1f M/s\n", hand_rate(4096, 5));
  std::printf("hands: 15/15 %.1f M/s\n", hand_rate(15, 15));
  std::printf("hashes: %.1f M/s\n", hash_rate());
  return usual >= 20 ? 0 : 1;
}
