// Whether a FlowSchema's parts match, straight from the object: what matches_flow_schema and explain() are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>

#include "base/identities.h"

namespace apf {

// A list that is exactly one "*" holds anything; otherwise a "*" is a string like any other.
bool is_any(const std::vector<std::string>& list);
bool list_holds(const std::vector<std::string>& list, std::string_view text);

bool subject_matches(const Subject& subject, const User& user);

// "pods", or "pods/status" for a subresource: what is looked for in `resources`.
std::string joined_resource(const RequestInfo& info);

// Which fields of a rule accept the request.
struct ResourceRuleFields {
  bool verb, group, resource, ns;
  int count() const { return verb + group + resource + ns; }
  bool all() const { return count() == 4; }
};
ResourceRuleFields match_fields(const ResourceRule& rule, const RequestInfo& info);

struct NonResourceRuleFields {
  bool verb, url;
  int count() const { return verb + url; }
  bool all() const { return count() == 2; }
};
NonResourceRuleFields match_fields(const NonResourceRule& rule, const RequestInfo& info);

// The prefix that an entry of nonResourceURLs also matches: less one trailing "*", ending in "/".
std::string url_prefix(std::string_view entry);

}  // namespace apf
