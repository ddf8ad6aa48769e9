// Hands: the queues that a flow may use, dealt from the hash of the flow (shuffle sharding), and how likely it is that
// heavy flows share all queues of another one.
//
//   const std::uint64_t hash = apf::flow_hash("workload-low", "system:serviceaccount:ci:builder");
//   const std::vector<std::uint32_t> hand = apf::deal_hand(hash, 128, 6);  // 6 of 128 queues
//   const double odds = apf::collision_probability(128, 6, 4);             // with 4 heavy flows, 0 to 1
//
// As k8s.io/apiserver/pkg/util/shufflesharding and hashFlowID do it (v1.36); odds as in KEP-1040, "Probability of
// Collisions". Queues count from 0. All functions may be called from several threads at once. Numbers of which no hand
// can be dealt are the caller's to find with dealer_error().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/version.h>

namespace apf {

// First 8 bytes, little-endian, of SHA-256(flow_schema, one zero byte, distinguisher).
APF_API std::uint64_t flow_hash(std::string_view flow_schema, std::string_view distinguisher);

// ceil(log2(deck_size) * hand_size) in double precision, as the server computes it.
APF_API int required_entropy_bits(int deck_size, int hand_size);

// Empty if the server would deal hands of this size from this deck (1 <= hand <= deck <= 2^26, at most 60 bits of
// entropy); otherwise the server's error text.
APF_API std::string dealer_error(int deck_size, int hand_size);

// Deals `hand.size()` distinct cards out of 0 … deck_size-1; the order matters. The pair must be valid.
APF_API void deal_hand(std::uint64_t hash, int deck_size, std::span<std::uint32_t> hand);
APF_API std::vector<std::uint32_t> deal_hand(std::uint64_t hash, int deck_size, int hand_size);

// Probability that every queue of a mouse's hand is in some hand of `elephants` heavy flows, hands dealt
// fairly and independently. Exact but for rounding; takes milliseconds for any numbers.
APF_API double collision_probability(int queues, int hand_size, int elephants);

// What heavy flows leave to a small one, as above.
struct CollisionDetail {
  double taken = 0;          // distinct queues that the heavy flows have: the mean
  std::vector<double> free;  // [n]: the probability that just n queues of the small flow's hand are none of theirs
};
APF_API CollisionDetail collision_detail(int queues, int hand_size, int elephants);
// With how many heavy flows collision_probability() reaches `probability` (below 1); nothing for more than 4,096
// queues.
APF_API std::optional<int> elephants_until(int queues, int hand_size, double probability);

// Questions after hands, one JSON object a line, and their answers, in the same way.

struct FlowHand {
  std::string flow_schema, flow_distinguisher;
  bool has_flow = false;  // false: only the hash is known
  std::uint64_t hash = 0;
  int queues = 0, hand_size = 0;
  std::vector<std::uint32_t> hand;
};

// {"queues","handSize"} with {"flowSchema","flowDistinguisher"} or {"hash"}; other keys are ignored. Nothing if
// the line asks for no hand that can be dealt; `error` then says why.
APF_API std::optional<FlowHand> parse_hand_line(std::string_view line, std::string& error);

APF_API std::string render_json(const FlowHand& hand);

struct CollisionOdds {
  int queues = 0, hand_size = 0;
  std::vector<std::pair<int, double>> collision;  // elephants, probability
  std::vector<CollisionDetail> details;           // of each of them
  std::optional<int> one_percent_at;              // see elephants_until()
};
APF_API CollisionOdds collision_odds(int queues, int hand_size, std::span<const int> elephants);
APF_API std::string render_json(const CollisionOdds& odds);

}  // namespace apf
