// From a configuration to the order in which the server consults FlowSchemas (apf_controller.go, v1.36).
#include <apf/classify.h>
#include <apf/config.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "classify/dialect.h"
#include "classify/match.h"
#include "config/dialect.h"

namespace apf {
namespace {

using Distinguisher = Classifier::Schema::Distinguisher;

constexpr std::string_view kExempt = "exempt", kCatchAll = "catch-all";

Classifier::Level describe(const PriorityLevel& object) {
  Classifier::Level level;
  level.name = object.meta.name;
  level.exempt = object.type == "Exempt";
  if (level.exempt) return level;
  if (const auto& queuing = object.limited->queuing; queuing && queuing->queues > 0) {
    level.queues = queuing->queues;
    level.hand_size = queuing->hand_size;
    level.queue_length_limit = queuing->queue_length_limit;
  }
  level.reject = level.queues == 0;
  return level;
}

Distinguisher distinguisher_of(const FlowSchema& schema) {
  if (!schema.distinguisher_method) return Distinguisher::none;
  if (has_partial_distinguisher(schema))
    return *schema.distinguisher_method == "ByUser" ? Distinguisher::by_user_part : Distinguisher::by_namespace_part;
  if (*schema.distinguisher_method == "ByUser") return Distinguisher::by_user;
  if (*schema.distinguisher_method == "ByNamespace") return Distinguisher::by_namespace;
  return Distinguisher::none;
}

// The levels that a configuration gives, and why a FlowSchema can't use the one it names.
struct GivenLevels {
  std::map<std::string, Classifier::Level, std::less<>> well_formed;
  std::map<std::string, std::string, std::less<>> malformed;  // reasons

  const char* kind = "PriorityLevelConfiguration";

  explicit GivenLevels(const std::vector<PriorityLevel>& objects) {
    for (const PriorityLevel& object : objects) {
      kind = dialect_of(object).level_kind();
      const std::string reason = malformed_reason(object);
      if (reason.empty()) {
        well_formed.insert_or_assign(object.meta.name, describe(object));
      } else {
        malformed.insert_or_assign(object.meta.name, reason);
      }
    }
  }

  void add_malformed(const std::vector<PriorityLevel>& objects) {
    for (const PriorityLevel& object : objects) {
      if (std::string reason = malformed_reason(object); !reason.empty())
        malformed.insert_or_assign(object.meta.name, std::move(reason));
    }
  }

  // Empty if the level can be used. Those that the server supplies itself do not count.
  std::string fault_of(const std::string& name) const {
    if (well_formed.contains(name)) return {};
    const auto found = malformed.find(name);
    if (found == malformed.end()) return std::string("there is no ") + kind + " \"" + name + '"';
    return std::string(kind) + " \"" + name + "\" is malformed: " + found->second;
  }
};

}  // namespace

struct Classifier::Impl {
  std::vector<Level> levels;
  std::vector<Schema> schemas;
  std::vector<Dropped> dropped;
  std::shared_ptr<const CompiledRules> rules;

  // Users that the same rules concern share their candidates.
  std::mutex mutex;
  std::map<std::vector<std::uint32_t>, std::shared_ptr<const Candidates>> by_rules;

