// Requests and users in words, as command lines and test files have them.
//
//   apf::RequestWords words;
//   words.plain = {"GET", "https://10.0.0.1:6443/api/v1/pods?watch=1"};
//   const apf::NamedRequest named = apf::request_of_words(words);
//   std::puts(named.request.info.verb.c_str());  // watch
//
// All functions may be called from several threads at once. Words that are not a request are an Error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>
#include <apf/version.h>

namespace apf {

struct RequestWords {
  std::vector<std::string> plain;
  std::string ns, subresource;  // -n, --subresource
  bool all_namespaces = false;  // -A
};

// VERB RESOURCE [NAME], as name_request() takes it; or an HTTP request: METHOD and a path or URL, the method in any
// case
// ("get /api/v1/pods" is a list, as for the server), also in one word, METHOD:URL; or VERB and a path that the server
// reads as this verb. Errors of the URL are in NamedRequest::request. Throws Error for what no client sends or no
// server reads so, also for a command of kubectl.
APF_API NamedRequest request_of_words(const RequestWords& words);
// Of a method and a path or URL: any case of the methods that HTTP defines, other words as they are.
APF_API NamedRequest http_request(std::string_view method, std::string_view url);

// A get or delete of one object, of which no name is given. No request that a server gets is like this.
APF_API bool lacks_name(const RequestInfo& request);

// The short name of administrator().
inline constexpr std::string_view kAdministrator = "admin";
// kubernetes-admin of a cluster that kubeadm made, also if no preset is named: since 1.29 in kubeadm:cluster-admins;
// before, and with the preset of a provider, in system:masters. The group is its only one.
APF_API User administrator(KubeVersion release, std::string_view preset);

// The user that a short name means, with the groups that such a user has besides those that authentication implies:
//   sa:ci/builder   system:serviceaccount:ci:builder
//   node:a          system:node:a, in system:nodes
//   admin           administrator() of the newest release
//   user:alice      alice
// Any other text is a user of that name. Throws Error for a short name of more than one user, or of none.
APF_API User user_named(const std::string& text);
// Whom a short name means as the subject of a FlowSchema, also those of many: sa:ci/*, node:* and group:NAME; nothing
// if it is no short name. Throws Error.
APF_API std::optional<Subject> subject_named(const std::string& text);

}  // namespace apf
