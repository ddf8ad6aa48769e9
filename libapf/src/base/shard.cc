// Shuffle sharding: the flow's hash and its hand of queues (k8s.io/apiserver/pkg/util/shufflesharding and hashFlowID,
// v1.36).
#include <apf/hand.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/core.h>

#include "base/hash.h"
#include "base/sha256.h"

namespace apf {

namespace {

constexpr int kMaxDeck = 1 << 26;
constexpr int kMaxEntropyBits = 60;
// 15 of 15 have 59 bits of entropy, 16 of 16 have 64; and KEP-1040 bounds ff(deck, hand) by 2^60: 19! is less.
constexpr std::size_t kMaxHand = 19;

// Division of a hash by a small number of cards, by multiplying with m = ceil(2^64 / d): on many processors a 64-bit
// division takes longer than all the rest of a deal. As m * d - 2^64 < d, the quotient is exact for dividends up to
// 2^64 / d, and for others at most one too large.
constexpr std::uint64_t kReciprocals = 1025;

constexpr auto kReciprocal = [] {
  std::array<std::uint64_t, kReciprocals> table{};
  for (std::uint64_t d = 2; d < table.size(); ++d) table[d] = UINT64_MAX / d + 1;
  return table;
}();

inline std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((Uint128{a} * b) >> 64);
}

// Ranks of the first `count` cards of a hand among the cards not yet dealt.
inline void draw(std::uint64_t hash, std::uint64_t deck, std::size_t count, std::uint32_t* rank) {
  if (deck >= kReciprocals || deck == 1) {
    for (std::size_t i = 0; i < count; ++i) {
      rank[i] = static_cast<std::uint32_t>(hash % (deck - i));
      hash /= deck - i;
    }
    return;
  }
  std::uint64_t rest = multiply_high(hash, kReciprocal[deck]);
  auto remainder = static_cast<std::int64_t>(hash - rest * deck);
  if (remainder < 0) {
    remainder += static_cast<std::int64_t>(deck);
    --rest;
  }
  rank[0] = static_cast<std::uint32_t>(remainder);
  // What is left is below 2^64 / deck and the divisors are smaller than deck: quotients are exact from here on.
  const std::size_t drawn = std::min<std::size_t>(count, deck - 1);
  for (std::size_t i = 1; i < drawn; ++i) {
    hash = rest;
    rest = multiply_high(hash, kReciprocal[deck - i]);
    rank[i] = static_cast<std::uint32_t>(hash - rest * (deck - i));
  }
  if (drawn < count) rank[drawn] = 0;  // the only card left
}

// The card of rank `rank[at]`, those of the ranks before it being gone.
inline std::uint32_t card_of(const std::uint32_t* rank, std::size_t at) {
  std::uint32_t card = rank[at];
  for (std::size_t i = at; i-- > 0;) card += card >= rank[i];
  return card;
}

}  // namespace

std::uint64_t flow_hash(std::string_view flow_schema, std::string_view distinguisher) {
  const Sha256Digest digest = Sha256().add(flow_schema).add(std::string_view("\0", 1)).add(distinguisher).finish();
  std::uint64_t hash = 0;
  for (int i = 7; i >= 0; --i) hash = hash << 8 | digest[static_cast<std::size_t>(i)];
  return hash;
}

int required_entropy_bits(int deck_size, int hand_size) {
  // log2 the way Go's math.Log2 does it: exact for powers of two.
  int exponent = 0;
  const double fraction = std::frexp(static_cast<double>(deck_size), &exponent);
  const double log2 = fraction == 0.5 ? exponent - 1 : exponent + std::log(fraction) * (1 / std::numbers::ln2);
  return static_cast<int>(std::ceil(log2 * static_cast<double>(hand_size)));
}

std::string dealer_error(int deck_size, int hand_size) {
  if (deck_size <= 0 || hand_size <= 0) {
    return fmt::format("deckSize {} or handSize {} is not positive", deck_size, hand_size);
  }
  if (hand_size > deck_size) return fmt::format("handSize {} is greater than deckSize {}", hand_size, deck_size);
  if (deck_size > kMaxDeck) return fmt::format("deckSize {} is impractically large", deck_size);
  if (required_entropy_bits(deck_size, hand_size) > kMaxEntropyBits) {
    return fmt::format("required entropy bits of deckSize {} and handSize {} is greater than {}", deck_size, hand_size,
                       kMaxEntropyBits);
  }
  return {};
}

void deal_hand(std::uint64_t hash, int deck_size, std::span<std::uint32_t> hand) {
  assert(!hand.empty() && hand.size() <= kMaxHand && hand.size() <= static_cast<std::size_t>(deck_size));
  std::array<std::uint32_t, kMaxHand> rank;
  draw(hash, static_cast<std::uint64_t>(deck_size), hand.size(), rank.data());
  for (std::size_t i = 0; i < hand.size(); ++i) hand[i] = card_of(rank.data(), i);
}

std::vector<std::uint32_t> deal_hand(std::uint64_t hash, int deck_size, int hand_size) {
  std::vector<std::uint32_t> hand(static_cast<std::size_t>(hand_size));
  deal_hand(hash, deck_size, hand);
  return hand;
}

}  // namespace apf
