#include "summary/other_lines.h"

#include "logs/track_reader.h"
#include "logs/tracks.h"
#include "summary/throttling.h"

namespace apf {
namespace {

struct OtherLines : EventBatch {
  std::vector<Throttled> throttled;
  std::vector<TracePiece> pieces;
};

class OtherLinesMaker {
 public:
  using Batch = OtherLines;
  void make(LogChunk& chunk, Batch& batch) {
    batch.clear();
    batch.throttled.clear();
    batch.pieces.clear();
    const std::string_view text(chunk.buffer.data(), chunk.size);
    for_each_line(text, "hrottling", [&](std::string_view line) {
      if (Throttled found; read_throttled(line, found)) batch.throttled.push_back(std::move(found));
    });
    for_each_line(text, "Trace[", [&](std::string_view line) { read_trace_pieces(line, batch.pieces); });
  }

 private:
  // Of those that hold the word.
  template <class Take>
  static void for_each_line(std::string_view text, std::string_view word, Take&& take) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at)) {
      const std::size_t before = text.rfind('\n', at);
      const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
      const std::size_t end = std::min(text.find('\n', at), text.size());
      take(text.substr(begin, end - begin));
      at = end;
    }
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
    for (const Throttled& line : batch->throttled) throttling.add(line);
    for (TracePiece& piece : batch->pieces) traces.take(std::move(piece));
  }
  traces.finish();
  return throttling.finish(top);
}

}  // namespace apf
