// The order of work of the plugin, and its messages.
#include "admission/quota_engine.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/go_quote.h"
#include "base/joined.h"

namespace apf {

const char* to_string(QuotaRefusal refusal) {
  switch (refusal) {
    case QuotaRefusal::none:
      break;
    case QuotaRefusal::exceeded:
      return "exceeded";
    case QuotaRefusal::must_specify:
      return "must-specify";
    case QuotaRefusal::status_unknown:
      return "status-unknown";
    case QuotaRefusal::negative:
      return "negative";
    case QuotaRefusal::no_old_object:
      return "no-old-object";
    case QuotaRefusal::not_covered:
      return "not-covered";
    case QuotaRefusal::scope_not_covered:
      return "scope-not-covered";
  }
  return "none";
}

namespace {

constexpr int kForbidden = 403;

bool is_ignored(const GroupResource& resource) {
  struct Row {
    std::string_view group, resource;
  };
  static constexpr Row kIgnored[] = {
      {"", "bindings"},
      {"", "componentstatuses"},
      {"", "events"},
      {"events.k8s.io", "events"},
      {"authentication.k8s.io", "tokenreviews"},
      {"authentication.k8s.io", "selfsubjectreviews"},
      {"authorization.k8s.io", "subjectaccessreviews"},
      {"authorization.k8s.io", "selfsubjectaccessreviews"},
      {"authorization.k8s.io", "localsubjectaccessreviews"},
      {"authorization.k8s.io", "selfsubjectrulesreviews"},
  };
  return std::any_of(std::begin(kIgnored), std::end(kIgnored),
                     [&](const Row& row) { return row.group == resource.group && row.resource == resource.resource; });
}

// One request against the quotas of its namespace.
class Check {
 public:
  Check(const QuotaRequest& request, QuotaVerdict& verdict) : request_(request), verdict_(verdict) {}

  // False: refused.
  bool find_quotas(const std::vector<QuotaState>& quotas, std::span<const std::size_t> numbers) {
    for (const std::size_t number : numbers) {
      const QuotaState& quota = quotas[number];
      for (const ScopeRequirement& scope : quota.scopes) {
        if (matches_scope(scope, *request_.object)) covered_scopes_.push_back(scope.scope_name);
      }
      if (!QuotaEngine::covers(quota, *request_.object)) continue;
      const std::vector<std::string_view> keys = matching_resources(quota.hard, *request_.object);
      if (!check_specified(quota, keys) || !check_counted(quota, keys)) return false;
      verdict_.matched.push_back(number);
      covered_.insert(covered_.end(), keys.begin(), keys.end());
    }
    return true;
  }

  bool check_sign() {
    std::vector<std::string_view> names;
    for (const auto& [name, amount] : request_.object->usage) {
      if (amount.sign() < 0) names.push_back(name);
    }
    return names.empty() ||
           forbid(QuotaRefusal::negative, {}, "quota usage is negative for resource(s): " + joined(names, ","));
  }

  // How much more each matching quota is to hold; false: refused.
  bool find_growth(const std::vector<QuotaState>& quotas) {
    const QuotaSubject& object = *request_.object;
    growth_.assign(verdict_.matched.size(), object.usage);
    UsageList without_quota = object.usage;
    if (request_.operation == QuotaOperation::update) {
      const QuotaSubject* old = request_.old;
      if (!old) {
        return forbid(QuotaRefusal::no_old_object, {},
                      "unable to get previous usage since prior version of object was not found");
      }
      if (old->has_resource_version) {  // else the update creates the object
        without_quota = growth(object.usage, old->usage);
        for (std::size_t i = 0; i < growth_.size(); ++i) {
          if (QuotaEngine::covers(quotas[verdict_.matched[i]], *old)) growth_[i] = without_quota;
        }
      }
    }
    without_quota.remove_zeros();
    grows_ = growth_.empty() && !without_quota.empty();
    for (UsageList& list : growth_) {
      list.remove_zeros();
      grows_ = grows_ || !list.empty();
    }
    return true;
  }
  bool grows() const { return grows_; }
  bool grows(std::size_t matched) const { return !growth_[matched].empty(); }

