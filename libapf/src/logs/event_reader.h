// Reads the logs of one server: hands out the events of all tracks in the order in which the server wrote them, with
// the clock straightened where it was set back.
//
// `Maker` is as TrackReader wants it; its batch has `EventList<Event> events`, where Event derives from RequestEvent.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <apf/logs.h>

#include "logs/clock_steps.h"
#include "logs/remarks.h"
#include "logs/track_reader.h"

namespace apf {

template <class Maker>
class EventReader {
 public:
  using Batch = typename Maker::Batch;

  // `tracks`: of the options' logs. `make_maker` is called once for each thread of each track. `sides`: see
  // OrderedWork. Throws Error for logs that cannot be opened or no such format.
  template <class MakeMaker>
  EventReader(const std::vector<LogTrack>& tracks, const LogOptions& options, MakeMaker&& make_maker,
              const SideWorks& sides = {})
      : interrupted_by_(options.interrupted) {
    tracks_.reserve(tracks.size());
    for (const LogTrack& track : tracks) tracks_.emplace_back(track, options, make_maker, sides);
  }

  // Who knows which events were there before; else none is taken to have been.
  using IsRepeated = std::function<bool(const RequestEvent& event)>;
  void ask_for_repeated(IsRepeated is_repeated) { is_repeated_ = std::move(is_repeated); }

  // Sees each batch of `tracks[track]` once, with the times that the log has, before they are put in order.
  using OnBatch = std::function<void(std::size_t track, const Batch& batch)>;
  void on_batch(OnBatch on_batch) { on_batch_ = std::move(on_batch); }

  // Events of one batch, [from, to), that were written before the next ones of any other track (of one instant the
  // first track's come first). `is_new`: the batch was not handed out before; `is_last`: nor will it be again, and who
  // takes the run may take the batch's events, too.
  struct Run {
    Batch* batch = nullptr;
    std::size_t from = 0, to = 0;
    bool is_new = false, is_last = false;
  };
  // Valid until the next call; false at the end, and when the user interrupted.
  bool next(Run& run) {
    interrupted_ = begun_ && interrupted_by_ && interrupted_by_->load(std::memory_order_relaxed);
    if (interrupted_) return false;
    const bool more = tracks_.size() == 1 ? next_of_one(run) : next_of_several(run);
    begun_ = true;
    events_ += more ? run.to - run.from : 0;
    return more;
  }
  bool is_interrupted() const { return interrupted_; }
  // Whether the clock of any log was set back so far.
  bool stepped_back() const { return stepped_back_; }
  // As of what was handed out last.
  ChunkSourceStats stats() const {
    ChunkSourceStats sum;
    for (const Track& track : tracks_) {
      const ChunkSourceStats& stats = track.reader.counts().source;
      sum.bytes += stats.bytes;
      sum.input_bytes += stats.input_bytes;
      sum.total_input_bytes += stats.total_input_bytes;
      sum.lines += stats.lines;
    }
    return sum;
  }
  // Adds names, counts and remarks to the report. No more events come after that. `repeated`: answers that do not
  // count.
  void fill(LogReport& report, const RefusalCounts& repeated) {
    ReadingFacts facts;
    TextDigest text;
    for (Track& track : tracks_) {
      track.reader.fill(report);
      const TrackCounts& counts = track.reader.counts();
      text.add(counts.text);
      facts.implied_groups += counts.implied_groups;
      facts.refusals.add(counts.refusals);
      for (const TroubleCounts::Row& row : counts.troubles.rows) facts.troubles.add(row);
      for (LogSpan& span : track.reader.spans()) {
        span.http = !track.holds_audit;
        facts.spans.push_back(std::move(span));
      }
      facts.mixed = facts.mixed || counts.origins.mixed() || counts.renewals.mixed();
      facts.threads += static_cast<std::uint64_t>(track.reader.threads());
      facts.threads_wanted += static_cast<std::uint64_t>(track.reader.threads_wanted());
      facts.clock_steps += track.clock.steps();
      facts.largest_clock_step = std::max(facts.largest_clock_step, track.clock.largest());
    }
    facts.refusals.remove(repeated);
    report.events += events_;
    report.digest = text.value();
    report.interrupted = interrupted_;
    remark(facts, report);
  }

 private:
  struct Track {
    template <class MakeMaker>
    Track(const LogTrack& track, const LogOptions& options, MakeMaker& make_maker, const SideWorks& sides)
        : clock(options.reorder_window), holds_audit(track.may_hold_audit), reader(track, options, make_maker, sides) {}
    ClockSteps clock;
    bool holds_audit;
    Batch* batch = nullptr;
    std::size_t at = 0;         // the next event
    std::size_t size = 0;       // of the batch's events
    Nanos written = INT64_MIN;  // of the event at `at`, or before it: never decreases
    bool is_new = false;
    TrackReader<Maker> reader;
  };

  // Goes on to the track's next batch where this one is used up. False: there is none.
  bool fetch(Track& track) {
    while (!track.batch || track.at == track.size) {
      track.batch = track.reader.next();
      if (!track.batch) return false;
      track.at = 0;
      track.size = track.batch->events.size();
      track.is_new = true;
      if (on_batch_) on_batch_(static_cast<std::size_t>(&track - tracks_.data()), *track.batch);
      track.clock.straighten(*track.batch, is_repeated_);
      stepped_back_ = stepped_back_ || track.clock.steps() > 0;
      if (track.size == 0) return true;  // there is progress, or an interrupt
    }
    track.written = std::max(track.written, track.batch->events[track.at].event.written());
    return true;
  }

  bool next_of_one(Run& run) {
    Track& only = tracks_.front();
    only.at = only.size;
    if (!fetch(only)) return false;
    run = {only.batch, 0, only.size, true, true};
    return true;
  }

  bool next_of_several(Run& run) {
    for (Track& track : tracks_)
      if (begun_ ? &track == current_ : true) fetch(track);
    for (Track& track : tracks_) {
      if (!track.batch || track.size != 0) continue;
      current_ = &track;
      run = {track.batch, 0, 0, track.is_new, true};
      track.is_new = false;
      return true;
    }
    Track* first = nullptr;
    Track* second = nullptr;  // whose turn comes next
    for (Track& track : tracks_) {
      if (!track.batch) continue;
      if (!first || track.written < first->written) {
        second = first;
        first = &track;
      } else if (!second || track.written < second->written) {
        second = &track;
      }
    }
    current_ = first;
    if (!first) return false;
    run = {first->batch, first->at, first->at, first->is_new, false};
    first->is_new = false;
    const auto& events = first->batch->events;
    do {
      ++first->at;
      if (first->at < first->size) first->written = std::max(first->written, events[first->at].event.written());
    } while (first->at < first->size &&
             (!second || first->written < second->written || (first->written == second->written && first < second)));
    run.to = first->at;
    run.is_last = run.to == first->size;
    return true;
  }

  const std::atomic<bool>* const interrupted_by_;
  IsRepeated is_repeated_ = [](const RequestEvent&) { return false; };
  OnBatch on_batch_;
  std::vector<Track> tracks_;
  Track* current_ = nullptr;
  bool begun_ = false, interrupted_ = false, stepped_back_ = false;
  std::uint64_t events_ = 0;
};

}  // namespace apf
