#include "lint/nested.h"

#include <algorithm>

#include "base/api_groups.h"

namespace apf {

namespace {

constexpr Nanos kLongest = Nanos{65} * 1'000'000'000;  // a request is cut off after a minute
constexpr std::size_t kMostRecent = 100'000, kMostFound = 256;

// Service accounts whose servers the API server calls while it serves a request.
constexpr std::string_view kServers[] = {
    "webhook",        "admission",  "gatekeeper",      "kyverno",           "istiod",
    "metrics-server", "-apiserver", "metrics-adapter", "metrics-apiserver", "prometheus-adapter"};
constexpr std::string_view kAccount = "system:serviceaccount:";

bool is_deletion(const RequestInfo& request) { return request.verb == "delete" || request.verb == "deletecollection"; }

std::string key_of(const LoggedRequest& inner, const LoggedRequest& outer) {
  const auto what = [](const LoggedRequest& logged) {
    const RequestInfo& info = logged.request.info;
    return logged.user.name + '\n' + info.verb + '\n' + info.api_group + '\n' + info.resource + '\n';
  };
  return what(inner) + what(outer);
}

}  // namespace

InnerKind inner_kind(const RequestInfo& request, const std::string& user) {
  if (!request.is_resource_request) return InnerKind::none;
  const bool review = request.resource == "tokenreviews" || request.resource == "subjectaccessreviews" ||
                      request.resource == "localsubjectaccessreviews";
  if (review && request.verb == "create") return InnerKind::review;
  if (user == "system:serviceaccount:kube-system:generic-garbage-collector" ||
      user == "system:serviceaccount:kube-system:namespace-controller")
    return InnerKind::collector;
  if (!user.starts_with(kAccount)) return InnerKind::none;
  const std::string_view name = std::string_view(user).substr(user.rfind(':') + 1);
  const bool server = std::any_of(std::begin(kServers), std::end(kServers),
                                  [&](std::string_view word) { return name.find(word) != name.npos; });
  return server ? InnerKind::server : InnerKind::none;
}

bool can_cause(const RequestInfo& outer, InnerKind kind) {
  if (!outer.is_resource_request || is_long_running(outer)) return false;
  // Groups of Kubernetes' own are served by kube-apiserver itself; of others it may pass requests on.
  const bool passed_on = !is_own_group(outer.api_group);
  switch (kind) {
    case InnerKind::review:
      return passed_on || is_mutating(outer);
    case InnerKind::server:
      return passed_on || is_mutating(outer);
    case InnerKind::collector:
      return is_deletion(outer);
    case InnerKind::none:
      return false;
  }
  return false;
}

void NestedRequests::add(const LoggedRequest& logged) {
  if (!logged.arrival || !logged.end || *logged.end <= *logged.arrival || !logged.error.empty()) return;
  const Nanos arrival = *logged.arrival, end = *logged.end;
  while (!recent_.empty() && (recent_.front().end < end - kLongest || recent_.size() > kMostRecent))
    recent_.pop_front();
  const InnerKind kind = inner_kind(logged.request.info, logged.user.name);
  if (kind != InnerKind::none) {
    recent_.push_back({arrival, end, kind, logged});
    return;
  }
  if (end - arrival > kLongest) return;
  for (auto inner = recent_.rbegin(); inner != recent_.rend() && inner->end > arrival; ++inner) {
    if (inner->arrival < arrival || inner->end > end) continue;
    if (inner->logged.user.name == logged.user.name || !can_cause(logged.request.info, inner->kind)) continue;
    const std::string key = key_of(inner->logged, logged);
    const auto at = found_.find(key);
    if (at != found_.end()) {
      ++at->second.count;
    } else if (found_.size() < kMostFound) {
      found_.emplace(key, LintOptions::Nested{inner->logged.user, inner->logged.request.info, logged.user,
                                              logged.request.info, 1});
    }
  }
}

std::vector<LintOptions::Nested> NestedRequests::take() {
  std::vector<LintOptions::Nested> out;
  for (auto& [key, nested] : found_) out.push_back(std::move(nested));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  return out;
}

}  // namespace apf
