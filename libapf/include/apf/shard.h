// Shuffle sharding: flow hash, hand, and the odds of a collision (KEP-1040 "Probability of Collisions";
// k8s.io/apiserver/pkg/util/shufflesharding and hashFlowID, v1.36).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
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
// fairly and independently. Exact recurrence over the number of distinct queues; O(elephants * queues * hand).
APF_API double collision_probability(int queues, int hand_size, int elephants);

}  // namespace apf
