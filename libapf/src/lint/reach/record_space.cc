#include "lint/reach/record_space.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/identities.h"
#include "classify/flow_schema.h"
#include "lint/given_schemas.h"
#include "lint/reach/identity.h"

namespace apf {

namespace {

// "pods", "pods/log", "*", "*/log", "pods/*".
bool matches_entry(std::string_view entry, const RecordSpace::Resource& at) {
  if (entry == "*") return true;
  const std::size_t slash = entry.find('/');
  if (slash == entry.npos) return at.subresource.empty() && !at.resource.empty() && entry == at.resource;
  const std::string_view resource = entry.substr(0, slash), subresource = entry.substr(slash + 1);
  if (subresource == "*") return !at.resource.empty() && resource == at.resource;
  if (subresource != at.subresource || subresource.empty()) return false;
  return resource == "*" || (!at.resource.empty() && resource == at.resource);
}

template <class Accepts>
bool fill(Bits& bits, std::size_t size, Accepts accepts) {
  bits.assign(size, false);
  bool some = false;
  for (std::size_t i = 0; i < size; ++i) {
    if (!accepts(i)) continue;
    bits.set(i);
    some = true;
  }
  return some;
}

}  // namespace

RecordSpace::RecordSpace(const Classifier& classifier, const AuditPolicy& policy) {
  // A text that occurs nowhere: longer than any that does.
  std::size_t longest = 0;
  const auto measure = [&](const std::vector<std::string>& list) {
    for (const std::string& text : list) longest = std::max(longest, text.size());
  };
  for (const auto& schema : classifier.schemas())
    for (const PolicyRule& rule : schema.object.rules) {
      for (const ResourceRule& part : rule.resource_rules) measure(part.resources), measure(part.namespaces);
      for (const NonResourceRule& part : rule.non_resource_rules) measure(part.urls);
      for (const Subject& s : rule.subjects) longest = std::max(longest, s.user.value_or(s.group.value_or("")).size());
    }
  for (const AuditRule& rule : policy.rules) {
    measure(rule.users), measure(rule.user_groups), measure(rule.non_resource_urls), measure(rule.namespaces);
    for (const AuditResources& entry : rule.resources) measure(entry.resources), measure(entry.resource_names);
  }
  unnamed_ = "x" + std::string(longest, '-') + "x";
  for (TextList* list : {&verbs_, &groups_, &namespaces_}) list->add(unnamed_);
  namespaces_.add("");
  groups_.add("");
  for (const char* verb : {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"})
    verbs_.add(verb);
  paths_.add("/" + unnamed_);
  add_rules(classifier, policy);
  add_users(classifier, policy);
}

void RecordSpace::add_rules(const Classifier& classifier, const AuditPolicy& policy) {
  std::set<std::string> resources, subresources{"", "*"};
  std::map<std::string, std::set<std::string>> names;  // by resource, of which a rule names objects; "": of any
  const auto add_entry = [&](const std::string& entry) {
    const std::size_t slash = entry.find('/');
    const std::string resource = entry.substr(0, slash);
    if (resource != "*") resources.insert(resource);
    if (slash != entry.npos && entry.substr(slash + 1) != "*") subresources.insert(entry.substr(slash + 1));
    return resource == "*" ? std::string() : resource;
  };
  for (const auto& schema : classifier.schemas()) {
    for (const PolicyRule& rule : schema.object.rules) {
      for (const ResourceRule& part : rule.resource_rules) {
        if (!is_any(part.verbs))
          for (const std::string& verb : part.verbs) verbs_.add(verb);
        if (!is_any(part.api_groups))
          for (const std::string& group : part.api_groups) groups_.add(group);
        if (!is_any(part.namespaces))
          for (const std::string& ns : part.namespaces) namespaces_.add(ns);
        if (!is_any(part.resources))
          for (const std::string& entry : part.resources) add_entry(entry);
      }
      for (const NonResourceRule& part : rule.non_resource_rules) {
        if (!is_any(part.verbs))
          for (const std::string& verb : part.verbs) verbs_.add(verb);
        for (const std::string& url : part.urls) add_path(url, false);
      }
    }
  }
  for (const AuditRule& rule : policy.rules) {
    for (const std::string& verb : rule.verbs) verbs_.add(verb);
    for (const std::string& ns : rule.namespaces) namespaces_.add(ns);
    for (const std::string& url : rule.non_resource_urls) add_path(url, true);
    for (const AuditResources& entry : rule.resources) {
      if (entry.group != "*") groups_.add(entry.group);
      for (const std::string& pattern : entry.resources) {
        const std::string resource = add_entry(pattern);
        names[resource].insert(entry.resource_names.begin(), entry.resource_names.end());
      }
    }
  }
  resources.insert("");
  for (const std::string& resource : resources) {
    resource_ranges_[resource].first = resources_.size();
    for (const std::string& subresource : subresources) {
      std::set<std::string> of = names[""];
      of.insert(names[resource].begin(), names[resource].end());
      of.insert("");
      for (const std::string& name : of) resources_.push_back({resource, subresource, name});
    }
    resource_ranges_[resource].second = resources_.size();
  }
}

// The longest text that a path begins with, and which whole ones it is, decide about it.
void RecordSpace::add_path(const std::string& entry, bool of_policy) {
  std::string prefix = entry;
  if (of_policy) {
    while (prefix.ends_with('*')) prefix.pop_back();
    if (prefix.size() == entry.size()) return paths_.add(entry);
  } else {
    prefix = entry == "*" ? "/" : url_prefix(entry);
    if (entry != "*" && !entry.ends_with('*')) paths_.add(entry);
  }
  if (prefix.empty()) prefix = "/";
  paths_.add(prefix);
  paths_.add(prefix + unnamed_);
}

void RecordSpace::add_user(std::string name, std::vector<std::string> groups, std::string label, bool other) {
  if (!user_ids_.try_emplace(label, users_.size()).second) return;
  SpaceUser out{{std::move(name), std::move(groups)}, std::move(label), other};
  add_authenticated_groups(out.user);
  users_.push_back(std::move(out));
}

void RecordSpace::add_group(const std::string& group) {
  const std::string label = "Group " + group;
  if (group == "system:unauthenticated") return add_user("system:anonymous", {group}, label, true);
  if (group == kServiceAccountsGroup)
    return add_user(std::string(kServiceAccountPrefix) + unnamed_ + ":" + unnamed_, {}, label, true);
  if (group.starts_with(kNamespaceGroupPrefix))
    return add_user(std::string(kServiceAccountPrefix) + group.substr(kNamespaceGroupPrefix.size()) + ":" + unnamed_,
                    {}, label, true);
  if (group == "system:authenticated") return add_user(unnamed_, {}, label, true);
  if (group == kNodesGroup) return add_user(std::string(kNodePrefix) + unnamed_, {}, label, true);
  add_user(unnamed_, {group}, label, true);
}

void RecordSpace::add_subject(const Subject& subject) {
  if (subject.kind == "User" && subject.user && *subject.user != "*")
    add_user(*subject.user, {}, "User " + *subject.user, false);
  if (subject.kind == "Group" && subject.group && *subject.group != "*") add_group(*subject.group);
  if (subject.kind != "ServiceAccount" || !subject.service_account) return;
  const auto& [ns, name] = *subject.service_account;
  if (name == "*") return add_group(std::string(kNamespaceGroupPrefix) + ns);
  const std::string user = std::string(kServiceAccountPrefix) + ns + ':' + name;
  add_user(user, {}, "User " + user, false);
}

void RecordSpace::add_users(const Classifier& classifier, const AuditPolicy& policy) {
  for (const char* group : {"system:authenticated", "system:unauthenticated", "system:serviceaccounts"})
    add_group(group);
  for (const auto& schema : classifier.schemas())
    for (const PolicyRule& rule : schema.object.rules)
      for (const Subject& subject : rule.subjects) add_subject(subject);
  for (const AuditRule& rule : policy.rules) {
    for (const std::string& group : rule.user_groups) add_group(group);
    for (const std::string& user : rule.users) {
      const std::string label = "User " + user;
      add_user(user, {}, label, false);
      const std::vector<std::string> implied = users_[user_ids_.at(label)].user.groups;
      // A rule that names both asks for a user in the group: nothing else says whether this one is.
      for (const std::string& group : rule.user_groups)
        if (!holds(implied, group)) add_user(user, {group}, label + " in group " + group, false);
    }
  }
}

Box RecordSpace::whole(bool paths) const {
  Box box;
  box[0].assign(verbs().size(), true);
  box[1].assign(paths ? this->paths().size() : groups().size(), true);
  box[2].assign(paths ? 1 : resources_.size(), true);
  box[3].assign(paths ? 1 : namespaces().size(), true);
  return box;
}

bool TextList::find(const std::vector<std::string>& wanted, Bits& out) const {
  out.assign(texts_.size(), false);
  bool some = false;
  for (const std::string& text : wanted) {
    const auto at = ids_.find(text);
    if (at == ids_.end() || at->second == 0) continue;
    out.set(at->second);
    some = true;
  }
  return some;
}

std::optional<Box> RecordSpace::box_of(const NonResourceRule& part) const {
  Box box = whole(true);
  if (!is_any(part.verbs) && !verbs_.find(part.verbs, box[0])) return std::nullopt;
  RequestInfo info;
  const bool some = fill(box[1], paths().size(), [&](std::size_t i) {
    info.path = paths()[i];
    return match_fields(part, info).url;
  });
  return some ? std::optional(std::move(box)) : std::nullopt;
}

std::optional<Box> RecordSpace::box_of(const ResourceRule& part) const {
  Box box = whole(false);
  if (!is_any(part.verbs) && !verbs_.find(part.verbs, box[0])) return std::nullopt;
  if (!is_any(part.api_groups) && !groups_.find(part.api_groups, box[1])) return std::nullopt;
  const auto has_resource = [&](std::size_t i) {
    const Resource& at = resources_[i];
    return !at.resource.empty() && at.subresource != "*" &&
           holds(part.resources, at.subresource.empty() ? at.resource : at.resource + '/' + at.subresource);
  };
  if (!is_any(part.resources) && !fill(box[2], resources_.size(), has_resource)) return std::nullopt;
  Bits named;
  if (!is_any(part.namespaces)) {
    namespaces_.find(part.namespaces, named);
    box[3] = std::move(named);
  }
  Bits cluster;
  cluster.assign(namespaces().size(), false);
  cluster.set(1);
  box[3] -= cluster;
  if (part.cluster_scope) box[3] |= cluster;
  return box[3].none() ? std::nullopt : std::optional(std::move(box));
}

std::vector<Box> RecordSpace::boxes_of(const PolicyRule& rule, bool paths) const {
  std::vector<Box> out;
  const auto add = [&](std::optional<Box> box) {
    if (box) out.push_back(std::move(*box));
  };
  if (paths) {
    for (const NonResourceRule& part : rule.non_resource_rules) add(box_of(part));
  } else {
    for (const ResourceRule& part : rule.resource_rules) add(box_of(part));
  }
  return out;
}

bool RecordSpace::find_resources(const AuditResources& entry, Bits& out) const {
  out.assign(resources_.size(), entry.resources.empty());
  if (entry.resources.empty()) return true;
  bool some = false;
  for (const std::string& pattern : entry.resources) {
    const std::string resource = pattern.substr(0, pattern.find('/'));
    std::pair<std::size_t, std::size_t> range = {0, resources_.size()};
    if (resource != "*") {
      const auto at = resource_ranges_.find(resource);
      if (at == resource_ranges_.end()) continue;
      range = at->second;
    }
    for (std::size_t i = range.first; i < range.second; ++i) {
      const Resource& at = resources_[i];
      if (!entry.resource_names.empty() && (at.name.empty() || !holds(entry.resource_names, at.name))) continue;
      if (!matches_entry(pattern, at)) continue;
      out.set(i);
      some = true;
    }
  }
  return some;
}

std::vector<Box> RecordSpace::boxes_of(const AuditRule& rule, bool paths) const {
  std::vector<Box> out;
  Box box = whole(paths);
  if (!rule.verbs.empty() && !verbs_.find(rule.verbs, box[0])) return out;
  const bool of_resources = !rule.namespaces.empty() || !rule.resources.empty();
  if (paths) {
    if (of_resources) return out;
    const auto matches = [&](std::size_t i) {
      const std::string& path = this->paths()[i];
      return std::any_of(rule.non_resource_urls.begin(), rule.non_resource_urls.end(), [&](std::string_view pattern) {
        if (pattern == path || pattern == "*") return true;
        if (!pattern.ends_with('*')) return false;
        while (pattern.ends_with('*')) pattern.remove_suffix(1);
        return path.starts_with(pattern);
      });
    };
    if (rule.non_resource_urls.empty() || fill(box[1], this->paths().size(), matches)) out.push_back(std::move(box));
    return out;
  }
  if (!of_resources) {
    if (rule.non_resource_urls.empty()) out.push_back(std::move(box));
    return out;
  }
  if (!rule.namespaces.empty() && !namespaces_.find(rule.namespaces, box[3])) return out;
  if (rule.resources.empty()) out.push_back(box);
  for (const AuditResources& entry : rule.resources) {
    Box of_entry = box;
    if (entry.group != "*" && !groups_.find({entry.group}, of_entry[1])) continue;
    if (find_resources(entry, of_entry[2])) out.push_back(std::move(of_entry));
  }
  return out;
}

}  // namespace apf
