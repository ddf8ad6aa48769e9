// Any bytes as trace lines: what parses renders to a line that parses to the same.
#include <cstdint>
#include <cstdlib>

#include <apf/logs.h>

#include "fuzz/entry.h"
#include "logs/chunk_source.h"
#include "logs/formats/audit.h"
#include "logs/formats/trace.h"

using apf::fuzz::require;

namespace {

struct TraceSink final : apf::LogEventSink {
  std::uint64_t events = 0;
  void on_event(const apf::LogEvent& e, std::uint64_t) override {
    ++events;
    require(!e.uri.empty() || !e.request_info_json.empty());
    apf::parse_user_json(e.user_json);
    apf::RequestInfo info;
    if (!e.request_info_json.empty()) require(apf::parse_request_info_json(e.request_info_json, info));
  }
  void on_unusable(apf::Unusable, std::uint64_t) override {}
};

}  // namespace

APF_FUZZER(trace_fuzz) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string error;
  if (const auto request = apf::parse_trace_line(text, error)) {
    const std::string line = apf::render_trace_line(*request);
    const auto again = apf::parse_trace_line(line, error);
    require(again.has_value());
    require(apf::render_trace_line(*again) == line);
  } else {
    require(!error.empty());
  }
  apf::LogChunk chunk;
  chunk.buffer.assign(text);
  chunk.buffer.append(64, '\0');
  chunk.size = text.size();
  TraceSink sink;
  apf::make_trace_parser()->parse(chunk, sink);
}