  bool check_limited(const std::vector<LimitedResource>& limited) {
    std::vector<std::string_view> names;
    for (const auto& [name, amount] : request_.object->usage) {
      if (amount.sign() > 0 && is_limited(limited, name) &&
          std::find(covered_.begin(), covered_.end(), name) == covered_.end()) {
        names.push_back(name);
      }
    }
    if (!names.empty()) {
      verdict_.uncovered_resources.assign(names.begin(), names.end());
      return forbid(QuotaRefusal::not_covered, {}, "insufficient quota to consume: " + joined(names, ","));
    }
    std::string scopes;
    for (const LimitedResource& entry : limited) {  // of any resource
      for (const ScopeRequirement& scope : entry.match_scopes) {
        if (!matches_scope(scope, *request_.object)) continue;
        if (std::find(covered_scopes_.begin(), covered_scopes_.end(), scope.scope_name) != covered_scopes_.end())
          continue;
        scopes += (scopes.empty() ? "" : " ") + scope_text(scope);
        verdict_.uncovered_scopes.push_back(scope);
      }
    }
    if (scopes.empty()) return true;
    verdict_.refusal = QuotaRefusal::scope_not_covered;
    verdict_.message = "insufficient quota to match these scopes: [" + scopes + "]";
    return false;
  }

  bool check_hard(const std::vector<QuotaState>& quotas) {
    sums_.resize(growth_.size());
    for (std::size_t i = 0; i < growth_.size(); ++i) {
      const QuotaState& quota = quotas[verdict_.matched[i]];
      UsageList requested = QuotaEngine::tracked_usage(quota.hard, growth_[i]);
      sums_[i] = quota.used;
      sums_[i].add(requested);
      if (request_.subresource == "status") continue;  // what has happened is not refused any more
      UsageList over, used, hard;
      for (const auto& [name, amount] : requested) {
        const Quantity& most = *quota.hard.find(name);
        if (*sums_[i].find(name) <= most) continue;
        over.set(name, amount);
        hard.set(name, most);
        if (const Quantity* before = quota.used.find(name)) used.set(name, *before);
        verdict_.exceeded.push_back({name, amount, quota.used.has(name) ? *quota.used.find(name) : Quantity(), most});
      }
      if (over.empty()) continue;
      return forbid(QuotaRefusal::exceeded, quota.name,
                    fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", quota.name,
                                usage_text(over), usage_text(used), usage_text(hard)));
    }
    return true;
  }
  std::vector<UsageList>& sums() { return sums_; }

 private:
  bool check_specified(const QuotaState& quota, const std::vector<std::string_view>& keys) {
    const QuotaSubject& object = *request_.object;
    if (object.pod_level_resources) return true;
    std::string text;
    std::string_view last;
    for (const auto& [key, container] : object.unspecified) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) continue;
      if (key == last) {
        text += ',';
      } else {
        text += fmt::format("{}{} for: ", text.empty() ? "" : "; ", key);
      }
      text += container;
      last = key;
    }
    return text.empty() || forbid(QuotaRefusal::must_specify, quota.name,
                                  fmt::format("failed quota: {}: must specify {}", quota.name, text));
  }

  bool check_counted(const QuotaState& quota, const std::vector<std::string_view>& keys) {
    const bool known = std::all_of(keys.begin(), keys.end(), [&](std::string_view key) { return quota.used.has(key); });
    return known || forbid(QuotaRefusal::status_unknown, quota.name,
                           fmt::format("status unknown for quota: {}, resources: {}", quota.name, joined(keys, ",")));
  }

  bool is_limited(const std::vector<LimitedResource>& limited, std::string_view name) const {
    return std::any_of(limited.begin(), limited.end(), [&](const LimitedResource& entry) {
      return entry.api_group == request_.object->resource.group &&
             entry.resource == request_.object->resource.resource &&
             std::any_of(entry.match_contains.begin(), entry.match_contains.end(),
                         [&](const std::string& part) { return name.find(part) != name.npos; });
    });
  }

  bool forbid(QuotaRefusal refusal, std::string quota, const std::string& reason) {
    const QuotaSubject& object = *request_.object;
    std::string_view name = request_.name;
    if (name.empty()) name = object.name;
    if (name.empty()) name = object.generate_name;
    if (name.empty()) name = "Unknown";
    verdict_.refusal = refusal;
    verdict_.code = kForbidden;
    verdict_.quota = std::move(quota);
    verdict_.message = fmt::format("{} {} is forbidden: {}", object.resource.str(), go_quote(name), reason);
    return false;
  }

  const QuotaRequest& request_;
  QuotaVerdict& verdict_;
  std::vector<std::string_view> covered_;
  std::vector<std::string> covered_scopes_;
  std::vector<UsageList> growth_, sums_;  // by matched quota
  bool grows_ = false;
};

}  // namespace

