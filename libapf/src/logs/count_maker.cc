#include "logs/count_maker.h"

#include <functional>

#include "base/hash.h"
#include "logs/event_view.h"
#include "logs/formats/audit.h"

namespace apf {

void CountMaker::make(LogChunk& chunk, CountedBatch& batch) {
  batch.clear();
  batch.events.clear();
  batch.text_count = 0;
  batch.seen = 0;
  batch.is_empty = chunk.size == 0;
  chunk_ = &chunk;
  batch_ = &batch;
  parsers_.of(chunk.format).parse(chunk, *this);
}

void CountMaker::on_unusable(Unusable reason, std::uint64_t line) { batch_->unusable.add(reason, line); }

void CountMaker::on_other(std::uint64_t) { ++batch_->other_lines; }

void CountMaker::on_note(const ServerNote& note, std::uint64_t) {
  const bool flag = note.kind == ServerNote::Kind::flag || note.kind == ServerNote::Kind::version;
  batch_->notes.push_back({note.kind, note.time, flag ? std::string(note.level) : std::string(), note.value});
}

// Unescaped texts are the parser's, and gone with the next event.
std::string_view CountMaker::keep(std::string_view text) {
  const char* const begin = chunk_->buffer.data();
  const std::less<> before;
  if (text.empty() || (!before(text.data(), begin) && before(text.data(), begin + chunk_->size))) return text;
  if (batch_->text_count == batch_->texts.size()) batch_->texts.emplace_back();
  return batch_->texts[batch_->text_count++].assign(text);
}

// A user's text is new with every token: what is known of them is forgotten now and then.
std::uint8_t CountMaker::traits_of(const LogEvent& event, std::uint64_t user) {
  constexpr std::size_t kMostClients = 1u << 14;
  if (event.stage == Stage::received || !view_logged_request(event, info_, view_)) return 0;
  if (clients_.size() > kMostClients) clients_.clear();
  const auto [at, is_new] = clients_.try_emplace(event.http ? 0 : user);
  if (is_new && !event.http) {
    const User parsed = parse_user_json(event.user_json);
    at->second = TrafficClient::of(parsed.name, parsed.groups);
  }
  TrafficClient client = at->second;
  if (event.http)
    client.node = event.recorded_flow_schema.starts_with("system-node") || event.user_agent.starts_with("kubelet/");
  return traffic_traits(view_, client);
}

void CountMaker::read_counters(const LogEvent& event, CountedEvent& out) const {
  const auto& f = view_.f;
  out.write = is_write_made(event, f.is_resource, f.verb);
  if (!out.write) return;
  const bool of_event = f.resource == "events" && f.subresource.empty();
  out.counters =
      read_write_counters(event, of_event, (out.traits & kLeaseUpdate) != 0, {chunk_->buffer.data(), chunk_->size});
}

void CountMaker::on_event(const LogEvent& event, std::uint64_t line) {
  ++batch_->seen;
  if (arrival_of(event) == kNoTime) return on_unusable(Unusable::no_timestamp, line);
  if (!is_in_range(event)) return on_unusable(Unusable::out_of_range, line);
  const Nanos written = event.trace || event.stage_time == kNoTime ? arrival_of(event) : event.stage_time;
  batch_->note_time(written, 0);
  batch_->note_origin(event.origin);
  CountedEvent& out = batch_->events.emplace_back();
  out.event = event;
  out.id = event.id.empty() ? 0 : hash_bytes(event.id) | 1;
  out.user = hash_bytes(event.user_json);
  out.agent = event.user_agent.empty() ? 0 : hash_bytes(event.user_agent);
  out.address = event.source_ip.empty() ? 0 : hash_bytes(event.source_ip);
  out.traits = traits_of(event, out.user);
  if (event.stage == Stage::response_complete && !event.http && !event.trace) read_counters(event, out);
  LogEvent& kept = out.event;
  kept.id = kept.uri = kept.request_info_json = kept.object = kept.response_object = kept.user_agent =
      kept.source_ip = {};
  kept.verb = keep(event.verb);
  kept.method = keep(event.method);
  kept.user_json = keep(event.user_json);
  kept.recorded_flow_schema = keep(event.recorded_flow_schema);
  kept.recorded_priority_level = keep(event.recorded_priority_level);
}

}  // namespace apf
