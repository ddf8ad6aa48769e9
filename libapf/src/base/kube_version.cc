// Kubernetes releases 1.20 to 1.36 and what changed in flow control between them.
#include <apf/version.h>

#include <charconv>

namespace apf {

std::optional<KubeVersion> KubeVersion::parse(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  if (!text.starts_with("1.")) return std::nullopt;
  text.remove_prefix(2);
  const char* const end = text.data() + text.size();
  int minor = 0;
  const auto read = std::from_chars(text.data(), end, minor);
  if (read.ec != std::errc() || minor < kOldestKubeVersion.minor || minor > kNewestKubeVersion.minor)
    return std::nullopt;
  KubeVersion version{minor};
  if (read.ptr != end) {
    // ".3", and what distributors append to it: "1.31.2-eks-a737599", "1.31.2+k3s1".
    int patch = 0;
    if (*read.ptr != '.') return std::nullopt;
    const auto rest = std::from_chars(read.ptr + 1, end, patch);
    if (rest.ec != std::errc() || patch < 0 || (rest.ptr != end && *rest.ptr != '-' && *rest.ptr != '+'))
      return std::nullopt;
    version.patch = patch;
  }
  return version;
}

std::vector<KubeVersion> kube_versions() {
  std::vector<KubeVersion> all;
  for (int minor = kOldestKubeVersion.minor; minor <= kNewestKubeVersion.minor; ++minor)
    all.push_back(KubeVersion{minor});
  return all;
}

std::string KubeVersion::str() const {
  return "1." + std::to_string(minor) + (patch == kNewestPatch ? "" : "." + std::to_string(patch));
}

}  // namespace apf
