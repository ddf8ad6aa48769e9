// Versions: of libapf, of the libraries it runs on, and of Kubernetes.
//
//   const std::optional<apf::KubeVersion> release = apf::KubeVersion::parse("v1.34.2");
//   if (release && *release < apf::kNewestKubeVersion) std::puts(release->str().c_str());  // 1.34
//   for (const apf::LibraryVersion& library : apf::library_versions())
//     std::printf("%s %s\n", library.name.c_str(), library.version.c_str());
//
// APF_VERSION_* is the version of these headers; the Makefile reads it from here, and it is written nowhere else.
// Releases are those of kube-apiserver, 1.20 to 1.37, and 1.38 as far as it is decided. All functions may be called
// from several threads at once and throw nothing but std::bad_alloc. How the API may change from version to version:
// libapf/README.md.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#define APF_VERSION_MAJOR 0
#define APF_VERSION_MINOR 1
#define APF_VERSION_PATCH 0

// Public symbols: everything else is hidden in the shared library.
#define APF_API __attribute__((visibility("default")))
// The inner parts of a public class would be public with it.
#define APF_LOCAL __attribute__((visibility("hidden")))

namespace apf {

// --- releases of Kubernetes ---

struct APF_API KubeVersion {
  static constexpr int kNewestPatch = std::numeric_limits<int>::max();

  int minor = 37;            // of major 1
  int patch = kNewestPatch;  // behave as this patch release; by default as the newest one
  // Feature gates that its server sets; see set_feature_gates().
  std::uint8_t gates_on = 0, gates_off = 0;

  // "1.36", "v1.36", "1.36.3", "1.31.2-eks-a737599", "1.38.0-alpha.2"; nothing if it is not a release since 1.20. One
  // that is newer than kNextKubeVersion behaves as that one.
  static std::optional<KubeVersion> parse(std::string_view text);
  // "1.36"
  std::string str() const;

  // Releases are ordered, and equal, by their minor number.
  std::strong_ordering operator<=>(const KubeVersion& other) const { return minor <=> other.minor; }
  bool operator==(const KubeVersion& other) const { return minor == other.minor; }
};

inline constexpr KubeVersion kOldestKubeVersion{20};
inline constexpr KubeVersion kNewestKubeVersion{37};  // the newest that is out, and the default
inline constexpr KubeVersion kNextKubeVersion{38};    // known, but not out yet
inline constexpr KubeVersion kOldestReplayed{23};     // before, requests were queued by other rules

// What is wrong with a text that parse() does not read: "unsupported version 1.19 (supported: 1.20 and newer)".
APF_API std::string unsupported_release(std::string_view text);

// All known releases, oldest first; the last one is kNextKubeVersion.
APF_API std::vector<KubeVersion> kube_versions();

// Of a release without a patch, which means its newest one: what not all of its patches do, as
// "… (since 1.27.5); … (until 1.27.3)". Empty if its patches do not differ, or a patch is given.
APF_API std::string patch_differences(KubeVersion release);

// Sets in `release` what a server's --feature-gates ("WatchList=true,AllBeta=false") change of what is computed here.
// Returns a sentence for each gate that is not obeyed: the release does not look at it, or nothing here does.
APF_API std::vector<std::string> set_feature_gates(std::string_view gates, KubeVersion& release);

// --- libapf ---

// Which libapf is running and what it is linked with, for bug reports.

struct LibraryVersion {
  std::string name, version;
};

// libapf itself first, then those linked libraries that know their version.
APF_API std::vector<LibraryVersion> library_versions();

}  // namespace apf
