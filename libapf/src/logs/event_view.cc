#include "logs/event_view.h"

#include <algorithm>
#include <iterator>

#include "base/hash.h"
#include "logs/answer_cause.h"
#include "logs/formats/trace.h"

namespace apf {

namespace {

constexpr Nanos kLongestWait = 60 * kSecond;

// Why the filter never sees the request, as far as the event says.
LeftOut why_left_out(const LogEvent& event, const RequestTraits& traits) {
  if (event.code == 401) return LeftOut::unauthenticated;
  if (event.cause == AnswerCause::shutting_down) return LeftOut::shutting_down;
  if (traits.bad_url) return LeftOut::bad_uri;
  if (traits.long_running && !traits.watch) return LeftOut::long_running;
  if (traits.timeout_invalid && (event.trace || event.code == 400)) return LeftOut::invalid_timeout;
  return LeftOut::no;
}

// A refusal at once takes a tenth of that, on a busy server most of it; answers from inside take longer.
constexpr Nanos kAtOnce = 2 * kMillisecond;
// By so much a refusal after a wait may miss the end of the wait.
constexpr Nanos kEarly = 100 * kMillisecond, kLate = kSecond;

bool is_at_once(Nanos took) { return took > 0 && took <= kAtOnce; }

// Of an answer 429, whose text may tell.
AnswerCause cause_of_refusal(const LogEvent& event, const RequestTraits& traits, Nanos wait_limit) {
  using enum AnswerCause;
  if (event.cause == other) return traits.inner;
  if (event.cause != unknown && event.cause != apf_or_max_in_flight) return event.cause;
  if (event.execution != kNoTime) return traits.inner;
  const bool names_level = !event.recorded_flow_schema.empty() || !event.recorded_priority_level.empty();
  if (names_level || event.queue_wait != kNoTime) return apf;
  if (traits.long_running && !traits.watch) return traits.inner;  // neither filter sees it
  // 0: the event has one time.
  const Nanos took = event.received == kNoTime || event.stage_time == kNoTime ? 0 : event.stage_time - event.received;
  // Servers that write audit IDs there name the level of what API Priority and Fairness refuses.
  if (event.http && !event.id.empty()) return took < kEarly ? max_in_flight : unknown;
  // Authorization comes after both filters. Exports that add its annotation to all events are known, so that it decides
  // only where the request may be refused further inside.
  if (event.decided && traits.inner != other) return traits.inner;
  if (is_at_once(took)) return traits.watch ? apf : apf_or_max_in_flight;  // max-in-flight lets watches pass
  if (traits.inner == disruption_budget) return traits.inner;
  if (took > wait_limit - kEarly && took < wait_limit + kLate) return apf;
  if (event.decided) return traits.inner;
  return took > 0 && event.cause == apf_or_max_in_flight ? unknown : event.cause;  // neither answers in between
}

// A trace line without an execution did not run; one with a 504 and a wait limit is of a client that left.
bool is_recorded_refusal(const LogEvent& event, AnswerCause cause) {
  if (!event.trace) return may_be_apf(cause);
  const bool ran = event.execution != kNoTime || event.stage_time != kNoTime;
  return !ran && (may_be_apf(cause) || (event.code == kGatewayTimeout && event.wait_limit != kNoTime));
}

// API groups that kube-apiserver leaves to other servers.
constexpr std::string_view kAggregatedGroups[] = {
    "metrics.k8s.io",           "custom.metrics.k8s.io",  "external.metrics.k8s.io", "packages.operators.coreos.com",
    "subresources.kubevirt.io", "upload.cdi.kubevirt.io", "apps.openshift.io",       "authorization.openshift.io",
    "build.openshift.io",       "image.openshift.io",     "oauth.openshift.io",      "project.openshift.io",
    "route.openshift.io",       "template.openshift.io",  "user.openshift.io"};

AnswerCause inner_cause(const RequestView::Fields& f) {
  constexpr std::size_t kShortestGroup = 14;
  if (!f.is_resource) return AnswerCause::other;
  if (f.subresource == "eviction" && f.resource == "pods") return AnswerCause::disruption_budget;
  const bool writes = f.verb == "create" || f.verb == "update" || f.verb == "patch";
  if (f.resource == "events" && f.subresource.empty() && writes) return AnswerCause::event_rate_limit;
  const bool aggregated =
      f.api_group.size() >= kShortestGroup &&
      std::find(std::begin(kAggregatedGroups), std::end(kAggregatedGroups), f.api_group) != std::end(kAggregatedGroups);
  return aggregated ? AnswerCause::aggregated_server : AnswerCause::other;
}

}  // namespace

std::string_view method_of_logged_verb(std::string_view verb) {
  if (verb == "LIST" || verb == "WATCH" || verb == "WATCHLIST" || verb == "CONNECT" || verb == "PROXY") return "GET";
  if (verb == "APPLY") return "PATCH";
  if (verb == "DELETECOLLECTION") return "DELETE";
  return verb;
}

bool view_logged_request(const LogEvent& event, RequestInfo& info, RequestView& view) {
  if (!event.request_info_json.empty()) {
    info = {};
    const bool is_read = parse_request_info_json(event.request_info_json, info);
    view_request(info, nullptr, view);
    return is_read;
  }
  if (event.http) parse_request_view(method_of_logged_verb(event.method), event.uri, view);
  else if (event.verb.empty()) parse_request_view(event.method, event.uri, view);
  else parse_audited_view(event.verb, event.uri, view);
  return true;
}

Nanos deadline_of(const RequestView& view, Nanos request_timeout) {
  const auto& f = view.f;
  if (f.is_resource && f.verb == "watch") return INT64_MAX;
  return f.timeout > 0 && f.timeout < request_timeout ? f.timeout : request_timeout;
}

Nanos wait_limit_of(const RequestView& view, Nanos request_timeout) {
  const auto& f = view.f;
  const bool watch = f.is_resource && f.verb == "watch";
  const bool shorter = !watch && f.timeout > 0 && f.timeout < request_timeout;
  return std::min((shorter ? f.timeout : request_timeout) / 4, kLongestWait);
}

RequestTraits traits_of(const RequestView& view) {
  const auto& f = view.f;
  return {f.fault == RequestView::Fault::bad_url, f.long_running, f.is_resource && f.verb == "watch", f.timeout_invalid,
          inner_cause(f)};
}

void set_course(const LogEvent& event, const RequestTraits& traits, Nanos wait_limit, Nanos zone, RequestEvent& out) {
  const Nanos offset = event.http ? zone : 0;
  out.received = arrival_of(event) + offset;
  out.stage_time = event.stage_time == kNoTime ? kNoTime : event.stage_time + offset;
  out.queue_wait = event.queue_wait;
  // A watch holds its seats for its initialization only.
  out.execution = traits.watch && event.init != kNoTime ? event.init : event.execution;
  out.watch_end = event.watch_end;
  out.has_fixed_seats = event.has_seats;
  if (event.has_seats) out.fixed = event.seats;
  out.target = static_cast<std::uint32_t>(hash_bytes(event.uri, hash_bytes(event.http ? event.method : event.verb)));
  out.wait_limit = event.wait_limit != kNoTime ? event.wait_limit : wait_limit;
  out.cause = event.code == kTooManyRequests ? cause_of_refusal(event, traits, wait_limit) : event.cause;
  out.code = static_cast<std::uint16_t>(std::clamp(event.code, 0, 65535));
  out.stage = event.stage;
  out.left_out = why_left_out(event, traits);
  out.watch = traits.watch;
  out.trace = event.trace;
  out.recorded_refusal = is_recorded_refusal(event, out.cause);
  out.http = event.http;
}

}  // namespace apf
