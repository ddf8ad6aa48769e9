// What a request in the normal form asks for.
#pragma once

#include <apf/classify.h>
#include <apf/logs.h>

namespace apf {

// As the log has it, else parsed into `parsed`, whose error() then says why it may be no request.
inline const RequestInfo& info_of(const TraceRequest& request, ParsedRequest& parsed) {
  if (request.request_info) return *request.request_info;
  if (request.method.empty()) parse_audited_request(request.verb, request.uri, parsed);
  else parse_request(request.method, request.uri, parsed);
  return parsed.info;
}

}  // namespace apf
