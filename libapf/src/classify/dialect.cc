#include "classify/dialect.h"

#include <utility>

#include "base/hash.h"
#include "classify/kep/explain.h"
#include "classify/kep/match.h"
#include "config/kep/pattern.h"

namespace apf {

namespace {

class KepMatcher final : public UserMatcher {
 public:
  KepMatcher(const std::vector<Classifier::Schema>& schemas, const User& user) : candidates_(schemas, user) {}

  std::uint32_t match(const RequestInfo& request, std::uint32_t otherwise) const override {
    return candidates_.match(kep_input(request, candidates_.user().name), otherwise);
  }
  std::uint32_t match(const RequestView& request, std::uint32_t otherwise) const override {
    return candidates_.match(kep_input(request, candidates_.user().name), otherwise);
  }

 private:
  KepCandidates candidates_;
};

}  // namespace

std::unique_ptr<const UserMatcher> user_matcher(const std::vector<Classifier::Schema>& schemas, const User& user) {
  if (schemas.empty() || !has_predicate(schemas.front().object)) return nullptr;
  return std::make_unique<const KepMatcher>(schemas, user);
}

bool has_predicate(const FlowSchema& schema) { return schema.kep != nullptr; }

bool predicate_matches(const FlowSchema& schema, const RequestInfo& info, const User& user) {
  return kep_matches(*schema.kep, kep_input(info, user.name), user.groups);
}

void explain_predicate(const FlowSchema& schema, const RequestInfo& info, const User& user, TraceEntry& out) {
  explain_kep_schema(schema, info, user, out);
}

bool is_backstop(const FlowSchema& schema) { return schema.kep && schema.kep->backstop; }

bool has_partial_distinguisher(const FlowSchema& schema) { return schema.kep && schema.kep->transformation; }

std::string_view distinguisher_part(const Classifier::Schema& schema, std::string_view attribute) {
  return schema.object.kep->transformation->capture(attribute);
}

std::string explain_distinguisher(const Classifier::Schema& schema, const RequestInfo& info, const User& user) {
  return explain_kep_distinguisher(schema, info, user);
}

const Config& in_force(const Config& config, Config& storage) {
  if (!is_kep(config)) return config;
  storage = kep_in_force(config);
  return storage;
}

bool last_matches_all(const Config& config) { return is_kep(config); }

bool imagines_mandatory_levels(const Config& config) { return !is_kep(config); }

bool looks_at_all_fields(const Classifier& classifier) {
  return !classifier.schemas().empty() && has_predicate(classifier.schemas().front().object);
}

std::uint64_t hash_other_fields(const RequestView& request, std::uint64_t hash) {
  return hash_bytes(request.f.path, hash_bytes(request.f.name, hash_bytes(request.f.api_version, hash)));
}

}  // namespace apf
