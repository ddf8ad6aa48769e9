#include "logs/count_maker.h"

#include <functional>

#include "base/hash.h"
#include "logs/event_view.h"

namespace apf {

void CountMaker::make(LogChunk& chunk, CountedBatch& batch) {
  batch.clear();
  batch.events.clear();
  batch.text_count = 0;
  batch.seen = 0;
  batch.format = chunk.format;
  batch.is_empty = chunk.size == 0;
  chunk_ = &chunk;
  batch_ = &batch;
  parsers_.of(chunk.format).parse(chunk, *this);
}

void CountMaker::on_unusable(Unusable reason, std::uint64_t) { ++batch_->unusable[static_cast<int>(reason)]; }

void CountMaker::on_other(std::uint64_t) { ++batch_->other_lines; }

void CountMaker::on_note(const ServerNote& note, std::uint64_t) {
  batch_->notes.push_back({note.kind, note.time, {}, note.value});
}

// Unescaped texts are the parser's, and gone with the next event.
std::string_view CountMaker::keep(std::string_view text) {
  const char* const begin = chunk_->buffer.data();
  const std::less<> before;
  if (text.empty() || (!before(text.data(), begin) && before(text.data(), begin + chunk_->size))) return text;
  if (batch_->text_count == batch_->texts.size()) batch_->texts.emplace_back();
  return batch_->texts[batch_->text_count++].assign(text);
}

void CountMaker::on_event(const LogEvent& event, std::uint64_t line) {
  ++batch_->seen;
  if (arrival_of(event) == kNoTime) return on_unusable(Unusable::no_timestamp, line);
  if (!is_in_range(event)) return on_unusable(Unusable::out_of_range, line);
  batch_->note_origin(event.origin);
  CountedEvent& out = batch_->events.emplace_back();
  out.event = event;
  out.id = event.id.empty() ? 0 : hash_bytes(event.id) | 1;
  out.user = hash_bytes(event.user_json);
  out.agent = event.user_agent.empty() ? 0 : hash_bytes(event.user_agent);
  out.address = event.source_ip.empty() ? 0 : hash_bytes(event.source_ip);
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
