#include "test_file/coverage.h"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "base/sort_stably.h"
#include "classify/flow_schema.h"
#include "config/tree.h"
#include "lint/reach/reach.h"

namespace apf {

namespace {

std::string list_field(const std::string& part, const char* list) { return part + "." + list; }

}  // namespace

std::string subject_words(const Subject& subject) {
  if (subject.kind == "User" && subject.user) return "User " + *subject.user;
  if (subject.kind == "Group" && subject.group) return "Group " + *subject.group;
  if (subject.service_account)
    return "ServiceAccount " + subject.service_account->ns + "/" + subject.service_account->name;
  return subject.kind;
}

std::size_t TestCoverage::reached() const {
  return static_cast<std::size_t>(
      std::count_if(items.begin(), items.end(), [](const Item& item) { return item.reached; }));
}

double TestCoverage::percent() const {
  return items.empty() ? 100 : 100.0 * static_cast<double>(reached()) / static_cast<double>(items.size());
}

void TestCoverage::add(const TestCoverage& other) {
  // The same object: the same name in the same file.
  const auto key = [](const Item& item) { return item.span.file + '\n' + item.flow_schema + '\n' + item.field; };
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < items.size(); ++i) known.emplace(key(items[i]), i);
  for (const ConfigText& text : other.texts) {
    const auto same = [&](const ConfigText& mine) { return mine.name == text.name; };
    if (std::none_of(texts.begin(), texts.end(), same)) texts.push_back(text);
  }
  for (const Item& item : other.items) {
    const auto [at, fresh] = known.emplace(key(item), items.size());
    if (fresh) {
      items.push_back(item);
    } else {
      items[at->second].reached |= item.reached;
      items[at->second].reachable |= item.reachable;
    }
  }
  // What another release has in a FlowSchema of the same name joins the parts of that.
  std::map<std::pair<std::string, std::string>, std::size_t> order;
  const auto place_of = [&](const Item& item) {
    return order.try_emplace({item.span.file, item.flow_schema}, order.size()).first->second;
  };
  for (const Item& item : items) place_of(item);
  sort_stably(items, [&](const Item& a, const Item& b) { return place_of(a) < place_of(b); });
}

CoverageCounter::CoverageCounter(const Config& config, const Classifier& classifier, KubeVersion version)
    : config_(config), classifier_(classifier), version_(version) {
  const std::vector<Classifier::Schema>& schemas = classifier.schemas();
  const bool any_given = std::any_of(schemas.begin(), schemas.end(), [](const Classifier::Schema& schema) {
    return schema.object.meta.source.tree != nullptr;
  });
  for (std::uint32_t i = 0; i < schemas.size(); ++i) {
    if (!any_given || schemas[i].object.meta.source.tree) add_schema(i);
  }
}

std::size_t CoverageCounter::add(TestCoverage::Kind kind, const FlowSchema& schema, std::optional<std::uint32_t> rule,
                                 std::string field, std::string text) {
  TestCoverage::Item& item = coverage_.items.emplace_back();
  item.kind = kind;
  item.flow_schema = schema.meta.name;
  item.rule = rule;
  item.span = schema.meta.source.span_of(field.empty() ? "metadata.name" : field);
  item.field = std::move(field);
  item.text = std::move(text);
  return coverage_.items.size() - 1;
}

std::size_t CoverageCounter::add_list(const FlowSchema& schema, std::uint32_t rule, const std::string& field,
                                      const std::vector<std::string>& list) {
  const std::size_t first = coverage_.items.size();
  for (std::size_t i = 0; i < list.size(); ++i)
    add(TestCoverage::Kind::entry, schema, rule, fmt::format("{}[{}]", field, i), list[i]);
  return first;
}

void CoverageCounter::add_schema(std::uint32_t index) {
  using Kind = TestCoverage::Kind;
  const FlowSchema& schema = classifier_.schemas()[index].object;
  if (const ConfigNode* node = schema.meta.source.tree.get()) {
    const ConfigTree& tree = node->tree();
    const auto same = [&](const ConfigText& text) { return text.name == tree.name(); };
    if (std::none_of(coverage_.texts.begin(), coverage_.texts.end(), same))
      coverage_.texts.push_back({tree.name(), std::string(tree.text())});
  }
  SchemaPlace& place = places_[index];
  place.item = add(Kind::flow_schema, schema, std::nullopt, "", schema.meta.name);
  for (std::uint32_t r = 0; r < schema.rules.size(); ++r) {
    const PolicyRule& rule = schema.rules[r];
    const std::string field = fmt::format("spec.rules[{}]", r);
    RulePlace& of_rule = place.rules.emplace_back();
    of_rule.item = add(Kind::rule, schema, r, field, fmt::format("rules[{}]", r));
    of_rule.subjects = coverage_.items.size();
    for (std::size_t i = 0; i < rule.subjects.size(); ++i)
      add(Kind::subject, schema, r, fmt::format("{}.subjects[{}]", field, i), subject_words(rule.subjects[i]));
    for (std::size_t i = 0; i < rule.resource_rules.size(); ++i) {
      const ResourceRule& part = rule.resource_rules[i];
      const std::string of = fmt::format("{}.resourceRules[{}]", field, i);
      PartPlace& at = of_rule.resources.emplace_back();
      at.first = {add_list(schema, r, list_field(of, "verbs"), part.verbs),
                  add_list(schema, r, list_field(of, "apiGroups"), part.api_groups),
                  add_list(schema, r, list_field(of, "resources"), part.resources),
                  add_list(schema, r, list_field(of, "namespaces"), part.namespaces)};
      if (part.cluster_scope) at.scope = add(Kind::entry, schema, r, of + ".clusterScope", "clusterScope: true");
    }
    for (std::size_t i = 0; i < rule.non_resource_rules.size(); ++i) {
      const NonResourceRule& part = rule.non_resource_rules[i];
      const std::string of = fmt::format("{}.nonResourceRules[{}]", field, i);
      PartPlace& at = of_rule.urls.emplace_back();
      at.first = {add_list(schema, r, list_field(of, "verbs"), part.verbs),
                  add_list(schema, r, list_field(of, "nonResourceURLs"), part.urls)};
    }
  }
}

