// Exact means: for every request the translation chooses the same priority level and flow, and the same FlowSchema
// but for requests that are exempt (which have no flows). Three things of v1 decide what can be said. Its rules are a
// product of lists of subjects, verbs, groups, resources and namespaces. Its FlowSchema `exempt` comes before all
// others and takes system:masters. Its FlowSchema `catch-all` comes last.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/core.h>

#include <apf/config.h>

#include "base/sort_stably.h"
#include "config/codes.h"
#include "config/kep/convert.h"
#include "config/kep/created.h"
#include "config/kep/decode.h"
#include "config/kep/pattern.h"
#include "config/reader.h"
#include "config/validate_object.h"

namespace apf {

namespace {

constexpr const char* kExempt = "exempt";
constexpr const char* kCatchAll = "catch-all";
constexpr const char* kApiVersion = "flowcontrol.apiserver.k8s.io/v1";
constexpr std::int32_t kFirst = 2, kLast = 9999;  // precedences that v1 leaves to others than exempt and catch-all

using Values = std::set<std::string>;

// What one test asks of its field: one of some values, nothing, or what cannot be.
struct Demand {
  enum class Kind { always, never, some, unsayable } kind = Kind::always;
  Values values;
  const char* why = "";

  Demand inverted() const {
    if (kind == Kind::always) return {Kind::never, {}, ""};
    if (kind == Kind::never) return {Kind::always, {}, ""};
    if (kind == Kind::unsayable) return {kind, {}, "v1 has neither patterns nor the inverse of a test"};
    return {Kind::unsayable, {}, "v1 has no inverse of a test"};
  }
};

Demand straight_demand(const KepTest& test) {
  using Kind = Demand::Kind;
  switch (test.op) {
    case KepOperator::equals:
      return {Kind::some, {test.value}, ""};
    case KepOperator::in_set:
      return test.set.empty() ? Demand{Kind::never, {}, ""}
                              : Demand{Kind::some, {test.set.begin(), test.set.end()}, ""};
    case KepOperator::pattern_match:
      if (test.pattern->is_anything()) return {};
      if (const auto literal = test.pattern->literal()) return {Kind::some, {*literal}, ""};
      return {Kind::unsayable, {}, "v1 has no patterns"};
    case KepOperator::super_set:
      break;
  }
  if (test.set.empty()) return {};
  Demand out{Kind::some, {test.set.begin(), test.set.end()}, ""};
  // A scalar is a set of one, and holds no two.
  if (test.field != KepField::groups && out.values.size() > 1) return {Kind::never, {}, ""};
  return out;
}

Demand demand_of(const KepTest& test) {
  const Demand demand = straight_demand(test);
  return test.inverse ? demand.inverted() : demand;
}

// What one list of tests asks of each field; a field that is not there may be anything.
struct Demands {
  std::map<KepField, Values> fields;
  Values groups;  // all of them
  bool never = false;
  struct Unsayable {
    std::size_t test;
    std::string why;
  };
  std::vector<Unsayable> unsayable;

  const Values* find(KepField field) const {
    const auto at = fields.find(field);
    return at == fields.end() ? nullptr : &at->second;
  }
};

Demands demands_of(const std::vector<KepTest>& tests) {
  Demands out;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const Demand demand = demand_of(tests[i]);
    const KepField field = tests[i].field;
    if (demand.kind == Demand::Kind::never) out.never = true;
    if (demand.kind == Demand::Kind::unsayable) out.unsayable.push_back({i, demand.why});
    if (demand.kind != Demand::Kind::some) continue;
    if (field == KepField::groups) {
      out.groups.insert(demand.values.begin(), demand.values.end());
      continue;
    }
    const auto [at, fresh] = out.fields.emplace(field, demand.values);
    if (!fresh) std::erase_if(at->second, [&](const std::string& value) { return !demand.values.contains(value); });
    if (at->second.empty()) out.never = true;
  }
  return out;
}

std::vector<std::string> list_of(const Values* values) {
  return values ? std::vector<std::string>(values->begin(), values->end()) : std::vector<std::string>{"*"};
}

// True if non-resource requests pass. All fields about a resource are empty then.
bool accepts_non_resource(const Demands& demands) {
  for (const KepField field : {KepField::ns, KepField::api_group, KepField::api_version, KepField::resource,
                               KepField::subresource, KepField::name}) {
    if (const Values* values = demands.find(field); values && !values->contains("")) return false;
  }
  return true;
}

class Translator {
 public:
  explicit Translator(const LoadedConfig& loaded) : given_(loaded.config), effective_(with_backstops(loaded.config)) {}

