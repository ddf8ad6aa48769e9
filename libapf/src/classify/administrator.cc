// apf::administrator(), and what is known of requests that only words can have.
#include <apf/request_words.h>

#include "base/releases.h"

namespace apf {

namespace {

// Of kubeadm: admin.conf is in kubeadm:cluster-admins, super-admin.conf in system:masters (KEP-4214).
constexpr Releases kClusterAdmins{.first_minor = 29};

}  // namespace

User administrator(KubeVersion release, std::string_view preset) {
  const bool by_kubeadm = preset.empty() || preset == "kubeadm";
  const bool limited = by_kubeadm && kClusterAdmins.contain(release);
  return {"kubernetes-admin", {limited ? "kubeadm:cluster-admins" : "system:masters"}};
}

bool lacks_name(const RequestInfo& request) {
  return request.is_resource_request && !request.resource.empty() && request.name.empty() &&
         request.subresource.empty() && (request.verb == "get" || request.verb == "delete");
}

}  // namespace apf
