// The requests that FlowSchemas and an audit policy tell apart, as points of two small grids: resource requests over
// verb, API group, resource and namespace; others over verb and path. On each side every text that a FlowSchema or the
// policy names is a point, and one point is for all others.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>

#include "lint/reach/box.h"

namespace apf {

// A user whom a FlowSchema or the policy names, or one for all others of a group.
struct SpaceUser {
  User user;
  std::string label;   // "User jane", "Group system:nodes"
  bool other = false;  // nobody names it: it is for all others of its group
};

// Texts in the order in which they came, each once.
class TextList {
 public:
  void add(const std::string& text) {
    if (ids_.try_emplace(text, texts_.size()).second) texts_.push_back(text);
  }
  const std::vector<std::string>& texts() const { return texts_; }
  // Those of `wanted` that are here and not the first, which is for all others; false if there are none.
  bool find(const std::vector<std::string>& wanted, Bits& out) const;

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::size_t> ids_;
};

class RecordSpace {
 public:
  struct Resource {
    std::string resource, subresource,
        name;  // empty resource or name: any that is not named; subresource "*": the same
  };
  RecordSpace(const Classifier& classifier, const AuditPolicy& policy);

  const std::vector<SpaceUser>& users() const { return users_; }
  const std::vector<std::string>& verbs() const {
    return verbs_.texts();
  }  // the first is for all others, as of all sides
  const std::vector<std::string>& groups() const { return groups_.texts(); }
  const std::vector<std::string>& namespaces() const { return namespaces_.texts(); }  // the second is ""
  // Those of one resource stand together; the first is for all others.
  const std::vector<Resource>& resources() const { return resources_; }
  const std::vector<std::string>& paths() const { return paths_.texts(); }
  // A path that stands for all that begin with a text ends like this.
  const std::string& unnamed() const { return unnamed_; }

  // What rules match, whosoever's requests: of resources, or of paths.
  std::vector<Box> boxes_of(const PolicyRule& rule, bool paths) const;
  std::vector<Box> boxes_of(const AuditRule& rule, bool paths) const;

 private:
  void add_users(const Classifier& classifier, const AuditPolicy& policy);
  void add_user(std::string name, std::vector<std::string> groups, std::string label, bool other);
  void add_subject(const Subject& subject);
  void add_group(const std::string& group);
  void add_rules(const Classifier& classifier, const AuditPolicy& policy);
  void add_path(const std::string& entry, bool of_policy);
  Box whole(bool paths) const;
  std::optional<Box> box_of(const ResourceRule& part) const;
  std::optional<Box> box_of(const NonResourceRule& part) const;
  bool find_resources(const AuditResources& entry, Bits& out) const;

  std::string unnamed_;
  std::vector<SpaceUser> users_;
  std::unordered_map<std::string, std::size_t> user_ids_;  // by label
  TextList verbs_, groups_, namespaces_, paths_;
  std::vector<Resource> resources_;
  std::unordered_map<std::string, std::pair<std::size_t, std::size_t>> resource_ranges_;  // by resource
};

}  // namespace apf
