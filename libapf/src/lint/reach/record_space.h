// The requests that FlowSchemas and an audit policy tell apart, as points of two small grids: resource requests over
// verb, API group, resource and namespace; others over verb and path. On each side every text that a FlowSchema or the
// policy names is a point, and one point is for all others.
#pragma once

#include <string>
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

class RecordSpace {
 public:
  struct Resource {
    std::string resource, subresource,
        name;  // empty resource or name: any that is not named; subresource "*": the same
  };
  RecordSpace(const Classifier& classifier, const AuditPolicy& policy);

  const std::vector<SpaceUser>& users() const { return users_; }
  const std::vector<std::string>& verbs() const { return verbs_; }  // the first is for all others, as of all sides
  const std::vector<std::string>& groups() const { return groups_; }
  const std::vector<std::string>& namespaces() const { return namespaces_; }  // the second is ""
  const std::vector<Resource>& resources() const { return resources_; }
  const std::vector<std::string>& paths() const { return paths_; }
  // A path that stands for all that begin with a text ends like this.
  const std::string& unnamed() const { return unnamed_; }

  // What a FlowSchema matches of a user's requests: of resources, or of paths.
  std::vector<Box> boxes_of(const FlowSchema& schema, const User& user, bool paths) const;
  std::vector<Box> boxes_of(const AuditRule& rule, const User& user, bool paths) const;

 private:
  void add_users(const Classifier& classifier, const AuditPolicy& policy);
  void add_user(std::string name, std::vector<std::string> groups, std::string label, bool other);
  void add_subject(const Subject& subject);
  void add_group(const std::string& group);
  void add_rules(const Classifier& classifier, const AuditPolicy& policy);
  void add_path(const std::string& entry, bool of_policy);
  Box whole(bool paths) const;

  std::string unnamed_;
  std::vector<SpaceUser> users_;
  std::vector<std::string> verbs_, groups_, namespaces_, paths_;
  std::vector<Resource> resources_;
};

}  // namespace apf