  KepTranslation run() {
    for (const PriorityLevel& level : effective_.priority_levels) take_level(level);
    order();
    check_masters();
    for (const FlowSchema* schema : ordered_) take_schema(*schema);
    if (!out_.config.priority_levels.empty()) tell_shares();
    return std::move(out_);
  }

 private:
  Diagnostic make(const ObjectMeta& meta, const char* kind, Severity severity, std::string field, std::string message) {
    Diagnostic d;
    d.severity = severity;
    d.span = meta.source.span_of(field);
    d.document = meta.source.document;
    d.kind = kind;
    d.object_name = name_to_tell(meta.name);
    d.field = std::move(field);
    d.message = std::move(message);
    return d;
  }
  void refuse(const FlowSchema& schema, std::string field, const std::string& why) {
    const std::string message = fmt::format("{}: {}", field, why);
    out_.refusals.push_back(make(schema.meta, "FlowSchema", Severity::error, std::move(field), message));
    if (schema.kep->created)
      out_.refusals.back().notes.push_back(
          {"it is one of those that KEP-1040 creates where no FlowSchema leads to an exempt priority", {}});
  }
  void refuse(const PriorityLevel& level, std::string field, const std::string& why) {
    const std::string message = fmt::format("{}: {}", field, why);
    out_.refusals.push_back(make(level.meta, kKepPriorityKind, Severity::error, std::move(field), message));
  }

  // False: what v1's own validation has to say becomes a refusal at the object.
  template <class Object>
  bool check(const Object& translated, const Object& original) {
    std::vector<Diagnostic> errors;
    validate_object(translated, Operation::create, kNewestKubeVersion, nullptr, errors);
    if (errors.empty()) return true;
    const std::string& field = errors.front().field;
    const char* const cause = field.starts_with("metadata")     ? "meta.name"
                              : field.starts_with("spec.rules") ? "spec.match"
                                                                : "spec";
    refuse(original, cause, fmt::format("v1 does not accept what it would become: {}", errors.front().message));
    return false;
  }

  void take_level(const PriorityLevel& level) {
    const std::string& name = level.meta.name;
    if (level.type == "Exempt") {
      if (!exempt_.empty())
        refuse(level, "meta.name",
               fmt::format("v1 has one exempt priority level, and \"{}\" is exempt already", exempt_));
      exempt_ = name;
      // The server holds it anyway; written out, what leads to it does so wherever the translation is read.
      Config mandatory = bootstrap_config(kNewestKubeVersion, Builtins::mandatory);
      for (PriorityLevel& built_in : mandatory.priority_levels) {
        if (built_in.type != "Exempt" || level.kep->implied) continue;
        built_in.meta.annotations.clear();
        out_.config.priority_levels.push_back(std::move(built_in));
      }
      if (name != kExempt && !level.kep->implied) {
        out_.losses.push_back(
            make(level.meta, kKepPriorityKind, Severity::warning, "meta.name",
                 fmt::format("meta.name: the exempt level of v1 is called exempt, and always there: {} becomes that",
                             name)));
      }
      return;
    }
    if (name == kExempt || name == kCatchAll)
      return refuse(level, "meta.name", fmt::format("v1 fixes what the level named {} is", name));
    PriorityLevel out = level;
    out.kep = nullptr;
    out.meta = {};
    out.meta.api_version = kApiVersion;
    out.meta.name = name;
    if (check(out, level)) out_.config.priority_levels.push_back(std::move(out));
  }

  bool is_refused(const FlowSchema& schema) const {
    return !out_.refusals.empty() && out_.refusals.back().object_name == schema.meta.name;
  }

  bool is_exempt(const FlowSchema& schema) const {
    return std::any_of(
        effective_.priority_levels.begin(), effective_.priority_levels.end(),
        [&](const PriorityLevel& level) { return level.meta.name == schema.priority_level && level.type == "Exempt"; });
  }

