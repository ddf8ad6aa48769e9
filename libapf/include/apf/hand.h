// Questions after hands, one JSON object a line, and the answers likewise.
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
};
APF_API CollisionOdds collision_odds(int queues, int hand_size, std::span<const int> elephants);
APF_API std::string render_json(const CollisionOdds& odds);

}  // namespace apf
