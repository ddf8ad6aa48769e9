// Why a request goes where it goes, schema by schema: the rule that matched, or the miss that came nearest.
#include <apf/classify.h>
#include <apf/hand.h>

#include "classify/dialect.h"
#include "classify/flow_schema.h"

namespace apf {
namespace {

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

// [get, watch]; long lists are cut, their length said.
std::string listed(const std::vector<std::string>& list) {
  constexpr std::size_t kShown = 8;
  std::string out = "[";
  for (std::size_t i = 0; i < list.size() && i < kShown; ++i) {
    if (i > 0) out += ", ";
    out += list[i].empty() ? "\"\"" : list[i];
  }
  if (list.size() > kShown) out += ", … " + std::to_string(list.size()) + " in all";
  return out + ']';
}

std::string describe(const Subject& subject) {
  if (subject.kind == "User" && subject.user) return "User " + *subject.user;
  if (subject.kind == "Group" && subject.group) return "Group " + *subject.group;
  if (subject.kind == "ServiceAccount" && subject.service_account) {
    return "ServiceAccount " + subject.service_account->ns + '/' + subject.service_account->name;
  }
  return subject.kind.empty() ? "a subject without a kind" : subject.kind + " without a name";
}

std::string describe(const User& user) {
  return "user " + quoted(user.name) + (user.groups.empty() ? " (no groups)" : " (groups: " + [&] {
           const std::string groups = listed(user.groups);
           return groups.substr(1, groups.size() - 2);
         }() + ')');
}

std::string indexed(std::string_view name, std::size_t index) {
  return std::string(name) + '[' + std::to_string(index) + ']';
}

// A part of a rule (one of its resourceRules or nonResourceRules) and how far it goes with the request.
struct Part {
  bool found = false;  // the rule has such parts at all
  bool matches = false;
  int fields = -1;  // that accept the request
  std::size_t index = 0;
  std::string what;   // fields that do not, with values
  std::string field;  // the first of those, as a path below the part
};

void note(Part& part, bool accepted, std::string_view field, std::string what) {
  if (accepted) return;
  if (part.what.empty()) {
    part.field = field;
  } else {
    part.what += "; ";
  }
  part.what += what;
}

Part examine(const ResourceRule& rule, const RequestInfo& info) {
  const ResourceRuleFields fields = match_fields(rule, info);
  Part part;
  part.fields = fields.count();
  part.matches = fields.all();
  note(part, fields.verb, "verbs", "verb " + quoted(info.verb) + " not in " + listed(rule.verbs));
  note(part, fields.group, "apiGroups", "apiGroup " + quoted(info.api_group) + " not in " + listed(rule.api_groups));
  note(part, fields.resource, "resources",
       "resource " + quoted(joined_resource(info)) + " not in " + listed(rule.resources));
  if (info.ns.empty()) {
    note(part, fields.ns, "clusterScope", "namespace \"\" needs clusterScope: true");
  } else {
    note(part, fields.ns, "namespaces", "namespace " + quoted(info.ns) + " not in " + listed(rule.namespaces));
  }
  return part;
}

Part examine(const NonResourceRule& rule, const RequestInfo& info) {
  const NonResourceRuleFields fields = match_fields(rule, info);
  Part part;
  part.fields = fields.count();
  part.matches = fields.all();
  note(part, fields.verb, "verbs", "verb " + quoted(info.verb) + " not in " + listed(rule.verbs));
  note(part, fields.url, "nonResourceURLs", "path " + quoted(info.path) + " not under " + listed(rule.urls));
  return part;
}

// The first part that matches, else the first of those that come nearest.
template <class Rule>
Part nearest_part(const std::vector<Rule>& parts, const RequestInfo& info) {
  Part best;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Part part = examine(parts[i], info);
    if (part.fields <= best.fields) continue;
    best = std::move(part);
    best.found = true;
    best.index = i;
    if (best.matches) break;
  }
  return best;
}

constexpr std::size_t kNoSubject = SIZE_MAX;

std::size_t matching_subject(const PolicyRule& rule, const User& user) {
  for (std::size_t i = 0; i < rule.subjects.size(); ++i) {
    if (subject_matches(rule.subjects[i], user)) return i;
  }
  return kNoSubject;
}

// One policy rule and how near it came: the subject counts for more than any field.
struct Attempt {
  std::size_t rule = 0, subject = kNoSubject;
  Part part;
  int nearness() const { return (subject == kNoSubject ? 0 : 100) + (part.matches ? 50 : 0) + part.fields; }
};

std::string why_not(const FlowSchema& schema, const Attempt& attempt, const RequestInfo& info, const User& user,
                    std::string& field) {
  const std::string_view kind = info.is_resource_request ? "resourceRules" : "nonResourceRules";
  const std::string rule = indexed("rules", attempt.rule);
  field = "spec." + rule;
  if (attempt.subject == kNoSubject) {
    std::string out = "no subject matches " + describe(user);
    if (attempt.part.matches) {
      field += ".subjects";
      const std::vector<Subject>& subjects = schema.rules[attempt.rule].subjects;
      out += "; " + rule + '.' + indexed(kind, attempt.part.index) + " would, but is for ";
      for (std::size_t i = 0; i < subjects.size() && i < 3; ++i) out += (i > 0 ? ", " : "") + describe(subjects[i]);
      if (subjects.empty()) out += "nobody";
      if (subjects.size() > 3) out += " and " + std::to_string(subjects.size() - 3) + " more";
    } else {
      field.clear();
    }
    return out;
  }
  if (!attempt.part.found) {
    return rule + ": has no " + std::string(kind) + ", and this is " +
           (info.is_resource_request ? "a resource request" : "a non-resource request");
  }
  field += '.' + indexed(kind, attempt.part.index) + '.' + attempt.part.field;
  return rule + '.' + indexed(kind, attempt.part.index) + ": " + attempt.part.what;
}

void examine_schema(const FlowSchema& schema, const RequestInfo& info, const User& user, TraceEntry& out) {
  out.flow_schema = schema.meta.name;
  out.matching_precedence = schema.matching_precedence;
  if (has_predicate(schema)) return explain_predicate(schema, info, user, out);
  if (schema.rules.empty()) {
    out.because = "it has no rules";
    out.field = "spec.rules";
    return;
  }
  Attempt best;
  int nearness = -2;
  for (std::size_t i = 0; i < schema.rules.size(); ++i) {
    const PolicyRule& rule = schema.rules[i];
    Attempt attempt;
    attempt.rule = i;
    attempt.subject = matching_subject(rule, user);
    attempt.part = info.is_resource_request ? nearest_part(rule.resource_rules, info)
                                            : nearest_part(rule.non_resource_rules, info);
    if (attempt.nearness() <= nearness) continue;
    nearness = attempt.nearness();
    best = std::move(attempt);
    out.matches = best.subject != kNoSubject && best.part.matches;
    if (out.matches) break;
  }
  if (!out.matches) {
    out.because = why_not(schema, best, info, user, out.field);
    return;
  }
  const std::string part = indexed(info.is_resource_request ? "resourceRules" : "nonResourceRules", best.part.index);
  out.because = indexed("rules", best.rule) + ": subject " + describe(schema.rules[best.rule].subjects[best.subject]) +
                ", " + part;
  out.field = "spec." + indexed("rules", best.rule) + '.' + part;
}

}  // namespace

