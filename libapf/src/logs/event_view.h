// What follows from the verb and the URI of a logged request and bears on its course, and what the log says of that
// course.
#pragma once

#include <apf/classify.h>

#include "classify/request_view.h"
#include "logs/request_event.h"

namespace apf {

// The HTTP method of a verb as the HTTP log and the metrics have it (LIST, WATCH, APPLY, CONNECT, …).
std::string_view method_of_logged_verb(std::string_view verb);

// The request of the event; `info` is memory for trace lines that give RequestInfo. False: that cannot be read.
bool view_logged_request(const LogEvent& event, RequestInfo& info, RequestView& view);

// How long a request may queue (v1.36: a quarter of its deadline, a minute at most).
Nanos wait_limit_of(const RequestView& view, Nanos request_timeout);
// How long the request's context lasts: ?timeout=, at most --request-timeout; of a watch, INT64_MAX.
Nanos deadline_of(const RequestView& view, Nanos request_timeout);

// What follows from verb and URI alone.
struct RequestTraits {
  bool bad_url = false, long_running = false, watch = false, timeout_invalid = false;
  AnswerCause inner = AnswerCause::other;  // what answers 429 there behind the filter
};
RequestTraits traits_of(const RequestView& view);

// Sets all of `out` but its id and its place. `wait_limit`: how long the request may queue, unless the event says it;
// `zone`: what to add to times of the HTTP log.
void set_course(const LogEvent& event, const RequestTraits& traits, Nanos wait_limit, Nanos zone, RequestEvent& out);

}  // namespace apf
