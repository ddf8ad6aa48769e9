// Whether the lines of one log come from several servers, where the lines say who wrote them.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/hash.h"

namespace apf {

// A kube-apiserver renews the lease with its own name, and does so through itself: the log of one server has one name
// at a time. As an origin of the odd kind; 0: it is no such renewal.
inline std::uint32_t server_of_lease(std::string_view uri, std::string_view agent) {
  constexpr std::string_view kLeases = "/namespaces/kube-system/leases/";
  const std::size_t at = agent.starts_with("kube-apiserver/") ? uri.find(kLeases) : std::string_view::npos;
  if (at == std::string_view::npos) return 0;
  std::string_view name = uri.substr(at + kLeases.size());
  name = name.substr(0, name.find_first_of("/?"));
  if (!name.starts_with("apiserver-") && !name.starts_with("kube-apiserver-")) return 0;
  return static_cast<std::uint32_t>(hash_bytes(name)) | 1;
}

class Origins {
 public:
  // The last lines of a process and the first ones of the next may be mixed, too.
  static constexpr std::uint64_t kRestart = 10;

  // Origins of a file in the order in which they change. Of klog (odd) it is the process, of which a restart brings a
  // new one, once; coming back to one that was left before is what only a mixture does. What records and prefixes say
  // beside audit events (even) names the server itself.
  void add(std::uint32_t file, const std::vector<std::uint32_t>& origins) {
    if (file != file_) {
      seen_.clear();
      servers_.clear();
    }
    file_ = file;
    for (const std::uint32_t origin : origins) {
      if ((origin & 1) == 0) {
        servers_.insert(origin);
        several_ = several_ || servers_.size() > 1;
        continue;
      }
      if (origin == current_ && !seen_.empty()) continue;
      if (!seen_.insert(origin).second) ++returns_;
      current_ = origin;
    }
  }
  bool mixed() const { return several_ || returns_ > kRestart; }

 private:
  std::uint32_t file_ = 0, current_ = 0;
  std::unordered_set<std::uint32_t> seen_, servers_;
  std::uint64_t returns_ = 0;
  bool several_ = false;
};

}  // namespace apf
