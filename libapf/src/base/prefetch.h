// What will be needed soon is asked for from memory.
#pragma once

#include <cstddef>
#include <string_view>

namespace apf {

// Whoever does nothing but call it has to be always inline, too: g++ 12 takes such a function for one that does
// nothing, and leaves out calls of it.
template <class Value>
[[gnu::always_inline]] inline void prefetch(const Value& value) {
  const char* const bytes = reinterpret_cast<const char*>(&value);
  for (std::size_t i = 0; i < sizeof(Value); i += 64) __builtin_prefetch(bytes + i);
}

[[gnu::always_inline]] inline void prefetch_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); i += 64) __builtin_prefetch(text.data() + i);
}

}  // namespace apf
