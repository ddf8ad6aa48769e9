#include "lint/reach/seen_requests.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "classify/flow_schema.h"
#include "lint/reach/part.h"

namespace apf {

namespace {

constexpr std::string_view kVerbsOfResources[] = {"list", "watch", "create", "update", "deletecollection", "proxy"};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// "pods", "pods/log"; a segment of a path holds no slash.
bool is_seen_resource(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view resource = text.substr(0, slash);
  if (resource.empty() || resource == "*") return false;
  if (slash == text.npos) return true;
  const std::string_view sub = text.substr(slash + 1);
  return !sub.empty() && sub != "*" && sub.find('/') == sub.npos;
}

}  // namespace

bool is_verb_of_resources(std::string_view verb) { return is_one_of(kVerbsOfResources, verb); }

bool is_verb_of_collections(std::string_view verb) {
  return verb == "list" || verb == "watch" || verb == "deletecollection";
}

bool is_verb_of_names(std::string_view verb) { return verb == "get" || verb == "delete"; }

bool can_be_seen(bool is_url, std::size_t side, std::string_view text) {
  if (is_url) {
    if (side != kVerbSide) return true;
    return !text.empty() && text != "*" && !is_verb_of_resources(text) &&
           std::none_of(text.begin(), text.end(), is_upper);
  }
  if (side == kVerbSide) return is_one_of(kSeenVerbs, text);
  if (side == kResourceSide) return is_seen_resource(text);
  return text != "*" && text.find('/') == text.npos;
}

bool can_be_seen(std::string_view verb, std::string_view resource, std::string_view ns) {
  const bool has_sub = resource.find('/') != resource.npos;
  if (has_sub && is_verb_of_collections(verb)) return false;
  if (!ns.empty() || resource.substr(0, resource.find('/')) != "namespaces") return true;
  return !has_sub && !is_verb_of_names(verb);
}

bool can_be_seen(const RequestInfo& request) {
  if (!request.is_resource_request) return can_be_seen(true, kVerbSide, request.verb);
  const std::string resource = joined_resource(request);
  return can_be_seen(false, kVerbSide, request.verb) && can_be_seen(false, kGroupSide, request.api_group) &&
         can_be_seen(false, kResourceSide, resource) && can_be_seen(false, kNamespaceSide, request.ns) &&
         can_be_seen(request.verb, resource, request.ns);
}

}  // namespace apf
