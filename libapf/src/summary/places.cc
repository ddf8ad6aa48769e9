#include "summary/places.h"

#include <string>
#include <string_view>

#include "base/hash.h"
#include "logs/traced_info.h"

namespace apf {

namespace {

constexpr std::size_t kMostPlaces = 1u << 18;

std::uint64_t hash_of(const User& user) {
  std::uint64_t hash = hash_bytes(user.name, 1);
  for (const std::string& group : user.groups) hash = hash_bytes(group, hash);
  return hash;
}

}  // namespace

Places::Place Places::of(const TracedRequest& traced, std::uint32_t what) {
  const auto& f = traced.view.f;
  const User& user = traced.request.user;
  std::uint64_t key = mix64(traced.user == 0 ? hash_of(user) : traced.user, 0x9e3779b97f4a7c15ULL + what);
  if (what == Names::kOthers)
    for (const std::string_view part : {f.verb, f.resource, f.subresource, f.api_group})
      key = hash_bytes(part, key + 1);
  key = hash_bytes(f.is_resource ? f.ns : f.path, key + 1);
  if (f.is_resource && f.name == "*") key = 0;  // never seen
  if (known_.size() >= kMostPlaces) known_.clear();
  const auto [at, is_new] = known_.try_emplace(key);
  if (is_new) at->second = classify(traced.request);
  return at->second;
}

Places::Place Places::classify(const TraceRequest& request) {
  const Classifier::Match match = classifier_->match(info_of(request, parsed_), request.user);
  const Classifier::Schema& schema = classifier_->schemas()[match.schema];
  return {names_.schemas.id(schema.name), names_.levels.id(classifier_->levels()[schema.level].name)};
}

}  // namespace apf
