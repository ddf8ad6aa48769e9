// HTTP methods, the verbs of requests, and the method that each verb is sent with.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace apf {

inline constexpr std::array<std::string_view, 9> kHttpMethods = {"GET",  "POST",    "PUT",     "PATCH", "DELETE",
                                                                 "HEAD", "OPTIONS", "CONNECT", "TRACE"};

struct VerbMethod {
  std::string_view verb, method;
};
// What RequestInfo can hold for resource requests (k8s.io/apiserver/pkg/endpoints/request, v1.36).
inline constexpr std::array<VerbMethod, 9> kResourceVerbs = {{{"get", "GET"},
                                                              {"list", "GET"},
                                                              {"watch", "GET"},
                                                              {"create", "POST"},
                                                              {"update", "PUT"},
                                                              {"patch", "PATCH"},
                                                              {"delete", "DELETE"},
                                                              {"deletecollection", "DELETE"},
                                                              {"proxy", "GET"}}};

// Null: no request for a resource has this verb.
inline const VerbMethod* find_resource_verb(std::string_view verb) {
  const auto* at = std::find_if(kResourceVerbs.begin(), kResourceVerbs.end(),
                                [&](const VerbMethod& known) { return known.verb == verb; });
  return at == kResourceVerbs.end() ? nullptr : at;
}

// The method that `word` is in any case; empty: none.
inline std::string_view find_http_method(std::string_view word) {
  const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; };
  const auto* at = std::find_if(kHttpMethods.begin(), kHttpMethods.end(), [&](std::string_view method) {
    return std::equal(method.begin(), method.end(), word.begin(), word.end(),
                      [&](char a, char b) { return a == upper(b); });
  });
  return at == kHttpMethods.end() ? std::string_view() : *at;
}

}  // namespace apf
