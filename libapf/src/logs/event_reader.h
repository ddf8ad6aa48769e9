// Reads the logs of one server: hands out the events of all tracks in the order in which the server wrote them. Single
// lines may come late, by no more than the requests still find their place.
//
// `Maker` is as TrackReader wants it; its batch has `EventList<Event> events`, where Event derives from RequestEvent.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <apf/error.h>
#include <apf/logs.h>

#include "base/text.h"
#include "logs/log_order.h"
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
      : interrupted_by_(options.interrupted), order_(options.order), window_(options.reorder_window) {
    tracks_.reserve(tracks.size());
    for (const LogTrack& track : tracks) tracks_.emplace_back(track, options, make_maker, sides);
  }

  // Sees each batch of `tracks[track]` once, before its events are put in order with those of other batches.
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
  // Valid until the next call; false at the end, and when the user interrupted. Throws OutOfOrder: see
  // until_in_order().
  bool next(Run& run) {
    interrupted_ = begun_ && interrupted_by_ && interrupted_by_->load(std::memory_order_relaxed);
    if (interrupted_) return false;
    const bool more = tracks_.size() == 1 ? next_of_one(run) : next_of_several(run);
    begun_ = true;
    events_ += more ? run.to - run.from : 0;
    return more;
  }
  bool is_interrupted() const { return interrupted_; }
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
      facts.falls.add(track.falls);
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
        : logs(track.logs),
          holds_audit(track.may_hold_audit),
          holds_http(track.may_hold_http),
          reader(track, options, make_maker, sides) {
      for (const auto& sorted : track.sorted)
        if (sorted) falls.add(sorted->order().falls());
      is_sorted = !track.sorted.empty();
    }
    std::vector<std::string> logs;
    bool holds_audit, holds_http, is_sorted;
    Falls falls;
    std::uint64_t events = 0, late = 0;
    std::uint32_t file = 0;    // of the last batch
    Nanos latest = INT64_MIN;  // of the batches that were read
    Batch* batch = nullptr;
    std::size_t at = 0;    // the next event
    std::size_t size = 0;  // of the batch's events
    EventPlace place;      // of the event at `at`, or before it: never decreases
    void look() {
      const EventPlace next = EventPlace::of(batch->events[at].event);
      if (place < next) place = next;
    }
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
      check_order(track);
      if (track.size == 0) return true;  // there is progress, or an interrupt
    }
    track.look();
    return true;
  }

  // Events that come later than their batch, but in time to be put in their place, are taken as they come, if they are
  // few.
  void check_order(Track& track) {
    const LineOrder& order = track.batch->order;
    const Nanos before = std::exchange(track.latest, std::max(track.latest, order.latest()));
    track.events += track.size;
    const HeldKinds holds = order.holds();
    if ((holds.audit && !track.holds_audit) || (holds.http && !track.holds_http)) look_again(track, holds);
    if (track.is_sorted) return;
    // Of the first lines of a file each counts: they may be of the same time as another file.
    const bool is_next_file = std::exchange(track.file, track.batch->file) != track.batch->file;
    const Nanos usual = is_next_file ? 0 : kUsualDisorder;
    Falls late;
    bool in_time = true;
    for (std::size_t i = 0; before != INT64_MIN && i < track.size; ++i) {
      const RequestEvent& event = track.batch->events[i].event;
      if (event.written() >= before - usual) break;  // the batch is in order
      ++track.late;
      late.add(before - event.written());
      in_time = in_time && event.received > before - window_ + kUsualDisorder;
    }
    track.falls.add(late.lines > order.falls().lines ? late : order.falls());
    if (!in_time || track.late > 1 + track.events / kLinesForLate) sort(track);
  }

  // Requests of both logs in one file are joined, wherever in it the second one begins.
  void look_again(Track& track, HeldKinds holds) {
    if (order_->note(track.logs[track.batch->file], holds))
      begin_again(track,
                  " holds an audit log and kube-apiserver's own, and is too long to be read twice while it comes "
                  "through a pipe: give it as a file");
  }

  // `cannot`: what is wrong with a log of which no more than a part was kept.
  [[noreturn]] void begin_again(Track& track, const std::string& cannot) {
    if (!track.reader.stop_and_keep()) throw Error(name_of_input(track.logs.front()) + cannot);
    throw OutOfOrder();
  }

  [[noreturn]] void sort(Track& track) {
    order_->sort(track.logs);
    begin_again(track, std::string(" is not in order of time, and too long to be put in order while it comes through a "
                                   "pipe: ") +
                           kSortFirst + ", or give it as a file");
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
      if (!first || track.place < first->place) {
        second = first;
        first = &track;
      } else if (!second || track.place < second->place) {
        second = &track;
      }
    }
    current_ = first;
    if (!first) return false;
    run = {first->batch, first->at, first->at, first->is_new, false};
    first->is_new = false;
    do {
      ++first->at;
      if (first->at < first->size) first->look();
    } while (first->at < first->size &&
             (!second || first->place < second->place || (first < second && !(second->place < first->place))));
    run.to = first->at;
    run.is_last = run.to == first->size;
    return true;
  }

  static constexpr std::uint64_t kLinesForLate = 1000;  // of so many, one may be late

  const std::atomic<bool>* const interrupted_by_;
  const std::shared_ptr<LogOrder> order_;
  const Nanos window_;
  OnBatch on_batch_;
  std::vector<Track> tracks_;
  Track* current_ = nullptr;
  bool begun_ = false, interrupted_ = false;
  std::uint64_t events_ = 0;
};

}  // namespace apf
