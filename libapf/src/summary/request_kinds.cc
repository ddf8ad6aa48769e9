#include "summary/request_kinds.h"

#include <string_view>

#include "base/hash.h"

namespace apf {
namespace {

constexpr std::string_view kDiscovery = "/apis (discovery)";

// /api, /apis, /openapi, and what is below them and is no resource.
bool is_discovery(const RequestView::Fields& f) {
  if (f.is_resource) return false;
  for (const std::string_view root : {"/api", "/apis", "/openapi"})
    if (f.path.starts_with(root) && (f.path.size() == root.size() || f.path[root.size()] == '/')) return true;
  return false;
}

}  // namespace

RequestKinds::Kind RequestKinds::of(const RequestView::Fields& f) {
  const bool discovery = is_discovery(f);
  std::uint64_t key = hash_bytes(f.verb, f.is_resource ? 1 : 2);
  key = hash_bytes(discovery ? kDiscovery : f.is_resource ? f.resource : f.path, key);
  if (f.is_resource) key = hash_bytes(f.subresource, hash_bytes(f.api_group, key));
  if (key == last_key_) return last_;
  last_key_ = key;
  if (const auto at = known_.find(key); at != known_.end()) return last_ = at->second;
  last_ = name(f, discovery);
  if (known_.size() < Names::kMost) known_.emplace(key, last_);
  return last_;
}

RequestKinds::Kind RequestKinds::name(const RequestView::Fields& f, bool discovery) {
  text_.assign(discovery ? kDiscovery : f.is_resource ? f.resource : f.path);
  if (f.is_resource && !f.api_group.empty()) text_.append(".").append(f.api_group);
  if (f.is_resource && !f.subresource.empty()) text_.append("/").append(f.subresource);
  Kind out;
  out.verb = names_.verbs.id(f.verb);
  out.resource = names_.resources.id(text_);
  out.request = names_.requests.id(text_.insert(0, " ").insert(0, f.verb));
  return out;
}

}  // namespace apf
