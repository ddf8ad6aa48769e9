// Events and notes as bytes, for SortedEvents: as a LogParser reports them, apart from the text that they stood in. For
// the memory of one process: the bytes are those of its types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "logs/event_batch.h"
#include "logs/log_chunk.h"

namespace apf {

// A record begins with this.
struct RecordHead {
  Nanos written = kNoTime;  // kNoTime: the line does not say
  std::uint64_t order = 0;  // of records of one instant
  std::uint64_t line = 0;
  std::uint32_t size = 0;  // of the whole record
  Stage stage = Stage::response_complete;
  bool is_note = false;

  bool comes_before(const RecordHead& o) const {
    if (written != o.written) return written < o.written;
    return stage != o.stage ? stage < o.stage : order < o.order;
  }
};
// Of the record whose bytes begin there.
RecordHead head_of_record(const char* record);

// `chunk`: the text that the event was read from. `line_text`: the beginning of its line.
void append_record(const LogEvent& event, std::uint64_t line, std::string_view chunk, std::string_view line_text,
                   std::string& out);
void append_record(const ServerNote& note, std::uint64_t line, std::string& out);

// Lines that could not be used when their events were read from records: their beginnings.
void add_texts_of_records(const LogChunk& chunk, UnusableLines& lines);

}  // namespace apf
