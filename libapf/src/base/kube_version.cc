// The names of Kubernetes releases. What changed in flow control between them: releases.cc.
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
  if (read.ec != std::errc() || minor < kOldestKubeVersion.minor) return std::nullopt;
  KubeVersion version{minor};
  const char* rest = read.ptr;
  if (rest != end && *rest == '.') {
    const auto patch = std::from_chars(rest + 1, end, version.patch);
    if (patch.ec != std::errc() || version.patch < 0) return std::nullopt;
    rest = patch.ptr;
  }
  // What distributors append: "1.31.2-eks-a737599", "1.31.2+k3s1", "1.31+".
  if (rest != end && *rest != '-' && *rest != '+' && *rest != '_') return std::nullopt;
  return version;
}

std::string unsupported_release(std::string_view text) {
  std::string out =
      "unsupported version " + std::string(text) + " (supported: " + kOldestKubeVersion.str() + " and newer";
  // No release since 1.20 is written so, but a number is that lost its zero.
  if (text == "1.2" || text == "1.3")
    out += "; if it is " + std::string(text) + "0, quote it: as a number it loses its 0";
  const std::string_view number = text.starts_with('v') ? text.substr(1) : text;
  if (!number.empty() && number[0] >= '2' && number[0] <= '9')
    return "unsupported version " + std::string(text) + ": apfctl knows releases of Kubernetes 1, from " +
           kOldestKubeVersion.str() + " on";
  return out + ")";
}

std::vector<KubeVersion> kube_versions() {
  std::vector<KubeVersion> all;
  for (int minor = kOldestKubeVersion.minor; minor <= kNextKubeVersion.minor; ++minor)
    all.push_back(KubeVersion{minor});
  return all;
}

std::string KubeVersion::str() const {
  return "1." + std::to_string(minor) + (patch == kNewestPatch ? "" : "." + std::to_string(patch));
}

}  // namespace apf
