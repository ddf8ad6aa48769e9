#include "base/identities.h"

#include <algorithm>
#include <iterator>

namespace apf {

bool is_control_plane(std::string_view user) {
  constexpr std::string_view kControlPlane[] = {kNodePrefix, "system:kube-", "system:apiserver",
                                                "system:serviceaccount:kube-system:"};
  return std::any_of(std::begin(kControlPlane), std::end(kControlPlane),
                     [&](std::string_view begins) { return user.starts_with(begins); });
}

std::string short_name_of(const std::string& user) {
  if (user.starts_with(kNodePrefix)) return "node:" + user.substr(kNodePrefix.size());
  const std::size_t colon = user.find(':', kServiceAccountPrefix.size());
  if (!user.starts_with(kServiceAccountPrefix) || colon == std::string::npos) return user;
  const std::size_t begin = kServiceAccountPrefix.size();
  return "sa:" + user.substr(begin, colon - begin) + "/" + user.substr(colon + 1);
}

}  // namespace apf
