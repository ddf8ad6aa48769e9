#include "base/identities.h"

namespace apf {

std::string short_name_of(const std::string& user) {
  if (user.starts_with(kNodePrefix)) return "node:" + user.substr(kNodePrefix.size());
  const std::size_t colon = user.find(':', kServiceAccountPrefix.size());
  if (!user.starts_with(kServiceAccountPrefix) || colon == std::string::npos) return user;
  const std::size_t begin = kServiceAccountPrefix.size();
  return "sa:" + user.substr(begin, colon - begin) + "/" + user.substr(colon + 1);
}

}  // namespace apf
