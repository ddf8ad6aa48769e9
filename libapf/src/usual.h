// The headers that nearly every source includes, compiled once before all others: it only saves time. A source still
// includes what it uses, and compiles without this.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>
