// Any bytes as a chunk of kube-apiserver's own log, as text and as JSON. Every event is read to its last byte, no line
// is reported twice, and but for its year what a line says does not depend on its neighbours.
#include <cstdint>
#include <cstdlib>

#include "fuzz/entry.h"
#include "logs/chunk_source.h"
#include "logs/formats/httplog.h"
#include "logs/formats/klog_line.h"
#include "logs/log_calendar.h"

using apf::fuzz::require;

namespace {

struct KlogSink final : apf::LogEventSink {
  std::uint64_t told = 0, sum = 0, last_line = 0;
  void touch(std::string_view text) {
    for (const char c : text) sum += static_cast<unsigned char>(c);
  }
  void tell(std::uint64_t line) {
    require(line >= last_line);
    last_line = line;
    ++told;
  }
  void on_event(const apf::LogEvent& e, std::uint64_t line) override {
    tell(line);
    require(!(e.http ? e.method : e.verb).empty() && !e.uri.empty() && e.received != apf::kNoTime);
    for (const std::string_view text : {e.id, e.method, e.verb, e.uri, e.user_json, e.user_agent, e.source_ip,
                                        e.recorded_flow_schema, e.recorded_priority_level})
      touch(text);
    sum += static_cast<std::uint64_t>(e.code + e.seats.initial_seats);
  }
  void on_unusable(apf::Unusable reason, std::uint64_t line) override {
    tell(line);
    touch(apf::to_string(reason));
  }
  void on_note(const apf::ServerNote& note, std::uint64_t) override { touch(note.level); }
  void on_other(std::uint64_t line) override { tell(line); }
};

apf::LogChunk make_chunk(std::string_view text) {
  apf::LogChunk chunk;
  chunk.buffer.assign(text);
  chunk.buffer.append(64, '\0');
  chunk.size = text.size();
  return chunk;
}

void read(apf::LogParser& parser, std::string_view text) {
  KlogSink whole, alone;
  parser.parse(make_chunk(text), whole);
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t newline = rest.find('\n');
    alone.last_line = 0;
    parser.parse(make_chunk(rest.substr(0, newline)), alone);
    rest.remove_prefix(newline == std::string_view::npos ? rest.size() : newline + 1);
  }
  require(whole.told == alone.told && whole.sum == alone.sum);
}

}  // namespace

APF_FUZZER(klog_fuzz) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(*apf::make_klog_parser(), text);
  read(*apf::make_klog_json_parser(), text);
  apf::JsonScratch scratch;
  require(apf::unquote_go(text, scratch).size() <= text.size());
  apf::read_logged_duration(text);
  require(apf::without_port(text).size() <= text.size());
  // The calendar of a chunk is where that of the one before it ended, wherever the cut is.
  apf::LogOrder order;
  apf::LogCalendar calendar(2024, {}, order);
  calendar.begin_file("x");
  calendar.before_klog(text);
  calendar.before_other(text);
}
