// RequestInfo and user as Go's %#v prints them, the form of the "Observed Requests" of KEP-1040:
//   requestInfo=&request.RequestInfo{IsResourceRequest:true, Path:"/api/v1/nodes", …},
//   userInfo=&user.DefaultInfo{Name:"…", …}
#pragma once

#include <functional>
#include <string_view>

#include <apf/logs.h>

namespace apf {

// Does the text hold such a dump?
bool holds_request_info_dump(std::string_view text);

// Each RequestInfo of the text with the user that follows it, and each record of a request in whose context the server
// found no user, which is an error that names it; anything between is passed over.
void read_request_info_dumps(std::string_view text, const std::function<void(const LoggedRequest&)>& sink);

}  // namespace apf
