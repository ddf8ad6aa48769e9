#include "logs/sort_log.h"

#include <apf/error.h>

#include <algorithm>
#include <numeric>

#include "logs/log_order.h"
#include "logs/sorted_record.h"
#include "logs/track_reader.h"

namespace apf {

namespace {

struct RecordBatch : EventBatch {
  std::string records;
};

// What the reading threads make of a chunk: its records, in the order of the text.
class RecordMaker final : public LogEventSink {
 public:
  using Batch = RecordBatch;

  void make(LogChunk& chunk, RecordBatch& batch) {
    batch.clear();
    batch.records.clear();
    batch_ = &batch;
    text_ = {chunk.buffer.data(), chunk.size};
    line_ = chunk.first_line;
    line_begin_ = 0;
    parsers_.of(chunk).parse(chunk, *this);
  }

  void on_event(const LogEvent& event, std::uint64_t line) override {
    append_record(event, line, text_, beginning_of(line), batch_->records);
  }
  void on_note(const ServerNote& note, std::uint64_t line) override { append_record(note, line, batch_->records); }
  void on_unusable(Unusable reason, std::uint64_t line) override { batch_->unusable.add(reason, line); }
  void on_other(std::uint64_t) override { ++batch_->other_lines; }

 private:
  std::string_view beginning_of(std::uint64_t line) {
    for (; line_ < line; ++line_) {
      const std::size_t end = text_.find('\n', line_begin_);
      if (end == std::string_view::npos) break;
      line_begin_ = end + 1;
    }
    return beginning_of_line(text_.substr(line_begin_));
  }

  LogParsers parsers_;
  RecordBatch* batch_ = nullptr;
  std::string_view text_;
  std::uint64_t line_ = 0;  // the one that begins at line_begin_
  std::size_t line_begin_ = 0;
};

// To the log's end, or until the user interrupts.
std::shared_ptr<const SortedEvents> sort_log(const std::string& log, LogFormat format, const LogOptions& options) {
  LogTrack track;
  track.logs = {log};
  track.format = format;
  TrackReader<RecordMaker> reader(track, options, [] { return std::make_unique<RecordMaker>(); });
  const auto out = std::make_shared<SortedEvents>();
  while (const RecordBatch* batch = reader.next()) {
    out->add(batch->records);
    if (options.interrupted && options.interrupted->load(std::memory_order_relaxed)) break;
  }
  out->finish();
  reader.stop();
  out->counts = reader.counts();
  out->warnings = reader.source().warnings();
  out->too_long_lines = reader.source().too_long_lines();
  return out;
}

constexpr std::size_t kMostTracks = 64;  // each is read by threads of its own

// The logs of a track in as few tracks as are in order each: what overlaps in time is read side by side.
std::vector<LogTrack> part_by_time(const LogTrack& track, const std::vector<std::shared_ptr<const SortedEvents>>& all) {
  std::vector<std::size_t> by_time(all.size());
  std::iota(by_time.begin(), by_time.end(), 0);
  std::stable_sort(by_time.begin(), by_time.end(), [&](std::size_t a, std::size_t b) {
    return all[a]->order().earliest() < all[b]->order().earliest();
  });
  std::vector<LogTrack> out;
  std::vector<Nanos> ends;
  for (const std::size_t i : by_time) {
    const auto fits = std::find_if(ends.begin(), ends.end(),
                                   [&](Nanos end) { return end == INT64_MIN || all[i]->order().earliest() >= end; });
    const auto to = static_cast<std::size_t>(fits - ends.begin());
    if (to == out.size()) {
      if (to == kMostTracks)
        throw Error("more than " + std::to_string(kMostTracks) + " logs overlap in time, such as " + track.logs[i] +
                    ": join them to one file first");
      out.push_back(track);
      out.back().logs.clear();
      ends.push_back(INT64_MIN);
    }
    out[to].logs.push_back(track.logs[i]);
    out[to].sorted.push_back(all[i]->order().falls().lines > 0 ? all[i] : nullptr);
    ends[to] = std::max(ends[to], all[i]->order().latest());
  }
  return out;
}

}  // namespace

std::vector<LogTrack> in_order(LogTrack&& track, const LogOptions& options) {
  std::optional<LogOrder::Sorted> sorted = options.order->sorted(track.logs);
  if (!sorted) {
    std::vector<LogTrack> out;
    out.push_back(std::move(track));
    return out;
  }
  if (sorted->empty()) {
    for (const std::string& log : track.logs) sorted->push_back(sort_log(log, track.format, options));
    options.order->keep(track.logs, *sorted);
  }
  return part_by_time(track, *sorted);
}

}  // namespace apf
