#include "lint/reach/index.h"

#include <algorithm>

#include "base/identities.h"
#include "classify/flow_schema.h"
#include "lint/reach/identity.h"

namespace apf {

namespace {

std::uint64_t mask_of(const std::vector<std::uint32_t>& ids) {
  std::uint64_t mask = 0;
  for (const std::uint32_t id : ids) mask |= std::uint64_t{1} << (id % 64);
  return mask;
}

}  // namespace

ReachIndex::ReachIndex(std::span<const FlowSchema* const> schemas) {
  texts_.emplace_back();  // of kUnnamed
  add_text("");           // of kNoNamespace
  for (std::uint32_t schema = 0; schema < schemas.size(); ++schema) {
    const std::vector<PolicyRule>& rules = schemas[schema]->rules;
    std::vector<std::uint32_t>& begins = rule_begins_.emplace_back();
    for (std::uint32_t rule = 0; rule < rules.size(); ++rule) {
      const auto begin = static_cast<std::uint32_t>(parts_.size());
      begins.push_back(begin);
      for (std::uint32_t i = 0; i < rules[rule].resource_rules.size(); ++i) {
        add_part(rules[rule].resource_rules[i], {schema, rule, i, false, {}, false, {}, {}, {}});
      }
      for (std::uint32_t i = 0; i < rules[rule].non_resource_rules.size(); ++i) {
        add_part(rules[rule].non_resource_rules[i], {schema, rule, i, true, {}, false, {}, {}, {}});
      }
      const auto end = static_cast<std::uint32_t>(parts_.size());
      for (const Subject& subject : rules[rule].subjects) subjects_.add(subject, begin, end);
    }
    begins.push_back(static_cast<std::uint32_t>(parts_.size()));
  }
  choose_unnamed(schemas);
  for (ReachPart& part : parts_) paths_.add(part);
  subjects_.finish(parts_);
}

std::pair<std::uint32_t, std::uint32_t> ReachIndex::parts_of(std::uint32_t schema, std::uint32_t rule) const {
  return {rule_begins_[schema][rule], rule_begins_[schema][rule + 1]};
}

std::uint32_t ReachIndex::add_text(std::string_view text) {
  const std::uint32_t id = strings_.add(text);
  if (id == texts_.size()) texts_.push_back(text);
  return id;
}

IdSet ReachIndex::add_list(const std::vector<std::string>& list) {
  IdSet out;
  out.any = is_any(list);
  if (out.any) return out;
  for (const std::string& text : list) out.ids.push_back(add_text(text));
  std::sort(out.ids.begin(), out.ids.end());
  out.ids.erase(std::unique(out.ids.begin(), out.ids.end()), out.ids.end());
  out.mask = mask_of(out.ids);
  return out;
}

void ReachIndex::add_part(const ResourceRule& rule, ReachPart part) {
  part.sides = {add_list(rule.verbs), add_list(rule.api_groups), add_list(rule.resources), add_list(rule.namespaces)};
  // Without a namespace only clusterScope counts, "" in `namespaces` matches nothing.
  IdSet& namespaces = part.sides[kNamespaceSide];
  std::erase(namespaces.ids, kNoNamespace);
  if (rule.cluster_scope) namespaces.ids.insert(namespaces.ids.begin(), kNoNamespace);  // the smallest id
  namespaces.mask = mask_of(namespaces.ids);
  parts_.push_back(std::move(part));
}

void ReachIndex::add_part(const NonResourceRule& rule, ReachPart part) {
  part.sides[kVerbSide] = add_list(rule.verbs);
  for (const std::string& entry : rule.urls) {
    part.any_path = part.any_path || entry == "*";
    part.exact_paths.push_back(entry);
    part.path_prefixes.push_back(url_prefix(entry));
  }
  parts_.push_back(std::move(part));
}

// A word that occurs in no text of the configuration.
void ReachIndex::choose_unnamed(std::span<const FlowSchema* const> schemas) {
  std::string all;
  const auto add = [&](std::string_view text) { (all += text) += '\n'; };
  unnamed_ = "any-other";
  for (const std::string_view text : texts_) {
    if (text.find(unnamed_) != text.npos) add(text);
  }
  for (const ReachPart& part : parts_) {
    for (const std::string& path : part.exact_paths) {
      if (path.find(unnamed_) != path.npos) add(path);
    }
  }
  for (const FlowSchema* schema : schemas) {
    for (const PolicyRule& rule : schema->rules) {
      for (const Subject& subject : rule.subjects) {
        const std::string key = subject_key(subject);
        if (key.find(unnamed_) != key.npos) add(key);
      }
    }
  }
  for (int number = 2; all.find(unnamed_) != all.npos; ++number) unnamed_ = "any-other-" + std::to_string(number);
}

std::vector<ReachUser> ReachIndex::least_users(const Subject& subject) const {
  const auto user_in = [&](std::string name, std::vector<std::string> groups) {
    User user{std::move(name), std::move(groups)};
    add_authenticated_groups(user);
    return subjects_.file_user(std::move(user));
  };
  const auto account = [&](const std::string& ns, const std::string& name) {
    return user_in(std::string(kServiceAccountPrefix) + ns + ':' + name, {});
  };
  const bool is_user = subject.kind == "User" && subject.user, is_group = subject.kind == "Group" && subject.group;
  if ((is_user && *subject.user == "*") || (is_group && *subject.group == "*"))
    return {user_in(unnamed_, {}), user_in("system:anonymous", {})};
  if (is_user) return {user_in(*subject.user, {})};
  if (is_group) {
    const std::string_view group = *subject.group;
    if (group == "system:unauthenticated") return {user_in("system:anonymous", {})};
    if (group == kNodesGroup) return {user_in(std::string(kNodePrefix) + unnamed_, {})};
    // All service accounts: one of a namespace that is not named has no further group that is.
    if (group == kServiceAccountsGroup) return {account(unnamed_, unnamed_)};
    if (is_group_of_kind(group) && group != "system:authenticated") {
      const std::string ns(group.substr(kNamespaceGroupPrefix.size()));
      if (ns.empty() || ns.find(':') != ns.npos) return {};
      return {account(ns, unnamed_)};
    }
    return {user_in(unnamed_, {*subject.group})};
  }
  if (subject.kind == "ServiceAccount" && subject.service_account) {
    const auto& [ns, name] = *subject.service_account;
    return {account(ns, name == "*" ? unnamed_ : name)};
  }
  return {};
}

}  // namespace apf
