// Requests of a log that ran within others: what those may have waited for.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include <apf/lint.h>
#include <apf/logs.h>

namespace apf {

// What the API server, a webhook, an aggregated API server or a controller asks for on behalf of others; the last with
// the user's name.
enum class InnerKind : std::uint8_t { none, review, server, collector };
InnerKind inner_kind(const RequestInfo& request, const std::string& user);
// Can serving the outer request cause requests of that kind?
bool can_cause(const RequestInfo& outer, InnerKind kind);

// Sees the requests of a log in the order of their ends, as servers write them.
class NestedRequests {
 public:
  void add(const LoggedRequest& logged);
  std::vector<LintOptions::Nested> take();

 private:
  struct Inner {
    Nanos arrival = 0, end = 0;
    InnerKind kind = InnerKind::none;
    LoggedRequest logged;
  };
  std::deque<Inner> recent_;  // by end; those that an outer request can still contain
  std::map<std::string, LintOptions::Nested> found_;
};

}  // namespace apf
