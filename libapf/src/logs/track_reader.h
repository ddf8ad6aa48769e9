// Reads one track of logs, chunk by chunk, in several threads; what is made of the chunks comes out in the order of the
// text.
//
// `Maker` belongs to one thread and makes a batch of each chunk it is given:
//   using Batch = …;                              derives from EventBatch
//   void make(LogChunk& chunk, Batch& batch);     sets all of the batch, which may hold an old one's values, but its
//                                                 lines and its file
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <apf/logs.h>

#include "base/parallel.h"
#include "base/text_digest.h"
#include "logs/chunk_source.h"
#include "logs/log_track.h"
#include "logs/sorted_events.h"
#include "logs/track_counts.h"

namespace apf {

// Of the line that the text begins with, as far as messages show it.
std::string_view beginning_of_line(std::string_view text);
// The beginnings of the lines.
void add_texts(const LogChunk& chunk, UnusableLines& lines);

template <class Maker>
class TrackReader {
 public:
  using Batch = typename Maker::Batch;

  // `make_maker` is called once for each thread. `sides`: see OrderedWork. Throws Error for logs that cannot be opened
  // or no such format.
  template <class MakeMaker>
  TrackReader(const LogTrack& track, const LogOptions& options, MakeMaker&& make_maker, SideWorks sides = {})
      : has_side_work_(!sides.empty()),
        needs_events_(options.needs_events),
        interrupted_(options.interrupted),
        source_(std::make_unique<ChunkSource>(track.logs, parse_log_format(options.log_format), options)) {
    source_->read_sorted(track.sorted);
    for (std::size_t i = 0; i < track.sorted.size(); ++i)
      if (track.sorted[i]) counts_.add_text(static_cast<std::uint32_t>(i), track.sorted[i]->counts);
    const int threads = threads_wanted_ = thread_count(options.threads);
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < threads; ++i)
      workers.push_back(std::make_unique<Worker>(*source_, make_maker(), options.digest));
    work_ = std::make_unique<OrderedWork<Job, Worker>>(std::move(workers), batches(threads), std::move(sides));
    threads_ = work_->threads();
  }

  // Valid until the next call; null at the end. A batch may be empty: there is progress, or a signal came.
  Batch* next() {
    Job* const job = work_ ? work_->next() : nullptr;
    if (!job) {
      if (!has_side_work_) work_.reset();
      return nullptr;
    }
    counts_.source = job->stats;
    counts_.add(job->batch);
    counts_.text.add(job->text);
    return &job->batch;
  }
  const TrackCounts& counts() const { return counts_; }
  // How many work, and how many were to.
  int threads() const { return threads_; }
  int threads_wanted() const { return threads_wanted_; }

  // No more batches come.
  void stop() { work_.reset(); }
  // The same; then the log can be read again. False: it is a pipe that is too long for that.
  bool stop_and_keep() {
    stop();
    return source_->keep_rest(interrupted_);
  }
  const ChunkSource& source() const { return *source_; }

  // Adds names, counts and what the source noted to the report. No more batches come after that.
  void fill(LogReport& report);
  // When the events of each log were written.
  std::vector<LogSpan> spans() const {
    std::vector<LogSpan> out = counts_.spans;
    for (std::size_t i = 0; i < out.size(); ++i) out[i].log = source_->names()[i];
    return out;
  }

 private:
  // How many there are at once. Few stay in the processors' caches; one thread alone needs but one.
  static std::size_t batches(int threads) {
    return threads == 1 ? 1 : static_cast<std::size_t>(std::min(2 * threads, threads + 4));
  }

  struct Job {
    LogChunk chunk;
    ChunkSourceStats stats;  // of the source after this chunk
    TextDigest text;
    Batch batch;
  };
  class Worker {
   public:
    Worker(ChunkSource& source, std::unique_ptr<Maker> maker, bool digests)
        : source_(source), maker_(std::move(maker)), digests_(digests) {}
    bool take(Job& job) {
      const bool got = source_.next(job.chunk);
      job.stats = source_.stats();
      return got;
    }
    void make(Job& job) {
      job.text = {};
      if (digests_ && !job.chunk.sorted) job.text.add(std::string_view(job.chunk.buffer).substr(0, job.chunk.size));
      maker_->make(job.chunk, job.batch);
      job.batch.lines = job.chunk.lines;
      job.batch.file = job.chunk.file;
      job.batch.format = job.chunk.format;
      job.batch.label = job.chunk.label;
      add_texts(job.chunk, job.batch.unusable);
    }

   private:
    ChunkSource& source_;
    const std::unique_ptr<Maker> maker_;
    const bool digests_;
  };

  const bool has_side_work_;  // its thread goes on after the last batch
  const bool needs_events_;
  const std::atomic<bool>* const interrupted_;
  std::unique_ptr<ChunkSource> source_;
  TrackCounts counts_;
  int threads_ = 0, threads_wanted_ = 0;
  std::unique_ptr<OrderedWork<Job, Worker>> work_;
};

// Adds what was counted to the report, and what the source has to say. Throws Error where each log needs events and one
// has none.
void fill_from_track(const TrackCounts& counts, const ChunkSource& source, bool needs_events, LogReport& report);

template <class Maker>
void TrackReader<Maker>::fill(LogReport& report) {
  stop();
  const bool whole = !interrupted_ || !interrupted_->load(std::memory_order_relaxed);
  fill_from_track(counts_, *source_, needs_events_ && whole, report);
}

}  // namespace apf
