#include "lint/nested.h"

#include <algorithm>

#include "base/api_groups.h"
#include "base/sort_stably.h"

namespace apf {

namespace {

constexpr std::size_t kMostRunning = 20'000, kMostKeys = 4096;

// Service accounts whose servers the API server calls while it serves a request.
constexpr std::string_view kServers[] = {
    "webhook",        "admission",  "gatekeeper",      "kyverno",           "istiod",
    "metrics-server", "-apiserver", "metrics-adapter", "metrics-apiserver", "prometheus-adapter"};
constexpr std::string_view kAccount = "system:serviceaccount:";
// Under that name, the server asks aggregated API servers.
constexpr std::string_view kAggregator = "system:kube-aggregator";

std::string key_of(const RequestInfo& info, const std::string& user) {
  return user + '\n' + info.verb + '\n' + info.api_group + '\n' + info.resource + '\n' + info.subresource;
}

}  // namespace

bool is_review(std::string_view resource) {
  return resource == "tokenreviews" || resource == "subjectaccessreviews" || resource == "localsubjectaccessreviews";
}

InnerKind inner_kind(const RequestInfo& request, const std::string& user) {
  if (!request.is_resource_request) return InnerKind::none;
  if (is_review(request.resource) && request.verb == "create") return InnerKind::review;
  if (user == "system:serviceaccount:kube-system:generic-garbage-collector" ||
      user == "system:serviceaccount:kube-system:namespace-controller")
    return InnerKind::collector;
  if (user == kAggregator) return InnerKind::server;
  if (!user.starts_with(kAccount)) return InnerKind::none;
  const std::string_view name = std::string_view(user).substr(user.rfind(':') + 1);
  const bool server = std::any_of(std::begin(kServers), std::end(kServers),
                                  [&](std::string_view word) { return name.find(word) != name.npos; });
  return server ? InnerKind::server : InnerKind::none;
}

bool can_cause(const RequestInfo& outer, InnerKind kind) {
  if (!outer.is_resource_request || is_long_running(outer) || is_review(outer.resource)) return false;
  switch (kind) {
    case InnerKind::review:
    case InnerKind::server:
      // Groups of Kubernetes' own are served by kube-apiserver itself; of others it may pass requests on.
      return is_mutating(outer) || !is_own_group(outer.api_group);
    case InnerKind::collector:
      return outer.verb == "delete" || outer.verb == "deletecollection";
    case InnerKind::none:
      break;
  }
  return false;
}

void NestedRequests::add(const RequestInfo& info, const User& user, Nanos arrival, Nanos end) {
  if (end <= arrival || user.name.empty()) return;
  Running request{arrival, end, {}, {}, {}, {}};
  const InnerKind kind = inner_kind(info, user.name);
  bool causes = false;
  for (const InnerKind of : {InnerKind::review, InnerKind::server, InnerKind::collector})
    causes |= request.causes[static_cast<std::size_t>(of)] = can_cause(info, of);
  if (kind == InnerKind::none && !causes) return;
  request.key = key_of(info, user.name);
  request.user = user;
  request.info = info;
  if (kind != InnerKind::none) count(request, kind);
  if (!causes) return;
  if (running_.size() >= keep_) {
    std::erase_if(running_, [&](const Running& outer) { return outer.end < arrival; });
    keep_ = std::max(keep_, 2 * running_.size());
  }
  if (running_.size() < kMostRunning) running_.push_back(std::move(request));
}

void NestedRequests::count(const Running& inner, InnerKind kind) {
  const auto all = inner_.find(inner.key);
  if (all != inner_.end()) ++all->second;
  else if (inner_.size() < kMostKeys) inner_.emplace(inner.key, 1);
  else return;
  within_.clear();
  for (const Running& outer : running_) {
    if (outer.end < inner.end || outer.arrival > inner.arrival || !outer.causes[static_cast<std::size_t>(kind)])
      continue;
    if (outer.end - outer.arrival == inner.end - inner.arrival || outer.user.name == inner.user.name) continue;
    if (std::find(within_.begin(), within_.end(), outer.key) != within_.end()) continue;
    within_.emplace_back(outer.key);
    const std::string key = inner.key + '\0' + outer.key;
    const auto at = found_.find(key);
    if (at != found_.end()) ++at->second.count;
    else if (found_.size() < kMostKeys)
      found_.emplace(key, LintOptions::Nested{inner.user, inner.info, outer.user, outer.info, 1, 0});
  }
}

std::vector<LintOptions::Nested> NestedRequests::take() {
  std::vector<LintOptions::Nested> out;
  for (auto& [key, nested] : found_) {
    nested.of = inner_.at(key.substr(0, key.find('\0')));
    out.push_back(std::move(nested));
  }
  sort_stably(out, [](const auto& a, const auto& b) { return a.count > b.count; });
  return out;
}

}  // namespace apf
