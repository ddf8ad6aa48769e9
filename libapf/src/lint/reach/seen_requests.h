// Which requests a server can see: what RequestInfo makes of methods and paths.
//
// A GET or DELETE without the name of an object is a list, watch or deletecollection; with one it never is, also where
// a fieldSelector names the object. Subresources come after a name. What lies below namespaces/NAME is in that
// namespace, and so is the namespace itself. Left out are paths below /watch/ and /proxy/ of an API version, which no
// client has used for years, and names that no object can have.
#pragma once

#include <cstddef>
#include <string_view>

#include <apf/classify.h>

namespace apf {

// The verbs of resource requests; the empty one is that of methods such as OPTIONS.
inline constexpr std::string_view kSeenVerbs[] = {
    "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", ""};

// Only resource requests have it: list, watch, create, update, deletecollection, proxy.
bool is_verb_of_resources(std::string_view verb);
// Of a request for all objects of a resource, of none by name: list, watch, deletecollection.
bool is_verb_of_collections(std::string_view verb);
// Of a request for an object by name: get, delete.
bool is_verb_of_names(std::string_view verb);

// Can a request have the text on this side (kVerbSide, …)? "*" is none but a wildcard. Of paths all is possible.
bool can_be_seen(bool is_url, std::size_t side, std::string_view text);

// By what classification looks at. `resource` with its subresource.
bool can_be_seen(std::string_view verb, std::string_view resource, std::string_view ns);
bool can_be_seen(const RequestInfo& request);

}  // namespace apf
