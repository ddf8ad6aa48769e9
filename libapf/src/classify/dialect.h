// What the dialect of a configuration changes about matching requests (config/dialect.h does the same for objects).
// Rules of the API are compiled; a FlowSchema of another dialect has a predicate of its own. Only dialect.cc and the
// folder kep include what is there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <apf/classify.h>

#include "classify/request_view.h"

namespace apf {

// Matches the requests of one user where no compiled rules do.
class UserMatcher {
 public:
  virtual ~UserMatcher() = default;
  // The first FlowSchema that matches; `otherwise` if none does.
  virtual std::uint32_t match(const RequestInfo& request, std::uint32_t otherwise) const = 0;
  virtual std::uint32_t match(const RequestView& request, std::uint32_t otherwise) const = 0;
};
// `schemas` in the order in which they are evaluated; they must outlive the matcher. Null if compiled rules match them.
std::unique_ptr<const UserMatcher> user_matcher(const std::vector<Classifier::Schema>& schemas, const User& user);

// --- one FlowSchema

// True if the FlowSchema has a predicate in place of rules.
bool has_predicate(const FlowSchema& schema);
bool predicate_matches(const FlowSchema& schema, const RequestInfo& info, const User& user);
// Fills in why the predicate matches or not; names and precedence are there already.
void explain_predicate(const FlowSchema& schema, const RequestInfo& info, const User& user, TraceEntry& out);
// True for those that are evaluated after all others, with any precedence.
bool is_backstop(const FlowSchema& schema);

// --- flow distinguishers that are a part of the user's name or of the namespace

bool has_partial_distinguisher(const FlowSchema& schema);
std::string_view distinguisher_part(const Classifier::Schema& schema, std::string_view attribute);
// How it came about; empty unless it is such a part.
std::string explain_distinguisher(const Classifier::Schema& schema, const RequestInfo& info, const User& user);

// --- whole configurations

// What of a configuration is in force: without the levels that a dialect ignores as malformed, and with what it implies
// in their place. Configurations of the API stay as they are; others are made in `storage`.
const Config& in_force(const Config& config, Config& storage);
// True if the last FlowSchema that is evaluated matches what no other does, under any name.
bool last_matches_all(const Config& config);

// True if the levels exempt and catch-all are there even if they are not given.
bool imagines_mandatory_levels(const Config& config);

// True if matching looks at more of a request than user, verb, group, resource, subresource, namespace and path.
bool looks_at_all_fields(const Classifier& classifier);
// What of it the other fields add to a hash of those.
std::uint64_t hash_other_fields(const RequestView& request, std::uint64_t hash);

}  // namespace apf
