#include "lint/reach/record_space.h"

#include <algorithm>
#include <map>
#include <set>

#include "classify/flow_schema.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

// Users of the control plane and the groups that they are in besides those that follow from the name.
constexpr const char* kApiserver = "system:apiserver";
constexpr const char* kMasters = "system:masters";
constexpr std::string_view kNode = "system:node:";

void add(std::vector<std::string>& list, const std::string& text) {
  if (!holds(list, text)) list.push_back(text);
}

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
  verbs_ = groups_ = namespaces_ = {unnamed_};
  add(namespaces_, "");
  add(groups_, "");
  for (const char* verb : {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"})
    add(verbs_, verb);
  paths_ = {"/" + unnamed_};
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
          for (const std::string& verb : part.verbs) add(verbs_, verb);
        if (!is_any(part.api_groups))
          for (const std::string& group : part.api_groups) add(groups_, group);
        if (!is_any(part.namespaces))
          for (const std::string& ns : part.namespaces) add(namespaces_, ns);
        if (!is_any(part.resources))
          for (const std::string& entry : part.resources) add_entry(entry);
      }
      for (const NonResourceRule& part : rule.non_resource_rules) {
        if (!is_any(part.verbs))
          for (const std::string& verb : part.verbs) add(verbs_, verb);
        for (const std::string& url : part.urls) add_path(url, false);
      }
    }
  }
  for (const AuditRule& rule : policy.rules) {
    for (const std::string& verb : rule.verbs) add(verbs_, verb);
    for (const std::string& ns : rule.namespaces) add(namespaces_, ns);
    for (const std::string& url : rule.non_resource_urls) add_path(url, true);
    for (const AuditResources& entry : rule.resources) {
      if (entry.group != "*") add(groups_, entry.group);
      for (const std::string& pattern : entry.resources) {
        const std::string resource = add_entry(pattern);
        names[resource].insert(entry.resource_names.begin(), entry.resource_names.end());
      }
    }
  }
  resources.insert("");
  for (const std::string& resource : resources) {
    for (const std::string& subresource : subresources) {
      std::set<std::string> of = names[""];
      of.insert(names[resource].begin(), names[resource].end());
      of.insert("");
      for (const std::string& name : of) resources_.push_back({resource, subresource, name});
    }
  }
}

// The longest text that a path begins with, and which whole ones it is, decide about it.
void RecordSpace::add_path(const std::string& entry, bool of_policy) {
  std::string prefix = entry;
  if (of_policy) {
    while (prefix.ends_with('*')) prefix.pop_back();
    if (prefix.size() == entry.size()) return add(paths_, entry);
  } else {
    prefix = entry == "*" ? "/" : url_prefix(entry);
    if (entry != "*" && !entry.ends_with('*')) add(paths_, entry);
  }
  if (prefix.empty()) prefix = "/";
  add(paths_, prefix);
  add(paths_, prefix + unnamed_);
}

void RecordSpace::add_user(std::string name, std::vector<std::string> groups, std::string label, bool other) {
  if (std::any_of(users_.begin(), users_.end(), [&](const SpaceUser& u) { return u.label == label; })) return;
  SpaceUser out{{std::move(name), std::move(groups)}, std::move(label), other};
  if (out.user.name == kApiserver) out.user.groups.emplace_back(kMasters);
  if (out.user.name.starts_with(kNode)) add(out.user.groups, "system:nodes");
  add_implied_groups(out.user);
  users_.push_back(std::move(out));
}

void RecordSpace::add_group(const std::string& group) {
  constexpr std::string_view kAccounts = "system:serviceaccounts";
  const std::string label = "Group " + group;
  if (group == "system:unauthenticated") return add_user("system:anonymous", {group}, label, true);
  if (group == kAccounts)
    return add_user(std::string(kServiceAccountPrefix) + unnamed_ + ":" + unnamed_, {}, label, true);
  if (group.starts_with(std::string(kAccounts) + ":"))
    return add_user(std::string(kServiceAccountPrefix) + group.substr(kAccounts.size() + 1) + ":" + unnamed_, {}, label,
                    true);
  if (group == "system:authenticated") return add_user(unnamed_, {}, label, true);
  if (group == "system:nodes") return add_user(std::string(kNode) + unnamed_, {}, label, true);
  add_user(unnamed_, {group}, label, true);
}

void RecordSpace::add_subject(const Subject& subject) {
  if (subject.kind == "User" && subject.user && *subject.user != "*")
    add_user(*subject.user, {}, "User " + *subject.user, false);
  if (subject.kind == "Group" && subject.group && *subject.group != "*") add_group(*subject.group);
  if (subject.kind != "ServiceAccount" || !subject.service_account) return;
  const auto& [ns, name] = *subject.service_account;
  if (name == "*") return add_group("system:serviceaccounts:" + ns);
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
      const auto plain =
          std::find_if(users_.begin(), users_.end(), [&](const SpaceUser& u) { return u.label == label; });
      const std::vector<std::string> implied = plain->user.groups;
      // A rule that names both asks for a user in the group: nothing else says whether this one is.
      for (const std::string& group : rule.user_groups)
        if (!holds(implied, group)) add_user(user, {group}, label + " in group " + group, false);
    }
  }
}