Explanation explain(const Classifier& classifier, const RequestInfo& info, const User& user) {
  Explanation out;
  out.match = classifier.match(info, user);
  const Classifier::Schema& chosen = classifier.schemas()[out.match.schema];
  const Classifier::Level& level = classifier.levels()[chosen.level];
  out.flow_schema = chosen.name;
  out.priority_level = level.name;
  out.exempt = level.exempt;
  out.fallback = out.match.fallback;
  out.flow_distinguisher = classifier.distinguisher(out.match.schema, info, user);
  out.flow_distinguisher_from = explain_distinguisher(chosen, info, user);
  out.has_flow = level.uses_flows();
  if (out.has_flow) {
    out.hash = flow_hash(out.flow_schema, out.flow_distinguisher);
    out.hand = deal_hand(out.hash, level.queues, level.hand_size);
  }
  for (std::uint32_t i = 0; i < classifier.schemas().size(); ++i) {
    TraceEntry& entry = out.trace.emplace_back();
    examine_schema(classifier.schemas()[i].object, info, user, entry);
    if (i == out.match.schema && out.fallback) entry.because += "; used because nothing else matches";
    if (i > out.match.schema && entry.matches) entry.because += "; not reached, " + out.flow_schema + " comes first";
  }
  return out;
}

}  // namespace apf
