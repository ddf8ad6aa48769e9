// Counts a log's requests for findings. Each finding's object is cut down to what its field names; what is left is
// asked whether it matches, user by user, so that most requests are compared with few of them.
#include "lint/traffic.h"

#include <apf/classify.h>
#include <apf/config.h>
#include <apf/lint.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "classify/dialect.h"
#include "classify/flow_schema.h"
#include "lint/rule.h"

namespace apf {

namespace {

// Users whose subjects are remembered; with more, all are forgotten and looked up again.
constexpr std::size_t kMostUsers = 4096;

// What is left of a field path: take_name(".resources") and take_index() eat from its front.
class PathRest {
 public:
  explicit PathRest(std::string_view path) : rest_(path) {}
  bool take_name(std::string_view name) {
    if (!rest_.starts_with(name)) return false;
    const std::string_view after = rest_.substr(name.size());
    if (!after.empty() && after.front() != '.' && after.front() != '[') return false;
    rest_ = after;
    return true;
  }
  std::optional<std::size_t> take_index(std::size_t below) {
    if (!rest_.starts_with('[')) return std::nullopt;
    std::size_t index = 0;
    const char* const end = rest_.data() + rest_.size();
    const auto [at, error] = std::from_chars(rest_.data() + 1, end, index);
    if (error != std::errc() || at == end || *at != ']' || index >= below) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(at + 1 - rest_.data()));
    return index;
  }

 private:
  std::string_view rest_;
};

// Cuts a list down to the element that the path names; true if it names one.
template <class Element>
bool keep_named(PathRest& path, std::string_view list_name, std::vector<Element>& list) {
  if (!path.take_name(list_name)) return false;
  const std::optional<std::size_t> index = path.take_index(list.size());
  if (!index) return false;
  list = {list[*index]};
  return true;
}

// "*" means any text only if it is alone in its list; otherwise it is a text like any other.
void keep_entry(PathRest& path, std::string_view list_name, std::vector<std::string>& list) {
  const bool is_literal = list.size() > 1;
  if (keep_named(path, list_name, list) && is_literal && list.front() == "*") list.emplace_back("*");
}

void narrow(PolicyRule& rule, PathRest path) {
  if (keep_named(path, ".subjects", rule.subjects)) return;
  if (keep_named(path, ".nonResourceRules", rule.non_resource_rules)) {
    NonResourceRule& part = rule.non_resource_rules.front();
    rule.resource_rules.clear();
    keep_entry(path, ".verbs", part.verbs);
    keep_named(path, ".nonResourceURLs", part.urls);
    return;
  }
  if (!keep_named(path, ".resourceRules", rule.resource_rules)) return;
  ResourceRule& part = rule.resource_rules.front();
  rule.non_resource_rules.clear();
  keep_entry(path, ".verbs", part.verbs);
  keep_entry(path, ".apiGroups", part.api_groups);
  keep_entry(path, ".resources", part.resources);
  if (path.take_name(".clusterScope")) part.namespaces.clear();
  const bool is_literal = part.namespaces.size() > 1;
  if (!keep_named(path, ".namespaces", part.namespaces)) return;
  if (is_literal && part.namespaces.front() == "*") part.namespaces.emplace_back("*");
  part.cluster_scope = false;
}

FlowSchema narrowed(FlowSchema schema, std::string_view field) {
  PathRest path(field);
  if (path.take_name("spec") && keep_named(path, ".rules", schema.rules)) narrow(schema.rules.front(), path);
  schema.meta = {};
  return schema;
}

template <class Object>
const Object* object_of(const std::vector<Object>& objects, const Diagnostic& finding) {
  const Object* found = nullptr;
  for (const Object& object : objects) {
    if (object.meta.name != finding.object_name) continue;
    found = &object;  // the last one is used, but for a finding about another of the same name
    if (object.meta.source.document == finding.document && object.meta.source.file == finding.span.file) break;
  }
  return found;
}

}  // namespace

struct TrafficCounter::Impl {
  explicit Impl(const Config& effective) : classifier(effective) {}

  // What findings have in common that are at the same field of the same object.
  struct Watched {
    FlowSchema schema;     // only what the field names
    std::uint32_t number;  // of the classifier's; UINT32_MAX: it is not consulted
    std::uint64_t requests = 0, taken = 0;
  };
  struct OfUser {
    std::shared_ptr<const Classifier::Candidates> candidates;
    std::vector<std::uint32_t> watched;  // that have a subject for this user
  };

  Classifier classifier;
  std::vector<Watched> watched;
  std::vector<std::uint64_t> of_level;                                      // by the classifier's number
  std::vector<std::optional<std::size_t>> watched_by, level_by;             // by finding
  std::vector<std::optional<std::pair<std::size_t, std::size_t>>> rule_by;  // by finding: audit policy and rule
  std::vector<AuditPolicy> policies;
  std::vector<std::vector<std::uint64_t>> of_rule;  // by policy and rule; the last: no rule
  std::unordered_map<std::string, OfUser> users;
  std::uint64_t requests = 0;
  std::string key;  // kept for its memory

  const OfUser& of(const User& user);
};

