// Requests and users in words, as command lines and test files have them.
//
//   apf::RequestWords words;
//   words.plain = {"GET", "https://10.0.0.1:6443/api/v1/pods?watch=1"};
//   const apf::NamedRequest named = apf::request_of_words(words);
//   std::puts(named.request.info.verb.c_str());  // watch
//
// All functions may be called from several threads at once. Words that are no request are an Error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <apf/classify.h>
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

}  // namespace apf
