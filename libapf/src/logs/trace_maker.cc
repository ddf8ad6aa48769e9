#include "logs/trace_maker.h"

#include "logs/formats/audit.h"
#include "logs/line_filter.h"

namespace apf {

namespace {

constexpr Nanos kRequestTimeout = 60 * kSecond;  // --request-timeout of kube-apiserver

}  // namespace

void TraceMaker::make(LogChunk& chunk, TracedBatch& batch) {
  batch.clear();
  batch.events.clear();
  batch.request_count = 0;
  batch.new_users.clear();
  batch.new_places.clear();
  batch.verbs = 0;
  batch.writes.clear();
  batch.worker = worker_;
  batch_ = &batch;
  chunk_text_ = {chunk.buffer.data(), chunk.size};
  if (wanted_ == Wanted::watches) keep_lines_with(kLinesOfWatches, chunk);
  parsers_.of(chunk).parse(chunk, *this);
  put_in_order(batch.order, batch.events, batch.writes);
}

std::uint32_t TraceMaker::user_of(const LogEvent& event) {
  if (event.user_memo && *event.user_memo != 0) return *event.user_memo;
  const std::uint32_t number = number_of(event.user_json);
  if (event.user_memo) *event.user_memo = number;
  return number;
}

// 0: there is none, or there are too many of them.
std::uint32_t TraceMaker::number_of(std::string_view user_json) {
  constexpr std::size_t kMost = 1u << 16;
  if (user_json.empty() || user_texts_.size() == kMost) return 0;
  const std::size_t known = user_texts_.size();
  const std::uint32_t number = 1 + user_texts_.id(user_json);
  if (number > known) {
    const User& user = batch_->new_users.emplace_back(parse_user_json(user_json));
    clients_.push_back(TrafficClient::of(user.name, user.groups));
  }
  return number;
}

// 0: the log does not say where it went.
std::uint32_t TraceMaker::place_of(const LogEvent& event) {
  if (event.recorded_flow_schema.empty() && event.recorded_priority_level.empty()) return 0;
  place_name_.assign(event.recorded_flow_schema).append(1, '\0').append(event.recorded_priority_level);
  const std::size_t known = place_names_.size();
  const std::uint32_t number = 1 + place_names_.id(place_name_);
  if (number > known)
    batch_->new_places.push_back({std::string(event.recorded_flow_schema), std::string(event.recorded_priority_level)});
  return number;
}

void TraceMaker::on_unusable(Unusable reason, std::uint64_t line) { batch_->unusable.add(reason, line); }

void TraceMaker::on_other(std::uint64_t) { ++batch_->other_lines; }

void TraceMaker::on_note(const ServerNote& note, std::uint64_t) {
  if (!is_time_in_range(note.time)) return;
  TracedEvent& out = batch_->events.add(memory_).event;
  batch_->notes.push_back({note.kind, note.time + zone_, std::string(note.level), note.value});
  out.received = out.stage_time = note.time + zone_;
  out.note = static_cast<std::uint32_t>(batch_->notes.size());
  batch_->order.note(out);
}

void TraceMaker::count(const LogEvent& event, std::uint32_t user, TracedEvent& out) {
  const auto& f = view_.f;
  TrafficClient client = clients_[user];
  if (event.http)
    client.node = event.recorded_flow_schema.starts_with("system-node") || event.user_agent.starts_with("kubelet/");
  out.traits = traffic_traits(view_, client);
  if ((out.traits & kLeaseUpdate) != 0) batch_->note_renewal(event);
  if (!is_by_hand(out)) batch_->verbs |= verb_bit(f.verb);
  if (event.implied_groups && event.stage >= Stage::response_complete) ++batch_->implied_groups;
  if (event.http || event.trace || !is_write_made(event, f.is_resource, f.verb)) return;
  const bool of_event = f.resource == "events" && f.subresource.empty();
  WriteCounters& write =
      batch_->writes.emplace_back(read_write_counters(event, of_event, (out.traits & kLeaseUpdate) != 0, chunk_text_));
  write.event = static_cast<std::uint32_t>(batch_->events.size() - 1);
}

void TraceMaker::on_event(const LogEvent& event, std::uint64_t line) {
  if (arrival_of(event) == kNoTime) return on_unusable(Unusable::no_timestamp, line);
  if (!is_in_range(event)) return on_unusable(Unusable::out_of_range, line);
  const bool is_read = view_logged_request(event, info_, view_);
  const RequestTraits traits = traits_of(view_);
  if (wanted_ == Wanted::watches && !traits.watch) return;
  TracedEvent& out = batch_->events.add(memory_).event;
  set_course(event, traits, wait_limit_of(view_, kRequestTimeout), zone_, out);
  out.decided = event.decided;
  batch_->refusals.count(out);
  out.id = hashed_id(event.id);
  out.recorded = place_of(event);
  if (batch_->request_count == batch_->requests.size()) batch_->requests.push_back(std::make_unique<PackedRequest>());
  const std::uint32_t user = user_of(event), impersonator = number_of(event.authenticated_json);
  const bool counts = wanted_ == Wanted::counts && is_read;
  if (counts) count(event, user, out);
  batch_->requests[batch_->request_count++]->pack(event, {user, impersonator},
                                                  counts && event.request_info_json.empty() ? &view_ : nullptr);
  out.request = static_cast<std::uint32_t>(batch_->request_count);
  batch_->order.note(out);
  batch_->note_origin(event.origin);
}

}  // namespace apf
