// Any bytes as a chunk of an audit log, plain or wrapped: as lines and as documents. Every event is read to its last
// byte, no line is reported twice as an event unless it holds a list, and what a line says does not depend on its
// neighbours.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "fuzz/entry.h"
#include "logs/chunk_source.h"
#include "logs/formats/audit.h"
#include "logs/formats/csv_table.h"
#include "logs/formats/sniff.h"

using apf::fuzz::require;

namespace {

struct Sink final : apf::LogEventSink {
  std::uint64_t events = 0, sum = 0, last_line = 0;
  void touch(std::string_view text) {
    for (const char c : text) sum += static_cast<unsigned char>(c);
  }
  void on_event(const apf::LogEvent& e, std::uint64_t line) override {
    ++events;
    require(line >= last_line);
    last_line = line;
    require(!(e.http ? e.method : e.verb).empty() && !e.uri.empty() && e.received != apf::kNoTime);
    for (const std::string_view text : {e.id, e.verb, e.method, e.uri, e.user_json, e.user_agent, e.source_ip,
                                        e.recorded_flow_schema, e.recorded_priority_level})
      touch(text);
    touch(apf::parse_user_json(e.user_json).name);
  }
  void on_unusable(apf::Unusable reason, std::uint64_t line) override {
    require(line >= last_line);
    last_line = line;
    touch(apf::to_string(reason));
  }
  void on_note(const apf::ServerNote& note, std::uint64_t) override { touch(note.level); }
  void on_other(std::uint64_t line) override {
    require(line >= last_line);
    last_line = line;
    ++sum;
  }
};

apf::LogChunk make_chunk(std::string_view text, bool documents) {
  apf::LogChunk chunk;
  chunk.buffer.assign(text);
  chunk.buffer.append(64, '\0');
  chunk.size = text.size();
  chunk.whole_documents = documents;
  return chunk;
}

}  // namespace

APF_FUZZER(audit_fuzz) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parser = apf::make_audit_parser();
  Sink lines, documents, alone;
  parser->parse(make_chunk(text, false), lines);
  parser->parse(make_chunk(text, true), documents);
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t newline = rest.find('\n');
    alone.last_line = 0;
    parser->parse(make_chunk(rest.substr(0, newline), false), alone);
    rest.remove_prefix(newline == std::string_view::npos ? rest.size() : newline + 1);
  }
  require(lines.events == alone.events && lines.sum == alone.sum);
  Sink rows;
  apf::LogChunk table = make_chunk(text, false);
  table.header = apf::table_header(text);
  parser->parse(table, rows);
  const bool whole = apf::is_multi_line_json(text);
  rows.touch(apf::label_of_log(text, apf::recognise_log(text, whole), whole));
  apf::describe_foreign(text);
  apf::parse_user_json(text);
}
