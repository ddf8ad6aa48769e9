// Which verbs the requests for a resource or subresource have, where that is a matter of the API.
#pragma once

#include <span>
#include <string_view>

#include <apf/config.h>

namespace apf {

// "pods/eviction", "tokenreviews": of the rule's requests for this entry of it. Empty: any verb.
std::span<const std::string_view> verbs_of_entry(const ResourceRule& rule, std::string_view entry);

// Whether a request for the entry can have the verb.
bool can_have_verb(const ResourceRule& rule, std::string_view entry, std::string_view verb);

}  // namespace apf