QuotaEngine::QuotaEngine(std::vector<QuotaState> quotas, std::vector<LimitedResource> limited)
    : quotas_(std::move(quotas)), limited_(std::move(limited)) {
  for (std::size_t i = 0; i < quotas_.size(); ++i) by_namespace_[quotas_[i].ns].push_back(i);
}

std::span<const std::size_t> QuotaEngine::quotas_of(std::string_view ns) const {
  const auto at = by_namespace_.find(ns);
  return at == by_namespace_.end() ? std::span<const std::size_t>() : std::span<const std::size_t>(at->second);
}

bool QuotaEngine::handles(const QuotaRequest& request, KubeVersion version) {
  const QuotaSubject& object = *request.object;
  if (object.resource.group == "extensions" && !is_tracked_key("count/" + object.resource.str(), version)) return false;
  if (request.ns.empty() || is_ignored(object.resource)) return false;
  if (object.resource == GroupResource{"", "namespaces"}) return false;
  const bool create = request.operation == QuotaOperation::create;
  const bool update = request.operation == QuotaOperation::update;
  switch (object.kind) {
    case QuotaKind::pods:
      if (request.subresource == "resize") return update;
      if (!request.subresource.empty()) return false;
      return create || (update && request.old && request.old->terminating != object.terminating);
    case QuotaKind::claims:
      if (request.subresource == "status") {
        return update && request.old &&
               (request.old->allocated_storage != object.allocated_storage ||
                request.old->attribute_classes != object.attribute_classes);
      }
      return request.subresource.empty() && (create || update);
    case QuotaKind::services:
    case QuotaKind::resource_claims:
      return request.subresource.empty() && (create || update);
    case QuotaKind::counted:
      break;
  }
  return create && request.subresource.empty();
}

UsageList QuotaEngine::tracked_usage(const UsageList& hard, const UsageList& usage) {
  UsageList out;
  for (const auto& [name, amount] : usage) {
    if (hard.has(name)) out.set(name, amount);
  }
  return out;
}

QuotaVerdict QuotaEngine::admit(const QuotaRequest& request) {
  QuotaVerdict verdict;
  verdict.evaluated = handles(request, version_);
  if (!verdict.evaluated) return verdict;
  const std::span<const std::size_t> numbers = quotas_of(request.ns);
  if (numbers.empty() && limited_.empty()) return verdict;

  Check check(request, verdict);
  if (!check.find_quotas(quotas_, numbers) || !check.check_sign() || !check.find_growth(quotas_)) return verdict;
  if (!check.grows()) return verdict;
  if (!check.check_limited(limited_) || !check.check_hard(quotas_)) return verdict;
  if (request.dry_run) return verdict;
  for (std::size_t i = 0; i < verdict.matched.size(); ++i) {
    if (check.grows(i)) verdict.charged.push_back(verdict.matched[i]);
    quotas_[verdict.matched[i]].used = std::move(check.sums()[i]);
  }
  return verdict;
}

UsageList QuotaEngine::recount(const QuotaState& quota, std::span<const QuotaSubject* const> objects) const {
  UsageList used;
  for (const auto& [key, amount] : quota.spec_hard) {
    if (is_tracked_key(key, version_)) used.set(key, Quantity());
  }
  for (const QuotaSubject* object : objects) {
    const bool in_scope = std::all_of(quota.scopes.begin(), quota.scopes.end(),
                                      [&](const ScopeRequirement& scope) { return matches_scope(scope, *object); });
    if (!in_scope) continue;
    for (const auto& [name, amount] : object->usage) {
      if (Quantity* sum = used.find(name)) *sum += amount;
    }
  }
  return used;
}

void QuotaEngine::resync(std::size_t quota, UsageList used) {
  quotas_[quota].hard = quotas_[quota].spec_hard;
  quotas_[quota].used = std::move(used);
}

bool QuotaEngine::release(std::size_t number, const QuotaSubject& subject) {
  QuotaState& quota = quotas_[number];
  if (!covers(quota, subject)) return false;
  bool changes = false;
  for (const auto& [name, amount] : subject.usage) {
    Quantity* used = quota.used.find(name);
    if (!used) continue;
    changes = changes || (!used->is_zero() && !amount.is_zero());
    *used -= amount;
    if (used->sign() < 0) *used = Quantity(0, used->format());
  }
  return changes;
}

}  // namespace apf