  void order() {
    for (const FlowSchema& schema : effective_.flow_schemas) ordered_.push_back(&schema);
    sort_stably(ordered_, [](const FlowSchema* a, const FlowSchema* b) {
      if (a->kep->backstop || b->kep->backstop) return !a->kep->backstop && b->kep->backstop;
      return a->matching_precedence != b->matching_precedence ? a->matching_precedence < b->matching_precedence
                                                              : a->meta.name < b->meta.name;
    });
    for (const FlowSchema* schema : ordered_) {
      if (schema->kep->backstop) continue;
      covered_ =
          covered_ || std::any_of(schema->kep->any_of.begin(), schema->kep->any_of.end(), [](const auto& tests) {
            const Demands demands = demands_of(tests);
            return !demands.never && demands.fields.empty() && demands.groups.empty() && demands.unsayable.empty();
          });
    }
  }

  // v1 treats system:masters before anybody else: here, too, they must be exempt for all requests.
  void check_masters() {
    for (const FlowSchema* schema : ordered_) {
      bool some = false, all = false;
      for (const std::vector<KepTest>& tests : schema->kep->any_of) {
        const Demands demands = demands_of(tests);
        if (demands.never) continue;
        some = true;
        const bool only_masters = demands.groups.empty() || demands.groups == Values{kMastersGroup};
        all = all || (demands.fields.empty() && demands.unsayable.empty() && only_masters);
      }
      if (is_exempt(*schema)) {
        if (all) return;
      } else if (some) {
        return refuse(*schema, kep_precedence_field(*schema),
                      "v1 makes system:masters exempt before it looks at other FlowSchemas; here this one could take a "
                      "request of "
                      "theirs. A FlowSchema for system:masters of an exempt priority must come before it");
      }
    }
  }

  void take_schema(const FlowSchema& schema) {
    const bool exempt = is_exempt(schema);
    // v1's own exempt is the one backstop; the other is not needed where a FlowSchema accepts everything.
    if (schema.kep->backstop && (exempt || covered_)) return;
    FlowSchema out;
    out.meta.api_version = kApiVersion;
    out.meta.name = schema.meta.name;
    out.priority_level = exempt ? kExempt : schema.priority_level;
    out.matching_precedence = schema.kep->backstop ? kLast : schema.matching_precedence;
    const std::int32_t last = covered_ ? kLast : kLast - 1;
    if (schema.meta.name == kExempt || schema.meta.name == kCatchAll)
      return refuse(schema, "meta.name", fmt::format("v1 fixes what the FlowSchema named {} is", schema.meta.name));
    if (!schema.kep->backstop && (schema.matching_precedence < kFirst || schema.matching_precedence > last)) {
      refuse(schema, kep_precedence_field(schema),
             fmt::format("v1 leaves the precedences {} to {} to FlowSchemas like this one{}", kFirst, last,
                         covered_ ? "" : ", as the backstop needs one of its own"));
      out.matching_precedence = std::clamp(out.matching_precedence, kFirst, last);
    }
    take_distinguisher(schema, out);
    for (std::size_t list = 0; list < schema.kep->any_of.size(); ++list) take_list(schema, list, out);
    if (out.rules.empty() && !schema.kep->any_of.empty() && is_refused(schema)) return;
    if (check(out, schema)) out_.config.flow_schemas.push_back(std::move(out));
  }

  void take_distinguisher(const FlowSchema& schema, FlowSchema& out) {
    const auto level = std::find_if(effective_.priority_levels.begin(), effective_.priority_levels.end(),
                                    [&](const PriorityLevel& l) { return l.meta.name == schema.priority_level; });
    const bool has_flows =
        level != effective_.priority_levels.end() && level->limited && level->limited->queuing->queues > 1;
    if (!has_flows) return;  // it is not allowed there, and of no effect
    out.distinguisher_method = schema.distinguisher_method;
    const KepPattern* pattern = schema.kep->transformation.get();
    if (pattern && !(pattern->is_anything() && pattern->groups() > 0))
      refuse(schema, "spec.flowDistinguisher.pattern",
             "v1 distinguishes flows by the whole user name or namespace, not by a part of it");
  }

