// Shuffle sharding: the flow's hash, its hand of queues, and how likely hands collide
// (k8s.io/apiserver/pkg/util/shufflesharding and hashFlowID, v1.36; odds after KEP-1040).
#include <apf/shard.h>

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <apf/error.h>

namespace apf {

namespace {

// SHA-256 with one context per thread: fetching the algorithm anew costs several times the digest itself.
class Sha256 {
 public:
  Sha256() : algorithm_(EVP_MD_fetch(nullptr, "SHA256", nullptr)), context_(EVP_MD_CTX_new()) {
    if (!algorithm_ || !context_) fail();
  }
  std::array<unsigned char, 32> of(std::string_view a, std::string_view b, std::string_view c) {
    std::array<unsigned char, 32> digest;
    EVP_MD_CTX* const context = context_.get();
    if (EVP_DigestInit_ex2(context, algorithm_.get(), nullptr) != 1 ||
        EVP_DigestUpdate(context, a.data(), a.size()) != 1 || EVP_DigestUpdate(context, b.data(), b.size()) != 1 ||
        EVP_DigestUpdate(context, c.data(), c.size()) != 1 ||
        EVP_DigestFinal_ex(context, digest.data(), nullptr) != 1) {
      fail();
    }
    return digest;
  }

 private:
  struct Free {
    void operator()(EVP_MD* algorithm) const { EVP_MD_free(algorithm); }
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  [[noreturn]] static void fail() {
    throw Error("cannot compute SHA-256 with this system's libcrypto: check its configuration (openssl.cnf)");
  }
  std::unique_ptr<EVP_MD, Free> algorithm_;
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

constexpr int kMaxDeck = 1 << 26;
constexpr int kMaxEntropyBits = 60;
constexpr std::size_t kMaxHand = 15;  // 15 of 15 have 59 bits of entropy, 16 of 16 have 64

// Division of what is left of a hash by a small number of cards, by multiplying: on many processors a 64-bit division
// takes longer than all the rest of a deal. m = ceil(2^(64 + s) / d) with s = ceil(log2 d) - 1 is exact for dividends
// below 2^63, as its excess m * d - 2^(64 + s) is below 2^(s + 1).
__extension__ using Uint128 = unsigned __int128;
constexpr std::size_t kReciprocals = 1025;

constexpr int reciprocal_shift(std::uint64_t divisor) { return std::bit_width(divisor - 1) - 1; }

constexpr auto kReciprocal = [] {
  std::array<std::uint64_t, kReciprocals> table{};
  for (std::uint64_t d = 2; d < table.size(); ++d) {
    table[d] = static_cast<std::uint64_t>(((Uint128{1} << (64 + reciprocal_shift(d))) + d - 1) / d);
  }
  return table;
}();

inline std::uint64_t divide(std::uint64_t dividend, std::uint64_t divisor) {
  if (divisor >= kReciprocals || divisor == 1) return dividend / divisor;
  return static_cast<std::uint64_t>((Uint128{dividend} * kReciprocal[divisor]) >> 64) >> reciprocal_shift(divisor);
}

}  // namespace

std::uint64_t flow_hash(std::string_view flow_schema, std::string_view distinguisher) {
  thread_local Sha256 sha256;
  const auto digest = sha256.of(flow_schema, std::string_view("\0", 1), distinguisher);
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
  std::array<std::uint32_t, kMaxHand> rank;  // among the cards not yet dealt
  auto left = static_cast<std::uint64_t>(deck_size);
  rank[0] = hand[0] = static_cast<std::uint32_t>(hash % left);
  hash /= left;  // below 2^63 from here on, unless that was the only card
  for (std::size_t i = 1; i < hand.size(); ++i) {
    --left;
    const std::uint64_t rest = divide(hash, left);
    rank[i] = static_cast<std::uint32_t>(hash - rest * left);
    hash = rest;
    std::uint32_t card = rank[i];
    for (std::size_t j = i; j-- > 0;) card += card >= rank[j];
    hand[i] = card;
  }
}

std::vector<std::uint32_t> deal_hand(std::uint64_t hash, int deck_size, int hand_size) {
  std::vector<std::uint32_t> hand(static_cast<std::size_t>(hand_size));
  deal_hand(hash, deck_size, hand);
  return hand;
}

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

}  // namespace

// In the order of operations that gives the numbers of the published table to the last digit.
double collision_probability(int queues, int hand_size, int elephants) {
  assert(1 <= hand_size && hand_size <= queues);
  if (elephants <= 0) return 0;
  // So many that the odds of any queue being free, at most queues * (1 - hand / queues)^elephants, vanish beside 1.
  if (std::log(queues) + elephants * std::log1p(-static_cast<double>(hand_size) / queues) < -50) return 1;
  const auto most = static_cast<int>(std::min<std::int64_t>(queues, std::int64_t{hand_size} * elephants));
  const auto width = static_cast<std::size_t>(hand_size) + 1;
  const double hands = choose(queues, hand_size);
  // ways[u][n]: hands that add n queues to the u occupied ones.
  std::vector<double> ways(static_cast<std::size_t>(most + 1) * width);
  for (int u = 0; u <= most; ++u) {
    for (int n = 0; n <= hand_size; ++n) {
      ways[static_cast<std::size_t>(u) * width + static_cast<std::size_t>(n)] = choose(queues - u, n) * choose(u, hand_size - n);
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

}  // namespace apf
