#include "replay/prepare/endpoint.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace apf {

namespace {

constexpr std::pair<std::string_view, std::string_view> kMetricVerbs[] = {
    {"get", "GET"},    {"list", "LIST"},   {"watch", "WATCH"},     {"create", "POST"},
    {"update", "PUT"}, {"patch", "PATCH"}, {"delete", "DELETE"},   {"post", "POST"},
    {"put", "PUT"},    {"head", "HEAD"},   {"options", "OPTIONS"}, {"deletecollection", "DELETECOLLECTION"},
};
// Streams: whatever the method, they are connections.
constexpr std::array<std::string_view, 5> kConnections = {"attach", "exec", "log", "portforward", "proxy"};
// The paths without a resource of which the server counts requests.
constexpr std::array<std::string_view, 4> kCountedPaths = {"/healthz", "/livez", "/metrics", "/readyz"};

std::string metric_verb_of(const RequestView::Fields& f) {
  if (f.is_resource && std::find(kConnections.begin(), kConnections.end(), f.subresource) != kConnections.end())
    return "CONNECT";
  const auto* found =
      std::find_if(std::begin(kMetricVerbs), std::end(kMetricVerbs), [&](const auto& v) { return v.first == f.verb; });
  return found == std::end(kMetricVerbs) ? "other" : std::string(found->second);
}

std::string scope_of(const RequestView::Fields& f) {
  if (!f.name.empty() || f.verb == "create") return "resource";
  if (!f.ns.empty()) return "namespace";
  return f.is_resource ? "cluster" : "";
}

}  // namespace

Endpoint endpoint_of(const RequestView& view) {
  const RequestView::Fields& f = view.f;
  Endpoint out;
  out.verb = metric_verb_of(f);
  out.scope = scope_of(f);
  if (f.is_resource) {
    out.group = f.api_group;
    out.version = f.api_version;
    out.resource = f.resource;
    out.subresource = f.subresource;
    return out;
  }
  for (const std::string_view path : kCountedPaths)
    if (f.path == path || (f.path.starts_with(path) && f.path[path.size()] == '/')) out.subresource = path;
  return out;
}

}  // namespace apf