void CoverageCounter::mark_list(std::size_t first, const std::vector<std::string>& list, std::string_view value) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (is_any(list) || list[i] == value) coverage_.items[first + i].reached = true;
  }
}

void CoverageCounter::mark_resource(const ResourceRule& part, const PartPlace& place, const RequestInfo& request) {
  mark_list(place.first[0], part.verbs, request.verb);
  mark_list(place.first[1], part.api_groups, request.api_group);
  mark_list(place.first[2], part.resources, joined_resource(request));
  if (!request.ns.empty()) mark_list(place.first[3], part.namespaces, request.ns);
  else if (place.scope != 0) coverage_.items[place.scope].reached = true;
}

void CoverageCounter::mark_url(const NonResourceRule& part, const PartPlace& place, const RequestInfo& request) {
  mark_list(place.first[0], part.verbs, request.verb);
  for (std::size_t i = 0; i < part.urls.size(); ++i) {
    const std::string& url = part.urls[i];
    if (url == "*" || url == request.path || request.path.starts_with(url_prefix(url)))
      coverage_.items[place.first[1] + i].reached = true;
  }
}

void CoverageCounter::count(std::uint32_t schema, const RequestInfo& request, const User& user) {
  const auto at = places_.find(schema);
  if (at == places_.end()) return;
  const SchemaPlace& place = at->second;
  const FlowSchema& object = classifier_.schemas()[schema].object;
  coverage_.items[place.item].reached = true;
  for (std::size_t r = 0; r < object.rules.size(); ++r) {
    const PolicyRule& rule = object.rules[r];
    const RulePlace& of_rule = place.rules[r];
    std::vector<std::size_t> subjects;
    for (std::size_t i = 0; i < rule.subjects.size(); ++i) {
      if (subject_matches(rule.subjects[i], user)) subjects.push_back(of_rule.subjects + i);
    }
    bool matches = false;
    if (!subjects.empty() && request.is_resource_request) {
      for (std::size_t i = 0; i < rule.resource_rules.size(); ++i) {
        if (!match_fields(rule.resource_rules[i], request).all()) continue;
        matches = true;
        mark_resource(rule.resource_rules[i], of_rule.resources[i], request);
      }
    } else if (!subjects.empty()) {
      for (std::size_t i = 0; i < rule.non_resource_rules.size(); ++i) {
        if (!match_fields(rule.non_resource_rules[i], request).all()) continue;
        matches = true;
        mark_url(rule.non_resource_rules[i], of_rule.urls[i], request);
      }
    }
    if (!matches) continue;
    coverage_.items[of_rule.item].reached = true;
    for (const std::size_t item : subjects) coverage_.items[item].reached = true;
  }
}

// What is left and no request could reach is said to be so.
void CoverageCounter::find_unreachable() {
  if (coverage_.reached() == coverage_.items.size()) return;
  const Reach reach(config_, version_);
  const auto mark = [&](std::size_t first, const std::vector<bool>& reached) {
    for (std::size_t i = 0; i < reached.size(); ++i)
      coverage_.items[first + i].reachable = reached[i] || coverage_.items[first + i].reached;
  };
  for (const auto& [index, place] : places_) {
    const std::optional<std::uint32_t> schema = reach.index_of(classifier_.schemas()[index].name);
    if (!schema) continue;
    const SchemaReach& of = reach.of(*schema);
    mark(place.item, {of.reached});
    for (std::size_t r = 0; r < place.rules.size() && r < of.rules.size(); ++r) {
      const RulePlace& rule = place.rules[r];
      mark(rule.item, {of.rules[r].reached});
      mark(rule.subjects, of.rules[r].subjects);
      for (const PartReach& part : of.rules[r].parts) {
        const PartPlace& at = part.is_url ? rule.urls[part.index] : rule.resources[part.index];
        mark(at.first[0], part.verbs);
        if (part.is_url) {
          mark(at.first[1], part.urls);
          continue;
        }
        mark(at.first[1], part.api_groups);
        mark(at.first[2], part.resources);
        mark(at.first[3], part.namespaces);
        if (at.scope != 0) mark(at.scope, {part.cluster_scope});
      }
    }
  }
}

TestCoverage CoverageCounter::take() {
  find_unreachable();
  return std::move(coverage_);
}

}  // namespace apf