Box RecordSpace::whole(bool paths) const {
  Box box;
  box[0].assign(verbs_.size(), true);
  box[1].assign(paths ? paths_.size() : groups_.size(), true);
  box[2].assign(paths ? 1 : resources_.size(), true);
  box[3].assign(paths ? 1 : namespaces_.size(), true);
  return box;
}

std::vector<Box> RecordSpace::boxes_of(const FlowSchema& schema, const User& user, bool paths) const {
  std::vector<Box> out;
  const auto lists = [](const std::vector<std::string>& list, const std::vector<std::string>& texts) {
    return [&list, &texts](std::size_t i) { return is_any(list) || (i > 0 && holds(list, texts[i])); };
  };
  for (const PolicyRule& rule : schema.rules) {
    if (std::none_of(rule.subjects.begin(), rule.subjects.end(),
                     [&](const Subject& subject) { return subject_matches(subject, user); }))
      continue;
    if (paths) {
      for (const NonResourceRule& part : rule.non_resource_rules) {
        Box box = whole(true);
        RequestInfo info;
        const bool some =
            fill(box[0], verbs_.size(), lists(part.verbs, verbs_)) && fill(box[1], paths_.size(), [&](std::size_t i) {
              info.path = paths_[i];
              return match_fields(part, info).url;
            });
        if (some) out.push_back(std::move(box));
      }
      continue;
    }
    for (const ResourceRule& part : rule.resource_rules) {
      Box box = whole(false);
      const bool any_resource = is_any(part.resources);
      const bool some = fill(box[0], verbs_.size(), lists(part.verbs, verbs_)) &&
                        fill(box[1], groups_.size(), lists(part.api_groups, groups_)) &&
                        fill(box[2], resources_.size(),
                             [&](std::size_t i) {
                               const Resource& at = resources_[i];
                               return any_resource || (!at.resource.empty() && at.subresource != "*" &&
                                                       holds(part.resources, at.subresource.empty()
                                                                                 ? at.resource
                                                                                 : at.resource + '/' + at.subresource));
                             }) &&
                        fill(box[3], namespaces_.size(), [&](std::size_t i) {
                          if (i == 1) return part.cluster_scope;
                          return is_any(part.namespaces) || (i > 0 && holds(part.namespaces, namespaces_[i]));
                        });
      if (some) out.push_back(std::move(box));
    }
  }
  return out;
}

std::vector<Box> RecordSpace::boxes_of(const AuditRule& rule, const User& user, bool paths) const {
  std::vector<Box> out;
  if (!rule.users.empty() && !holds(rule.users, user.name)) return out;
  if (!rule.user_groups.empty() && std::none_of(user.groups.begin(), user.groups.end(), [&](const std::string& group) {
        return holds(rule.user_groups, group);
      }))
    return out;
  Box box = whole(paths);
  if (!rule.verbs.empty() &&
      !fill(box[0], verbs_.size(), [&](std::size_t i) { return i > 0 && holds(rule.verbs, verbs_[i]); }))
    return out;
  const bool of_resources = !rule.namespaces.empty() || !rule.resources.empty();
  if (paths) {
    if (of_resources) return out;
    const auto matches = [&](std::size_t i) {
      return std::any_of(rule.non_resource_urls.begin(), rule.non_resource_urls.end(), [&](std::string_view pattern) {
        if (pattern == paths_[i] || pattern == "*") return true;
        if (!pattern.ends_with('*')) return false;
        while (pattern.ends_with('*')) pattern.remove_suffix(1);
        return std::string_view(paths_[i]).starts_with(pattern);
      });
    };
    if (rule.non_resource_urls.empty() || fill(box[1], paths_.size(), matches)) out.push_back(std::move(box));
    return out;
  }
  if (!of_resources) {
    if (rule.non_resource_urls.empty()) out.push_back(std::move(box));
    return out;
  }
  if (!rule.namespaces.empty() &&
      !fill(box[3], namespaces_.size(), [&](std::size_t i) { return i > 0 && holds(rule.namespaces, namespaces_[i]); }))
    return out;
  if (rule.resources.empty()) out.push_back(box);
  for (const AuditResources& entry : rule.resources) {
    Box of_entry = box;
    if (entry.group != "*" &&
        !fill(of_entry[1], groups_.size(), [&](std::size_t i) { return i > 0 && groups_[i] == entry.group; }))
      continue;
    const bool some = fill(of_entry[2], resources_.size(), [&](std::size_t i) {
      const Resource& at = resources_[i];
      if (entry.resources.empty()) return true;
      if (!entry.resource_names.empty() && (at.name.empty() || !holds(entry.resource_names, at.name))) return false;
      return std::any_of(entry.resources.begin(), entry.resources.end(),
                         [&](const std::string& pattern) { return matches_entry(pattern, at); });
    });
    if (some) out.push_back(std::move(of_entry));
  }
  return out;
}

}  // namespace apf