  explicit Impl(const Config& given_config);
  Schema describe_schema(const FlowSchema& object) const;
};

Classifier::Impl::Impl(const Config& given_config) {
  const Config mandatory = dialect_of(given_config).mandatory_objects();
  Config storage;
  const Config& config = in_force(given_config, storage);
  GivenLevels given(config.priority_levels);
  given.add_malformed(given_config.priority_levels);
  std::vector<const FlowSchema*> consulted;
  for (const FlowSchema& object : config.flow_schemas) {
    std::string fault = given.fault_of(object.priority_level);
    if (fault.empty()) {
      consulted.push_back(&object);
    } else {
      dropped.push_back({object.meta.name, object.priority_level, std::move(fault)});
    }
  }
  std::stable_sort(consulted.begin(), consulted.end(), [&](const FlowSchema* a, const FlowSchema* b) {
    // Backstops come after all others, in their own order.
    if (is_backstop(*a) || is_backstop(*b)) return !is_backstop(*a) && is_backstop(*b);
    return a->matching_precedence != b->matching_precedence ? a->matching_precedence < b->matching_precedence
                                                            : a->meta.name < b->meta.name;
  });
  for (const PriorityLevel& object : mandatory.priority_levels)
    given.well_formed.try_emplace(object.meta.name, describe(object));
  for (const FlowSchema& object : mandatory.flow_schemas) {
    const bool is_given = std::any_of(consulted.begin(), consulted.end(),
                                      [&](const FlowSchema* s) { return s->meta.name == object.meta.name; });
    // Whatever the others' precedence: exempt first, catch-all last.
    if (!is_given) consulted.insert(object.meta.name == kExempt ? consulted.begin() : consulted.end(), &object);
  }
  for (auto& [name, level] : given.well_formed) levels.push_back(std::move(level));
  // Used when nothing matches.
  const bool is_last = last_matches_all(given_config);
  std::uint32_t catch_all = is_last && !consulted.empty() ? static_cast<std::uint32_t>(consulted.size() - 1) : 0;
  for (const FlowSchema* object : consulted) {
    if (!is_last && object->meta.name == kCatchAll) catch_all = static_cast<std::uint32_t>(schemas.size());
    schemas.push_back(describe_schema(*object));
  }
  rules = std::make_shared<const CompiledRules>(consulted, catch_all);
}

Classifier::Schema Classifier::Impl::describe_schema(const FlowSchema& object) const {
  Schema schema;
  schema.name = object.meta.name;
  schema.matching_precedence = object.matching_precedence;
  const auto level = std::lower_bound(levels.begin(), levels.end(), object.priority_level,
                                      [](const Level& l, const std::string& name) { return l.name < name; });
  schema.level = static_cast<std::uint32_t>(level - levels.begin());
  schema.distinguisher = distinguisher_of(object);
  if (levels[schema.level].uses_flows()) schema.effective = schema.distinguisher;
  schema.object = object;
  return schema;
}

Classifier::Classifier(const Config& config) : impl_(std::make_unique<Impl>(config)) {}
Classifier::~Classifier() = default;
Classifier::Classifier(Classifier&&) noexcept = default;
Classifier& Classifier::operator=(Classifier&&) noexcept = default;

const std::vector<Classifier::Schema>& Classifier::schemas() const { return impl_->schemas; }
const std::vector<Classifier::Level>& Classifier::levels() const { return impl_->levels; }
const std::vector<Classifier::Dropped>& Classifier::dropped() const { return impl_->dropped; }

std::shared_ptr<const Classifier::Candidates> Classifier::candidates(const User& user) const {
  if (auto matcher = user_matcher(impl_->schemas, user))
    return std::make_shared<const Candidates>(impl_->rules, std::move(matcher));
  std::vector<std::uint32_t> rules = impl_->rules->rules_for(user);
  const std::lock_guard lock(impl_->mutex);
  const auto known = impl_->by_rules.find(rules);
  if (known != impl_->by_rules.end()) return known->second;
  auto made = std::make_shared<const Candidates>(impl_->rules, rules);
  impl_->by_rules.emplace(std::move(rules), made);
  return made;
}

Classifier::Match Classifier::match(const RequestInfo& info, const Candidates& candidates) const {
  const Match match = match_request(
      {info.is_resource_request, info.verb, info.api_group, info.resource, info.subresource, info.ns, info.path},
      candidates);
  if (!match.fallback || !candidates.matcher) return match;
  return {candidates.matcher->match(info, match.schema), false};
}

Classifier::Match Classifier::match(const RequestInfo& info, const User& user) const {
  return match(info, *candidates(user));
}

std::string_view Classifier::distinguisher(std::uint32_t schema, const RequestInfo& info, const User& user) const {
  switch (impl_->schemas[schema].effective) {
    case Distinguisher::by_user:
      return user.name;
    case Distinguisher::by_namespace:
      return info.ns;
    case Distinguisher::by_user_part:
      return distinguisher_part(impl_->schemas[schema], user.name);
    case Distinguisher::by_namespace_part:
      return distinguisher_part(impl_->schemas[schema], info.ns);
    case Distinguisher::none:
      return {};
  }
  return {};
}

}  // namespace apf
