#include "summary/other_lines.h"

#include "logs/track_reader.h"
#include "logs/tracks.h"
#include "summary/throttling.h"

namespace apf {
namespace {

struct OtherLines : EventBatch {
  std::vector<ClientLine> of_clients;
  std::vector<TracePiece> pieces;
};

class OtherLinesMaker {
 public:
  using Batch = OtherLines;
  void make(LogChunk& chunk, Batch& batch) {
    batch.clear();
    batch.of_clients.clear();
    batch.pieces.clear();
    const std::string_view text(chunk.buffer.data(), chunk.size);
    read_client_lines(text, [&](ClientLine&& line) { batch.of_clients.push_back(std::move(line)); });
    for_each_line_with(text, "Trace[",
                       [&](std::string_view line, std::size_t) { read_trace_pieces(line, batch.pieces); });
  }
};

}  // namespace

ClientThrottling read_other_lines(const LogOptions& options, std::size_t top,
                                  const std::function<void(const HandlerTrace&)>& sink) {
  LogTrack all;
  all.logs = options.logs;
  TrackReader<OtherLinesMaker> reader(all, options, [] { return std::make_unique<OtherLinesMaker>(); });
  ThrottlingSums throttling;
  TraceBuilder traces(sink);
  while (OtherLines* batch = reader.next()) {
    for (const ClientLine& line : batch->of_clients) throttling.add(line);
    for (TracePiece& piece : batch->pieces) traces.take(std::move(piece));
  }
  traces.finish();
  return throttling.finish(top);
}

}  // namespace apf
