// A piece of a log in memory, and what reads its events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "logs/formats/klog_line.h"
#include "logs/log_event.h"
#include "logs/log_format.h"

namespace apf {

// What a chunk is filled to.
inline constexpr std::size_t kChunkSize = 1u << 20;
// Bytes behind the text of a chunk.
inline constexpr std::size_t kChunkPadding = 64;

struct ChunkSourceStats {
  std::uint64_t bytes = 0;              // uncompressed text handed out
  std::uint64_t input_bytes = 0;        // bytes read from the files (compressed ones as they are)
  std::uint64_t total_input_bytes = 0;  // size of all regular files, 0 if unknown (standard input)
  std::uint64_t lines = 0;
};

struct LogChunk {
  std::string buffer;            // text followed by >= kChunkPadding bytes that may be read, the first of them NUL
  std::size_t size = 0;          // bytes of text; ends with a newline, except at the end of a file
  std::uint32_t file = 0;        // index into the source's names
  std::uint64_t first_line = 1;  // of the chunk's first line within the file
  std::uint64_t lines = 0;
  bool last_of_file = false;
  LogFormat format = &kAuditFormat;  // as sniffed (or forced) for the file
  const char* label = "";            // what wraps its lines, in words; empty: nothing does
  std::string header;                // of a table: its names, as they stand in the file's first line
  bool forced = false;               // records of any other format are none; else a file may be mixed
  bool whole_documents =
      false;  // not line-delimited: the chunk is one or more whole JSON documents (pretty-printed, EventList)
  KlogCalendar calendar;  // before the chunk's first line of klog text
  bool sorted = false;    // records of SortedEvents instead of text; `format` is that of the file
};

// The table (formats/format.h).
std::span<const LogFormat> log_formats();

// Reads the events of a chunk in the chunk's format. Each instance belongs to one thread (it keeps a parser and scratch
// memory).
class LogParser {
 public:
  virtual ~LogParser() = default;
  virtual void parse(const LogChunk& chunk, LogEventSink& sink) = 0;
};
std::unique_ptr<LogParser> make_audit_parser();
std::unique_ptr<LogParser> make_trace_parser();
std::unique_ptr<LogParser> make_klog_parser();       // text
std::unique_ptr<LogParser> make_klog_json_parser();  // --logging-format=json
std::unique_ptr<LogParser> make_sorted_parser();     // of LogChunk::sorted

// The parser of each format, made when it is first wanted. Belongs to one thread.
class LogParsers {
 public:
  LogParser& of(LogFormat format);
  LogParser& of(const LogChunk& chunk);

 private:
  std::unique_ptr<LogParser> sorted_;
  std::vector<std::pair<LogFormat, std::unique_ptr<LogParser>>> parsers_;
};

}  // namespace apf
