// Kubernetes releases 1.20 to 1.36 and what changed in flow control between them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <apf/version.h>

namespace apf {

struct APF_API KubeVersion {
  int minor = 36;  // of major 1

  // "1.36", "v1.36", "1.36.3"; nothing if it is none of 1.20 … 1.36.
  static std::optional<KubeVersion> parse(std::string_view text);
  std::string str() const;

  // Borrowing between levels (KEP-1040 "Dispatching", since 1.26).
  bool borrows() const { return minor >= 26; }
  // Exempt levels have seats and lend (since 1.28).
  bool exempt_has_seats() const { return minor >= 28; }
  // The cost of a list follows the bytes it holds, cap 100 seats; before: object counts, cap 10 (1.34).
  bool size_based_list_cost() const { return minor >= 34; }
  // Watches that begin with a list are estimated as lists (WatchList: 1.32, 1.34 and later).
  bool watch_list() const { return minor == 32 || minor >= 34; }
  // Legacy watches (resourceVersion empty or 0) count as lists too (1.35).
  bool legacy_watch_is_list() const { return minor >= 35; }
  // Consistent lists come from the watch cache (1.31).
  bool consistent_list_from_cache() const { return minor >= 31; }

  auto operator<=>(const KubeVersion&) const = default;
};

inline constexpr KubeVersion kOldestKubeVersion{20};
inline constexpr KubeVersion kNewestKubeVersion{36};

}  // namespace apf