TrafficCounter::TrafficCounter(const LoadedConfig& loaded, std::span<const Diagnostic> findings, KubeVersion version,
                               const Config& added) {
  Config stored = loaded.config;
  apply_defaults(stored);
  impl_ = std::make_unique<Impl>(with_objects(with_builtins(stored, version, Builtins::all), added));
  std::unordered_map<std::string_view, std::uint32_t> schemas, levels;
  for (std::uint32_t i = 0; i < impl_->classifier.schemas().size(); ++i)
    schemas.emplace(impl_->classifier.schemas()[i].name, i);
  for (std::uint32_t i = 0; i < impl_->classifier.levels().size(); ++i)
    levels.emplace(impl_->classifier.levels()[i].name, i);
  impl_->of_level.resize(levels.size());
  impl_->policies = loaded.audit_policies;
  for (const AuditPolicy& policy : impl_->policies) impl_->of_rule.emplace_back(policy.rules.size() + 1);
  // The policy of a finding about one of its rules, or about all of them.
  const auto policy_rule = [&](const Diagnostic& finding) -> std::optional<std::pair<std::size_t, std::size_t>> {
    for (std::size_t i = 0; i < impl_->policies.size(); ++i) {
      const AuditPolicy& policy = impl_->policies[i];
      if (policy.meta.source.file != finding.span.file || policy.meta.source.document != finding.document) continue;
      PathRest path(finding.field);
      if (!path.take_name("rules")) return std::nullopt;
      return std::pair(i, path.take_index(policy.rules.size()).value_or(policy.rules.size()));
    }
    return std::nullopt;
  };
  std::map<std::pair<const FlowSchema*, std::string>, std::size_t> known;
  for (const Diagnostic& finding : findings) {
    std::optional<std::size_t>& watched_by = impl_->watched_by.emplace_back();
    std::optional<std::size_t>& level_by = impl_->level_by.emplace_back();
    auto& rule_by = impl_->rule_by.emplace_back();
    if (!is_checked(finding.code)) continue;
    if (finding.kind == "Policy") rule_by = policy_rule(finding);
    if (finding.kind == "PriorityLevelConfiguration" || finding.kind == "RequestPriority") {
      if (const auto level = levels.find(finding.object_name); level != levels.end()) level_by = level->second;
    } else if (finding.kind == "FlowSchema") {
      const FlowSchema* const schema = object_of(stored.flow_schemas, finding);
      if (!schema) continue;
      const auto [at, is_new] = known.try_emplace({schema, finding.field}, impl_->watched.size());
      if (is_new) {
        const auto number = schemas.find(finding.object_name);
        impl_->watched.push_back(
            {narrowed(*schema, finding.field), number == schemas.end() ? UINT32_MAX : number->second});
      }
      watched_by = at->second;
    }
  }
}

TrafficCounter::~TrafficCounter() = default;

const TrafficCounter::Impl::OfUser& TrafficCounter::Impl::of(const User& user) {
  key = user.name;
  for (const std::string& group : user.groups) (key += '\n') += group;
  if (const auto found = users.find(key); found != users.end()) return found->second;
  if (users.size() >= kMostUsers) users.clear();
  OfUser& out = users[key];
  out.candidates = classifier.candidates(user);
  for (std::uint32_t i = 0; i < watched.size(); ++i) {
    const std::vector<PolicyRule>& rules = watched[i].schema.rules;
    const bool some =
        has_predicate(watched[i].schema) || std::any_of(rules.begin(), rules.end(), [&](const PolicyRule& rule) {
          return std::any_of(rule.subjects.begin(), rule.subjects.end(),
                             [&](const Subject& subject) { return subject_matches(subject, user); });
        });
    if (some) out.watched.push_back(i);
  }
  return out;
}

void TrafficCounter::count(const RequestInfo& info, const User& user) {
  const Impl::OfUser& of_user = impl_->of(user);
  ++impl_->requests;
  const Classifier::Match match = impl_->classifier.match(info, *of_user.candidates);
  ++impl_->of_level[impl_->classifier.schemas()[match.schema].level];
  for (std::size_t i = 0; i < impl_->policies.size(); ++i) {
    const auto rule = audit_verdict(impl_->policies[i], info, user).rule;
    ++impl_->of_rule[i][rule.value_or(impl_->policies[i].rules.size())];
  }
  for (const std::uint32_t i : of_user.watched) {
    Impl::Watched& watched = impl_->watched[i];
    if (!matches_flow_schema(watched.schema, info, user)) continue;
    ++watched.requests;
    watched.taken += watched.number == match.schema;
  }
}

std::vector<std::optional<Traffic>> TrafficCounter::result() const {
  std::vector<std::optional<Traffic>> out(impl_->watched_by.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (const auto at = impl_->watched_by[i]) {
      out[i] = Traffic{impl_->watched[*at].requests, impl_->watched[*at].taken, impl_->requests};
    } else if (const auto level = impl_->level_by[i]) {
      out[i] = Traffic{impl_->of_level[*level], impl_->of_level[*level], impl_->requests};
    } else if (const auto rule = impl_->rule_by[i]) {
      const std::uint64_t requests = impl_->of_rule[rule->first][rule->second];
      out[i] = Traffic{requests, requests, impl_->requests};
    }
  }
  return out;
}

}  // namespace apf
