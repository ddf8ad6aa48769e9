#include "classify/kubectl_commands.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace apf {

namespace {

// RESOURCE and NAME stand for the words of the command; POD for the pod that it is about.
struct KubectlCommand {
  std::string_view name, requests;
};

// The requests for objects that a command makes, by kubectl's documentation: those for discovery and for OpenAPI
// documents, which most commands make as well, are left out. WebSockets took the place of SPDY in 1.31: GET instead of
// POST.
constexpr KubectlCommand kCommands[] = {
    {"annotate", "'get RESOURCE NAME' and 'patch RESOURCE NAME'"},
    {"apply",
     "'get RESOURCE NAME' for each object, then 'patch RESOURCE NAME', or 'create RESOURCE' for a new one; with "
     "--server-side, 'patch RESOURCE NAME' alone"},
    {"api-resources", "'get /api' and 'get /apis'"},
    {"api-versions", "'get /api' and 'get /apis'"},
    {"attach",
     "'get pods POD', then 'get pods/attach POD' (WebSocket, since kubectl 1.31) or 'create pods/attach POD' (before)"},
    {"auth", "'create selfsubjectaccessreviews' (can-i) or 'create selfsubjectreviews' (whoami)"},
    {"autoscale", "'get RESOURCE NAME' and 'create horizontalpodautoscalers'"},
    {"certificate",
     "'get certificatesigningrequests NAME' and 'update certificatesigningrequests/approval "
     "NAME'"},
    {"cluster-info", "'list services -n kube-system'"},
    {"cordon", "'get nodes NAME' and 'patch nodes NAME'"},
    {"cp",
     "'get pods POD', then 'get pods/exec POD' (WebSocket, since kubectl 1.31) or 'create pods/exec POD' (before)"},
    {"debug",
     "'get pods POD' and 'patch pods/ephemeralcontainers POD'; for a node, or with --copy-to, 'create pods' in place "
     "of "
     "the patch"},
    {"describe", "'get RESOURCE NAME' and 'list events'; without a name, 'list RESOURCE' before"},
    {"diff", "'get RESOURCE NAME' and, as a dry run, 'patch RESOURCE NAME', or 'create RESOURCE' for a new one"},
    {"drain",
     "'get nodes NAME', 'patch nodes NAME' and 'list pods', then for each pod 'create pods/eviction POD' and 'get pods "
     "POD'"},
    {"edit", "'get RESOURCE NAME' and 'patch RESOURCE NAME'"},
    {"events", "'list events'; with --watch, 'watch events'"},
    {"exec",
     "'get pods POD', then 'get pods/exec POD' (WebSocket, since kubectl 1.31) or 'create pods/exec POD' (before)"},
    {"expose", "'get RESOURCE NAME' and 'create services'"},
    {"label", "'get RESOURCE NAME' and 'patch RESOURCE NAME'"},
    {"logs", "'get pods POD' and 'get pods/log POD'"},
    {"port-forward",
     "'get pods POD', then 'get pods/portforward POD' (WebSocket, since kubectl 1.31) or 'create pods/portforward POD' "
     "(before)"},
    {"replace",
     "'get RESOURCE NAME' and 'update RESOURCE NAME'; with --force, 'delete RESOURCE NAME' and 'create RESOURCE'"},
    {"rollout",
     "'get deployments' with a name, and 'patch deployments' to restart it; 'list' and 'watch deployments' for its "
     "status"},
    {"run", "'create pods'"},
    {"scale", "'get RESOURCE NAME' and 'patch RESOURCE/scale NAME'"},
    {"set", "'get' and 'patch' of the object"},
    {"taint", "'get nodes NAME' and 'patch nodes NAME'"},
    {"top",
     "'list pods.metrics.k8s.io', or 'list nodes.metrics.k8s.io' and 'list nodes'; for one object, 'get' in place of "
     "'list'"},
    {"uncordon", "'get nodes NAME' and 'patch nodes NAME'"},
    {"version", "'get /version'"},
    {"wait", "'get RESOURCE NAME', then 'list RESOURCE' and 'watch RESOURCE' of that name"},
};

void replace_all(std::string& text, std::string_view word, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
}

}  // namespace

std::string requests_of_kubectl(std::string_view command, std::string_view resource, std::string_view name) {
  const auto* const known = std::find_if(std::begin(kCommands), std::end(kCommands),
                                         [&](const KubectlCommand& row) { return row.name == command; });
  if (known == std::end(kCommands)) return {};
  std::string requests(known->requests);
  const auto says = [&](std::string_view word) { return requests.find(word) != std::string::npos; };
  const bool of_node = says("nodes NAME"), of_pod = says("POD") && !of_node;
  if (const std::size_t slash = resource.find('/'); name.empty() && slash != std::string_view::npos) {
    name = resource.substr(slash + 1);
    resource = resource.substr(0, slash);
  } else if (name.empty() && (of_pod || of_node)) {  // kubectl logs POD, kubectl drain NODE
    name = std::exchange(resource, {});
  }
  // Only kubectl finds the pod of a Deployment.
  const bool is_pod = resource.empty() || resource == "pods" || resource == "pod" || resource == "po";
  if (of_pod && is_pod && !name.empty()) replace_all(requests, "POD", name);
  if (!resource.empty()) replace_all(requests, "RESOURCE", resource);
  if (!name.empty()) replace_all(requests, "NAME", name);
  return "kubectl " + std::string(command) + " sends " + requests;
}

}  // namespace apf
