// One card of a hand without the others.
#pragma once

#include <cstddef>
#include <cstdint>

namespace apf {

// Card `at` of what deal_hand(hash, deck_size, ...) deals to a hand larger than `at`.
std::uint32_t deal_card(std::uint64_t hash, int deck_size, std::size_t at);

}  // namespace apf
