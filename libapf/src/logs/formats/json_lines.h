// What the parsers of JSON logs share: going through a chunk line by line (or document by document), and saying what
// is wrong with a line that is no JSON. A format adds how it reads one JSON value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "logs/chunk_source.h"
#include "logs/formats/json_index.h"
#include "logs/formats/json_walk.h"
#include "logs/log_event.h"

namespace apf {

// The number of the line at a place of a text, for places in ascending order.
class LineCounter {
 public:
  LineCounter(const char* at, std::uint64_t line) : at_(at), line_(line) {}
  std::uint64_t line() const { return line_; }
  std::uint64_t line_at(const char* place);

 private:
  const char* at_;
  std::uint64_t line_;
};

class JsonLinesParser : public LogParser {
 public:
  void parse(const LogChunk& chunk, LogEventSink& sink) final;

 protected:
  // Takes the JSON value at the token and remembers what emit() needs of it. Returns the token behind it, null: it is
  // not JSON.
  virtual JsonToken read(JsonText json, JsonToken token) = 0;
  // The value is alone on its line (or a whole document): hands over its events, or says why it has none.
  virtual void emit(LogEventSink& sink, LineCounter& lines) = 0;
  virtual void begin_chunk(const LogChunk&) {}
  // A line as its writer usually writes it, which can be read without an index: hands over its event. The text ends at
  // `end`, behind which 64 bytes may be read, the first of them NUL. Returns the line's end (a newline, or `end`);
  // null: it is another line.
  virtual const char* take_usual(const char* /*begin*/, const char* /*end*/, std::uint64_t /*line*/, LogEventSink&) {
    return nullptr;
  }
  // A chunk of a table. False: it is none.
  virtual bool take_table(const LogChunk&, LogEventSink&) { return false; }
  // A line that does not begin as JSON. False: it is nothing that is known.
  virtual bool take_other(std::string_view, std::uint64_t /*line*/, LogEventSink&) { return false; }

  // A text that should be JSON values, one as a rule. Reports what is wrong with it.
  void parse_text(std::string_view text, std::uint64_t line, LogEventSink& sink);

 private:
  void parse_lines(const char* text, std::size_t size, std::uint64_t line, LogEventSink& sink);
  std::size_t parse_usual(const char* text, std::size_t size, std::uint64_t& line, LogEventSink& sink);
  void parse_block(const char* text, std::size_t size, std::uint64_t& line, LogEventSink& sink);
  void parse_documents(const char* text, std::size_t size, std::uint64_t line, LogEventSink& sink);
  JsonIndex::Result parse_alone(const char* text, std::size_t size, LineCounter& lines, LogEventSink& sink);
  void parse_broken(std::string_view text, std::uint64_t line, LogEventSink& sink);
  bool salvage(std::string_view text, std::uint64_t line, LogEventSink& sink);
  bool parse_several(std::string_view text, std::uint64_t line, LogEventSink& sink);
  bool is_sound(std::string_view text);

  // How often lines were usual of late: up to kMostUsual; halved by each one that is not.
  static constexpr int kMostUsual = 64, kOftenUsual = 4;
  int usual_ = kMostUsual;
  JsonIndex index_;
  JsonIndex single_;     // of one line or document out of the index above
  std::string segment_;  // a copy of part of a line, for indexing
};

}  // namespace apf