  void take_list(const FlowSchema& schema, std::size_t list, FlowSchema& out) {
    const std::vector<KepTest>& tests = schema.kep->any_of[list];
    const Demands demands = demands_of(tests);
    if (demands.never) return;
    const std::size_t before = out_.refusals.size();
    for (const Demands::Unsayable& unsayable : demands.unsayable)
      refuse(schema, kep_test_path(tests[unsayable.test], list, unsayable.test),
             fmt::format("{}: {}", to_string(tests[unsayable.test]), unsayable.why));
    for (std::size_t i = 0; i < tests.size(); ++i) {
      if (const std::string why = why_not(tests[i], demands); !why.empty())
        refuse(schema, kep_test_path(tests[i], list, i), fmt::format("{}: {}", to_string(tests[i]), why));
    }
    if (out_.refusals.size() > before) return;
    out.rules.push_back(rule_of(demands));
  }

  // Why v1 can't express a test for some values.
  static std::string why_not(const KepTest& test, const Demands& demands) {
    const Demand demand = demand_of(test);
    if (demand.kind != Demand::Kind::some) return {};
    if (demand.values.contains("*")) return "in v1 a \"*\" stands for anything";
    switch (test.field) {
      case KepField::groups:
        if (demands.groups.size() > 1) return "v1 asks for one group or another, never for several at once";
        return demands.find(KepField::user) ? "v1 asks for a user or for a group, never for both at once" : "";
      case KepField::api_version:
        return "v1 does not look at the API version";
      case KepField::name:
        return "v1 does not look at the object's name";
      case KepField::path:
        return "a nonResourceURLs entry of v1 also stands for all that is below it";
      case KepField::resource:
        if (std::any_of(demand.values.begin(), demand.values.end(),
                        [](const std::string& v) { return v.find('/') != v.npos; }))
          return "in v1 a \"/\" separates the subresource";
        if (!demands.find(KepField::subresource))
          return "it accepts every subresource, and v1 lists those one by one: add a test of subresource (\"\" for "
                 "none)";
        return {};
      case KepField::subresource:
        return demands.find(KepField::resource) ? "" : "v1 has no words for a subresource of any resource";
      default:
        return {};
    }
  }

  static PolicyRule rule_of(const Demands& demands) {
    PolicyRule rule;
    if (const Values* users = demands.find(KepField::user)) {
      for (const std::string& user : *users) rule.subjects.push_back({"User", user, {}, {}});
    } else {
      // "*" is any user, with or without groups.
      rule.subjects.push_back({"Group", {}, demands.groups.empty() ? "*" : *demands.groups.begin(), {}});
    }
    ResourceRule resources;
    resources.verbs = list_of(demands.find(KepField::verb));
    resources.api_groups = list_of(demands.find(KepField::api_group));
    resources.resources = {"*"};
    if (const Values* names = demands.find(KepField::resource)) {
      resources.resources.clear();
      for (const std::string& name : *names) {
        for (const std::string& sub : *demands.find(KepField::subresource))
          resources.resources.push_back(sub.empty() ? name : name + '/' + sub);
      }
    }
    resources.namespaces = list_of(demands.find(KepField::ns));
    const Values* namespaces = demands.find(KepField::ns);
    resources.cluster_scope = !namespaces || namespaces->contains("");
    std::erase(resources.namespaces, "");
    rule.resource_rules.push_back(std::move(resources));
    if (accepts_non_resource(demands))
      rule.non_resource_rules.push_back({list_of(demands.find(KepField::verb)), {"*"}});
    return rule;
  }

  void tell_shares() {
    const auto given = std::find_if(given_.priority_levels.begin(), given_.priority_levels.end(),
                                    [](const PriorityLevel& l) { return l.limited.has_value(); });
    if (given == given_.priority_levels.end()) return;
    out_.losses.push_back(
        make(given->meta, kKepPriorityKind, Severity::warning, "spec.assuredConcurrencyShares",
             "spec.assuredConcurrencyShares: in v1 the level catch-all always exists and has 5 shares: all "
             "others get slightly fewer seats"));
  }

  const Config& given_;
  Config effective_;
  std::vector<const FlowSchema*> ordered_;
  bool covered_ = false;  // a given FlowSchema accepts everything
  std::string exempt_;
  KepTranslation out_;
};

}  // namespace

KepTranslation translate_kep(const LoadedConfig& loaded) { return Translator(loaded).run(); }

}  // namespace apf
