#include "logs/sorted_record.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>

namespace apf {

namespace {

constexpr std::size_t kMostRest = std::size_t{1} << 11;  // of a line behind its last field

constexpr std::string_view LogEvent::*kTexts[] = {&LogEvent::id,
                                                  &LogEvent::verb,
                                                  &LogEvent::method,
                                                  &LogEvent::uri,
                                                  &LogEvent::user_json,
                                                  &LogEvent::request_info_json,
                                                  &LogEvent::object,
                                                  &LogEvent::latencies,
                                                  &LogEvent::authenticated_json,
                                                  &LogEvent::webhook,
                                                  &LogEvent::user_agent,
                                                  &LogEvent::source_ip,
                                                  &LogEvent::response_object,
                                                  &LogEvent::recorded_flow_schema,
                                                  &LogEvent::recorded_priority_level};

// Behind the head: this, then the texts.
struct EventRecord {
  LogEvent event;
  std::uint32_t at[std::size(kTexts)] = {};  // where the texts begin, within the record
  std::uint32_t line_text = 0;               // where the beginning of the line is, up to the record's end
};

// Behind the head; its text is what follows.
struct NoteRecord {
  ServerNote note;
};

template <class T>
T read_as(const char* from) {
  T out;
  std::memcpy(static_cast<void*>(&out), from, sizeof out);
  return out;
}

template <class T>
void write_as(const T& value, char* to) {
  std::memcpy(to, static_cast<const void*>(&value), sizeof value);
}

// A text of the chunk that a record is made of.
class ChunkText {
 public:
  explicit ChunkText(std::string_view text) : text_(text) {}
  bool holds(std::string_view part) const {
    const std::less<> before;
    return !part.empty() && !before(part.data(), text_.data()) &&
           !before(text_.data() + text_.size(), part.data() + part.size());
  }
  std::size_t offset_of(std::string_view part) const { return static_cast<std::size_t>(part.data() - text_.data()); }

  // From the URI to the end of the line, or to some way behind the event's last field.
  std::string_view from_uri(const LogEvent& event) const {
    if (!holds(event.uri)) return {};
    const std::size_t from = offset_of(event.uri);
    std::size_t to = from;
    for (const auto field : kTexts)
      if (holds(event.*field)) to = std::max(to, offset_of(event.*field) + (event.*field).size());
    to = std::min({text_.size(), std::max(to, std::min(text_.find('\n', to), to + kMostRest))});
    return text_.substr(from, to - from);
  }

 private:
  std::string_view text_;
};

Nanos written_at(const LogEvent& event) {
  const Nanos arrival = arrival_of(event);
  if (arrival == kNoTime || !is_in_range(event)) return kNoTime;
  return event.trace || event.stage_time == kNoTime ? arrival : event.stage_time;
}

class SortedParser final : public LogParser {
 public:
  void parse(const LogChunk& chunk, LogEventSink& sink) override {
    for (const char *at = chunk.buffer.data(), *const end = at + chunk.size; at < end;) {
      const RecordHead head = head_of_record(at);
      const char* const body = at + sizeof head;
      if (head.is_note) {
        auto [note] = read_as<NoteRecord>(body);
        note.level = {body + sizeof(NoteRecord), head.size - sizeof head - sizeof(NoteRecord)};
        sink.on_note(note, head.line);
      } else {
        auto record = read_as<EventRecord>(body);
        for (std::size_t i = 0; i < std::size(kTexts); ++i)
          record.event.*kTexts[i] = {at + record.at[i], (record.event.*kTexts[i]).size()};
        sink.on_event(record.event, head.line);
      }
      at += head.size;
    }
  }
};

}  // namespace

RecordHead head_of_record(const char* record) { return read_as<RecordHead>(record); }

std::unique_ptr<LogParser> make_sorted_parser() { return std::make_unique<SortedParser>(); }

// What stands in the chunk from the URI on is kept as it stands there, since a lease's revision is looked for behind
// it.
void append_record(const LogEvent& event, std::uint64_t line, std::string_view chunk, std::string_view line_text,
                   std::string& out) {
  const std::size_t begin = out.size();
  const auto here = [&] { return static_cast<std::uint32_t>(out.size() - begin); };
  RecordHead head;
  head.written = written_at(event);
  head.line = line;
  head.stage = event.stage;
  EventRecord record;
  record.event = event;
  record.event.user_memo = nullptr;
  out.resize(begin + sizeof head + sizeof record);
  const std::uint32_t stretch_at = here();
  const std::string_view stretch = ChunkText(chunk).from_uri(event);
  const ChunkText kept(stretch);
  out += stretch;
  for (std::size_t i = 0; i < std::size(kTexts); ++i) {
    const std::string_view text = event.*kTexts[i];
    const bool is_kept = !stretch.empty() && kept.holds(text);
    record.at[i] = is_kept ? stretch_at + static_cast<std::uint32_t>(kept.offset_of(text)) : here();
    if (!is_kept) out += text;
  }
  out += '\n';  // no search for the end of a line leaves the record
  record.line_text = here();
  out += line_text;
  head.size = here();
  write_as(head, out.data() + begin);
  write_as(record, out.data() + begin + sizeof head);
}

void append_record(const ServerNote& note, std::uint64_t line, std::string& out) {
  const std::size_t begin = out.size();
  RecordHead head;
  head.written = is_time_in_range(note.time) ? note.time : kNoTime;
  head.line = line;
  head.is_note = true;
  head.size = static_cast<std::uint32_t>(sizeof head + sizeof(NoteRecord) + note.level.size());
  out.resize(begin + sizeof head + sizeof(NoteRecord));
  write_as(head, out.data() + begin);
  write_as(NoteRecord{note}, out.data() + begin + sizeof head);
  out += note.level;
}

void add_texts_of_records(const LogChunk& chunk, UnusableLines& lines) {
  for (BadLines::Line& line : lines.first)
    for (const char *at = chunk.buffer.data(), *const end = at + chunk.size; at < end;) {
      const RecordHead head = head_of_record(at);
      if (head.line == line.number && !head.is_note) {
        const auto record = read_as<EventRecord>(at + sizeof head);
        line.text.assign(at + record.line_text, head.size - record.line_text);
        break;
      }
      at += head.size;
    }
}

}  // namespace apf
