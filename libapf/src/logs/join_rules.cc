#include "logs/join_rules.h"

#include <algorithm>

#include "logs/answer_cause.h"

namespace apf {

namespace {

// A refusal that took longer than this was no refusal at once, and one that much shorter than the wait limit no
// time-out.
constexpr Nanos kPromptly = 100 * kMillisecond;

// What is left of the total without the execution. Some of it is the server's own work.
void derive_wait(RequestEvent& event, Nanos execution) {
  if (event.queue_wait != kNoTime || event.stage_time == kNoTime || execution == kNoTime || event.watch) return;
  event.queue_wait = std::max<Nanos>(0, event.stage_time - event.received - execution);
  event.derived_wait = true;
}

}  // namespace

bool served_on_after_timeout(const RequestEvent& http) {
  return http.http && http.code == kGatewayTimeout && http.execution == kNoTime;
}

bool waited_in_vain(const RequestEvent& event) {
  return event.recorded_refusal && !event.trace && event.cause == AnswerCause::apf && event.stage_time != kNoTime &&
         event.stage_time - event.received > kPromptly;
}

bool refused_early(const RequestEvent& event) {
  return event.recorded_refusal && !event.trace && event.stage_time != kNoTime &&
         left_its_queue(event.stage_time - event.received, event.wait_limit);
}

void hang_up(RequestEvent& event) {
  event.hung_up = true;
  event.wait_limit = std::min(event.wait_limit, event.stage_time - event.received);
}

void stand_alone(RequestEvent& http) {
  derive_wait(http, http.execution);
  if (!served_on_after_timeout(http) || http.stage_time - http.received >= http.wait_limit - kPromptly) return;
  http.recorded_refusal = true;
  hang_up(http);
}

bool left_its_queue(Nanos total, Nanos wait_limit) { return total > kPromptly && total < wait_limit - kPromptly; }

void join_http(RequestEvent& audit, const RequestEvent& http) {
  const Nanos total = audit.stage_time == kNoTime ? kNoTime : audit.stage_time - audit.received;
  // Servers annotate longer waits only than their own log has.
  if (audit.queue_wait == kNoTime && !http.derived_wait && !audit.recorded_refusal) audit.queue_wait = http.queue_wait;
  if (http.execution != kNoTime) {
    audit.execution = http.execution;
    derive_wait(audit, http.execution);
  }
  if (http.has_fixed_seats) {
    audit.has_fixed_seats = true;
    audit.fixed = http.fixed;
  }
  if (http.recorded != 0) audit.recorded = http.recorded;
  // Its line names the level, or says that the request ran.
  if (http.code == kTooManyRequests && may_be_apf(audit.cause)) {
    audit.cause = http.cause;
    audit.recorded_refusal = http.recorded_refusal;
  }
  // HTTP/2 clients that leave their queue get a 504, HTTP/1.1 ones a 429.
  if (audit.recorded_refusal && total != kNoTime && (served_on_after_timeout(http) || refused_early(audit)))
    hang_up(audit);
  audit.http = true;
}

}  // namespace apf
