// Requests in words, one on a line, as people type them for `apfctl explain`:
//   GET /healthz
//   list pods -n ci --as system:serviceaccount:ci:builder
// Empty lines, and those that begin with #, are passed over.
#pragma once

#include <functional>
#include <string_view>

#include <apf/logs.h>

namespace apf {

// Is the first line that says something such a request?
bool holds_request_lines(std::string_view text);

// Each line: a request, by system:anonymous where it names no user; groups that authentication implies are added. A
// line that is none is an error that says why; errors of its URL are in `request`.
// `admin`: as in read_requests().
void read_request_lines(std::string_view text, const User* admin, const std::function<void(LoggedRequest&)>& sink);

}  // namespace apf
