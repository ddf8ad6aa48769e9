// The lists of rules a user's requests can match, and walking them.
#include <algorithm>
#include <span>
#include <string>

#include "classify/match.h"

namespace apf {
namespace {

using Candidates = Classifier::Candidates;

struct Filed {
  std::uint64_t key;
  Candidates::Entry entry;
};

constexpr std::uint32_t kNoId = 0;
constexpr std::span<const std::uint32_t> kNoValue(&kNoId, 1);

std::span<const std::uint32_t> ids_of(const CompiledRules& rules, const IdList& list) {
  return {rules.pool.data() + list.begin, rules.pool.data() + list.end};
}

template <class Rule>
void file_rule(const Rule& rule, std::uint32_t number, std::span<const std::uint32_t> ids, std::vector<Filed>& out) {
  for (unsigned verb = 0; verb < kVerbCount; ++verb) {
    if ((rule.verbs.bits >> verb & 1) == 0) continue;
    for (const std::uint32_t id : ids)
      out.push_back({Candidates::key(verb, rule.dimension, id), {rule.schema, number}});
  }
}

void file_resource_rule(const CompiledRules& rules, std::uint32_t number, std::vector<Filed>& out) {
  const CompiledResourceRule& rule = rules.resource_rules[number];
  switch (rule.dimension) {
    case Dimension::resource:
      return file_rule(rule, number, ids_of(rules, rule.resources), out);
    case Dimension::group:
      return file_rule(rule, number, ids_of(rules, rule.groups), out);
    case Dimension::ns:
      break;
    default:
      return file_rule(rule, number, kNoValue, out);
  }
  file_rule(rule, number, ids_of(rules, rule.namespaces), out);
  // "" in `namespaces` matches no request: without a namespace only clusterScope counts.
  if (rule.cluster_scope && !rules.holds(rule.namespaces, rules.no_namespace)) {
    file_rule(rule, number, {&rules.no_namespace, 1}, out);
  }
}

struct RequestIds {
  std::uint32_t verb = 0, group = 0, resource = 0, ns = 0;
};

std::uint32_t find_resource(const StringTable& strings, const MatchInput& input) {
  if (input.subresource.empty()) return strings.find(input.resource);
  char joined[256];
  const std::size_t size = input.resource.size() + 1 + input.subresource.size();
  if (size > sizeof joined) {
    return strings.find(std::string(input.resource) + '/' + std::string(input.subresource));
  }
  input.resource.copy(joined, input.resource.size());
  joined[input.resource.size()] = '/';
  input.subresource.copy(joined + input.resource.size() + 1, input.subresource.size());
  return strings.find(std::string_view(joined, size));
}

bool accepts(const CompiledRules& rules, const CompiledResourceRule& rule, bool cluster_scoped, unsigned verb,
             const RequestIds& ids) {
  if (verb == kOtherVerb && !rules.holds(rule.verbs.others, ids.verb)) return false;
  if (cluster_scoped ? !rule.cluster_scope : !rules.holds(rule.namespaces, ids.ns)) return false;
  return rules.holds(rule.resources, ids.resource) && rules.holds(rule.groups, ids.group);
}

bool accepts(const CompiledRules& rules, const CompiledUrlRule& rule, std::string_view path, unsigned verb,
             const RequestIds& ids) {
  if (verb == kOtherVerb && !rules.holds(rule.verbs.others, ids.verb)) return false;
  if (rule.any) return true;
  for (std::uint32_t i = rule.begin; i < rule.end; ++i) {
    if (path == rules.urls[i].exact || path.starts_with(rules.urls[i].prefix)) return true;
  }
  return false;
}

}  // namespace

Candidates::Candidates(std::shared_ptr<const CompiledRules> all, const std::vector<std::uint32_t>& policy_rules)
    : rules(std::move(all)) {
  std::vector<Filed> resources, urls;
  for (const std::uint32_t number : policy_rules) {
    const CompiledRules::PolicyRule& rule = rules->policy_rules[number];
    for (std::uint32_t i = rule.resource_begin; i < rule.resource_end; ++i) {
      const CompiledResourceRule& part = rules->resource_rules[i];
      file_resource_rule(*rules, i, resources);
      filed[static_cast<std::size_t>(part.dimension)] = true;
      needs_group = needs_group || !part.groups.any;
      needs_resource = needs_resource || !part.resources.any;
      needs_ns = needs_ns || !part.namespaces.any;
    }
    for (std::uint32_t i = rule.url_begin; i < rule.url_end; ++i) {
      const CompiledUrlRule& part = rules->url_rules[i];
      file_rule(part, i, part.dimension == Dimension::segment ? ids_of(*rules, part.segments) : kNoValue, urls);
      filed[static_cast<std::size_t>(part.dimension)] = true;
    }
  }
  std::size_t lists = 0;
  for (std::vector<Filed>* all_filed : {&resources, &urls}) {
    std::stable_sort(all_filed->begin(), all_filed->end(),
                     [](const Filed& a, const Filed& b) { return a.key < b.key; });
    for (std::size_t i = 0; i < all_filed->size(); ++i)
      lists += i == 0 || (*all_filed)[i].key != (*all_filed)[i - 1].key;
  }
  slots.resize(8);
  while (slots.size() < lists * 2) slots.resize(slots.size() * 2);
  entries.reserve(resources.size() + urls.size());
  for (std::vector<Filed>* all_filed : {&resources, &urls}) {
    for (std::size_t i = 0; i < all_filed->size();) {
      const std::uint64_t group = (*all_filed)[i].key;
      List list{static_cast<std::uint32_t>(entries.size()), 0};
      for (; i < all_filed->size() && (*all_filed)[i].key == group; ++i) entries.push_back((*all_filed)[i].entry);
      list.end = static_cast<std::uint32_t>(entries.size());
      if (is_filed_under_value(group)) {
        place(group, list);
      } else {
        (all_filed == &resources ? any_resource : any_url)[key_verb(group)] = list;
      }
    }
  }
}

Candidates::Candidates(std::shared_ptr<const CompiledRules> all, std::unique_ptr<const UserMatcher> of_predicates)
    : Candidates(std::move(all), std::vector<std::uint32_t>()) {
  matcher = std::move(of_predicates);
}

void Candidates::place(std::uint64_t new_key, List list) {
  std::size_t at = mix64(new_key, 0x9e3779b97f4a7c15ULL) & (slots.size() - 1);
  while (slots[at].key != 0) at = (at + 1) & (slots.size() - 1);
  slots[at] = {new_key, list};
}

Candidates::List Candidates::find(std::uint64_t wanted) const {
  for (std::size_t at = mix64(wanted, 0x9e3779b97f4a7c15ULL) & (slots.size() - 1);;
       at = (at + 1) & (slots.size() - 1)) {
    if (slots[at].key == wanted) return slots[at].list;
    if (slots[at].key == 0) return {};
  }
}

Classifier::Match match_request(const MatchInput& input, const Candidates& candidates) {
  const CompiledRules& rules = *candidates.rules;
  const unsigned verb = verb_number(input.verb);
  RequestIds ids;
  if (verb == kOtherVerb) ids.verb = rules.strings.find(input.verb);
  std::uint32_t best = UINT32_MAX;
  // Every list is in order, so each is left as soon as it cannot better what was found.
  const auto walk = [&](Candidates::List list, auto accept) {
    for (std::uint32_t i = list.begin; i < list.end && candidates.entries[i].schema < best; ++i) {
      if (accept(candidates.entries[i].rule)) best = candidates.entries[i].schema;
    }
  };
  const auto is_filed = [&](Dimension dimension) { return candidates.filed[static_cast<std::size_t>(dimension)]; };
  if (input.is_resource) {
    const bool cluster_scoped = input.ns.empty();
    if (candidates.needs_ns) ids.ns = cluster_scoped ? rules.no_namespace : rules.strings.find(input.ns);
    if (candidates.needs_group) ids.group = rules.strings.find(input.group);
    if (candidates.needs_resource) ids.resource = find_resource(rules.strings, input);
    const auto accept = [&](std::uint32_t rule) {
      return accepts(rules, rules.resource_rules[rule], cluster_scoped, verb, ids);
    };
    const std::pair<Dimension, std::uint32_t> keys[] = {
        {Dimension::ns, ids.ns}, {Dimension::resource, ids.resource}, {Dimension::group, ids.group}};
    for (const auto& [dimension, id] : keys) {
      if (is_filed(dimension) && id != 0) walk(candidates.find(Candidates::key(verb, dimension, id)), accept);
    }
    walk(candidates.any_resource[verb], accept);
  } else {
    const auto accept = [&](std::uint32_t rule) {
      return accepts(rules, rules.url_rules[rule], input.path, verb, ids);
    };
    if (is_filed(Dimension::segment) && input.path.starts_with('/')) {
      const std::string_view rest = input.path.substr(1);
      const std::uint32_t id = rules.strings.find(rest.substr(0, rest.find('/')));
      if (id != 0) walk(candidates.find(Candidates::key(verb, Dimension::segment, id)), accept);
    }
    walk(candidates.any_url[verb], accept);
  }
  if (best == UINT32_MAX) return {rules.catch_all, true};
  return {best, false};
}

}  // namespace apf
