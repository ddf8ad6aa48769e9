#include "flags/assumptions.h"

#include <fmt/core.h>

#include <apf/request_words.h>

namespace apfctl {

std::string text_of(const Assumption& assumption) {
  return assumption.message + (assumption.hint.empty() ? "" : " (" + assumption.hint + ")");
}

Assumption user_not_named() { return {"user-not-named", "no user is named", "use --as to name one"}; }

std::optional<Assumption> administrator_meant(const std::string& name, const apf::User& admin) {
  if (name != apf::kAdministrator) return std::nullopt;
  const std::string who = fmt::format("admin is {} in {}", admin.name, admin.groups.front());
  if (admin.groups.front() == "system:masters") return Assumption{"administrator", who + ", which is exempt", ""};
  return Assumption{"administrator",
                    who +
                        ", as admin.conf of kubeadm since 1.29; super-admin.conf (kubernetes-super-admin in "
                        "system:masters) is the one that is exempt",
                    ""};
}

Assumption only_built_in_objects(const std::string& release) {
  return {"built-in-objects", "only the built-in objects of Kubernetes " + release + " were asked",
          "use -f to name a configuration"};
}

std::optional<Assumption> name_missing(const apf::RequestInfo& request) {
  if (!apf::lacks_name(request)) return std::nullopt;
  const std::string& resource = request.resource;
  if (request.verb == "get")
    return Assumption{"name-missing", "read as a get of one object, as no name is given",
                      fmt::format("'kubectl get {0}' is a list: write list {0}", resource)};
  return Assumption{"name-missing", "read as the delete of one object, as no name is given",
                    fmt::format("for all of them at once, write deletecollection {}", resource)};
}

}  // namespace apfctl
