// Releases of Kubernetes.
#pragma once

#include <compare>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/version.h>

namespace apf {

struct APF_API KubeVersion {
  static constexpr int kNewestPatch = std::numeric_limits<int>::max();

  int minor = 36;            // of major 1
  int patch = kNewestPatch;  // behave as this patch release; by default as the newest one

  // "1.36", "v1.36", "1.36.3", "1.31.2-eks-a737599"; nothing if the release is not supported.
  static std::optional<KubeVersion> parse(std::string_view text);
  // "1.36"
  std::string str() const;

  // Releases are ordered, and equal, by their minor number.
  std::strong_ordering operator<=>(const KubeVersion& other) const { return minor <=> other.minor; }
  bool operator==(const KubeVersion& other) const { return minor == other.minor; }
};

inline constexpr KubeVersion kOldestKubeVersion{20};
inline constexpr KubeVersion kNewestKubeVersion{36};

// All supported releases, oldest first.
APF_API std::vector<KubeVersion> kube_versions();

}  // namespace apf
