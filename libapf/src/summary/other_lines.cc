#include "summary/other_lines.h"

#include <algorithm>

#include <apf/error.h>

#include "base/joined.h"
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

void refuse_logs_without_events(const LogStat& stat, const LogOptions& options) {
  std::vector<std::string> empty;
  for (const Remark& remark : stat.warnings)
    if (remark.kind == RemarkKind::log_empty) empty.push_back(remark.name);
  if (!empty.empty() && empty.size() == options.logs.size())
    throw Error(joined_first(empty, 3) + (empty.size() == 1 ? " is empty" : " are empty"));
  for (const LogFileStat& file : stat.files) {
    if (file.events > 0 || file.lines == 0) continue;
    const bool has_bad = std::any_of(stat.bad_lines.begin(), stat.bad_lines.end(),
                                     [&](const BadLines& bad) { return bad.log == file.name && bad.lines > 0; });
    // What the server says of itself at -v=2 stands beside its requests.
    if (stat.events > 0 && file.format.starts_with("httplog") && !has_bad) continue;
    LogOptions one = options;
    one.logs = {file.name == "standard input" ? "-" : file.name};
    one.needs_events = true;
    stat_logs(one);
  }
  if (stat.events == 0 && stat.other_lines == 0 && !stat.unusable.empty())
    throw Error(joined_first(options.logs, 3) + ": no line can be read (" + stat.unusable.begin()->first + ")");
}

}  // namespace apf
