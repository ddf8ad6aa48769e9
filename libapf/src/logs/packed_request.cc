#include "logs/packed_request.h"

#include <cstdint>

#include "logs/answer_cause.h"
#include "logs/event_view.h"
#include "logs/formats/trace.h"

namespace apf {

namespace {

// Where `text` is in `to` if it is in `from`, of which that is a copy.
bool move_text(std::string_view from, std::string_view to, std::string_view& text) {
  const auto at = reinterpret_cast<std::uintptr_t>(text.data()) - reinterpret_cast<std::uintptr_t>(from.data());
  if (at >= from.size()) return false;
  text = {to.data() + at, text.size()};
  return true;
}

}  // namespace

void PackedRequest::pack(const LogEvent& event, Users users, const RequestView* view) {
  users_ = users;
  std::array<std::string_view, kParts> parts;
  parts[kId] = event.id;
  parts[kVerb] = event.verb;
  parts[kMethod] = event.http ? method_of_logged_verb(event.method) : event.method;
  parts[kUri] = event.uri;
  parts[kUserAgent] = event.user_agent;
  parts[kSourceIp] = event.source_ip;
  if (users.user == 0) parts[kUser] = event.user_json;
  if (event.trace) parts[kObject] = event.object;  // those of audit logs may be large, and secret
  parts[kInfo] = event.request_info_json;
  parts[kTimes] = event.latencies;
  parts[kWebhook] = event.webhook;
  if (view) parts[kScratch] = view->scratch;
  std::size_t size = 0;
  for (std::size_t i = 0; i < kParts; ++i) ends_[i] = size += parts[i].size();
  text_.resize(size);
  char* at = text_.data();
  for (const std::string_view part : parts) at += part.copy(at, part.size());
  has_view_ = view != nullptr;
  if (view) {
    view_ = view->f;
    using F = RequestView::Fields;
    constexpr std::string_view F::*kTexts[] = {&F::path,           &F::verb,
                                               &F::api_prefix,     &F::api_group,
                                               &F::api_version,    &F::ns,
                                               &F::resource,       &F::name,
                                               &F::parts,          &F::field_selector,
                                               &F::label_selector, &F::resource_version,
                                               &F::subresource,    &F::resource_version_match};
    for (std::string_view F::*const text : kTexts)  // others are static, or empty
      for (const Part from : {kUri, kVerb, kMethod, kScratch})
        if (move_text(parts[from], part(from), view_.*text)) break;
  }
  course_ = {};
  if (event.trace) course_ = {event.init, event.execution, event.wait_limit, event.stage_time, event.watch_end};
}

void PackedRequest::unpack(TraceRequest& out) const {
  unpack_course(out);
  out.id = part(kId);
  out.verb = part(kVerb);
  out.method = part(kMethod);
  out.uri = part(kUri);
  out.user_agent = part(kUserAgent);
  out.source_ip = part(kSourceIp);
  out.object = part(kObject);
  out.server.clear();
  out.recorded.webhook = part(kWebhook);
  out.recorded.latencies = part(kTimes).empty() ? Latencies() : read_latencies(part(kTimes));
  out.request_info.reset();
  if (const std::string_view info = part(kInfo); !info.empty())
    parse_request_info_json(info, out.request_info.emplace());
}

void PackedRequest::unpack_course(TraceRequest& out) const {
  const auto set = [](std::optional<Nanos>& to, Nanos value) {
    if (value == kNoTime) to.reset();
    else to = value;
  };
  out.time = time_;
  out.time_is_integer = false;
  out.code = 0;
  out.seats.reset();
  out.recorded.queue_wait.reset();
  out.recorded.cause = AnswerCause::none;
  set(out.init, course_.init);
  set(out.execution, course_.execution);
  set(out.wait_limit, course_.wait_limit);
  set(out.recorded_end, course_.recorded_end);
  set(out.end, course_.watch_end);
}

}  // namespace apf
