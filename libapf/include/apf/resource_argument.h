// A request named as kubectl names one: "list deployments.apps/scale -n ci web".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <apf/remark.h>
#include <apf/request.h>
#include <apf/version.h>

namespace apf {

struct NamedRequest {
  ParsedRequest request;
  std::string method, uri;    // the HTTP request it stands for
  std::vector<Remark> notes;  // what was guessed or ignored
};

// `resource`: RESOURCE[.VERSION][.GROUP][/SUBRESOURCE]; a resource that Kubernetes has built in may go without its
// group, in the plural, the singular or kubectl's short form. An empty `ns` is no namespace: all of them, or a
// cluster-scoped object. Throws Error for a verb that no resource request can have.
APF_API NamedRequest name_request(std::string_view verb, std::string_view resource, std::string_view name,
                                  std::string_view ns);

}  // namespace apf
