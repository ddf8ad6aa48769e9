// Requests of a log that ran within others: what those may have waited for.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <apf/lint.h>

namespace apf {

// What the API server, a webhook, an aggregated API server or a controller asks for on behalf of others.
enum class InnerKind : std::uint8_t {
  none,
  review,     // of a token or of permissions, for an aggregated API server or a webhook
  server,     // anything by a service account whose name says that the API server calls it
  collector,  // what the garbage collector and the namespace controller do to finish deletions
};
bool is_review(std::string_view resource);
InnerKind inner_kind(const RequestInfo& request, const std::string& user);
// Can serving the outer request cause requests of that kind?
bool can_cause(const RequestInfo& outer, InnerKind kind);

// Sees the requests of a log in order of arrival, and counts those that ran within others, from their arrival to their
// end. Holds what is in flight, and a bounded number of kinds of requests: later ones are not counted.
class NestedRequests {
 public:
  void add(const RequestInfo& info, const User& user, Nanos arrival, Nanos end);
  std::vector<LintOptions::Nested> take();  // the most frequent first

 private:
  struct Running {
    Nanos arrival = 0, end = 0;
    std::string key;               // user, verb, resource
    std::array<bool, 4> causes{};  // by InnerKind
    User user;
    RequestInfo info;
  };
  void count(const Running& inner, InnerKind kind);

  std::vector<Running> running_;                      // some of them have ended
  std::size_t keep_ = 1024;                           // from this size on those are dropped
  std::map<std::string, std::uint64_t> inner_;        // by key
  std::map<std::string, LintOptions::Nested> found_;  // by the keys of both
  std::vector<std::string_view> within_;              // keys of the outer requests of one inner request
};

}  // namespace apf
