#include "replay/engine/request_reader.h"

#include <algorithm>

#include "base/prefetch.h"
#include "logs/zone.h"
#include "replay/engine/unused_entries.h"

namespace apf {

namespace {

constexpr std::size_t kMostMemory = 4;       // times the requests held, for a longer window
constexpr Nanos kJoinMargin = 15 * kSecond;  // requests wait for the lines of another log, too

Nanos time_taken(const JoinedEvent& joined) {
  if (joined.unfinished) return kNoTime;
  const PreparedEvent& event = joined.event;
  return event.stage_time != kNoTime ? event.stage_time - event.received : event.execution;
}

constexpr std::size_t kAhead = 4, kFarAhead = 8;  // events that are on their way from memory

}  // namespace

RequestReader::RequestReader(const ReplayOptions& options, const OtherSides& sides, Nanos join_window,
                             bool keeps_shapes)
    : options_(options),
      window_(std::max(options.reorder_window, join_window)),
      tracks_(sort_into_tracks(options)),
      joined_(are_joined(tracks_)),
      context_(context_of(options, sides)),
      flows_(context_.classifiers),
      numbers_(flows_, context_.several_estimates()),
      joiner_(
          window_, window_ > options.reorder_window ? kMostMemory * options.reorder_limit : options.reorder_limit,
          [this](Nanos now, JoinedEvent& joined) { return pass_on(now, joined); },
          [this](const PreparedEvent& event) {
            texts_.drop(event.text_id);
            senders_.drop(event.sender);
            attributes_.drop(event.attributes);
          },
          joined_ ? Joiner<PreparedEvent>::Resolve([this](PreparedEvent& event) {
            clients_->find(event, senders_.at(event.sender));
            senders_.drop(event.sender);
            event.sender = 0;
          })
                  : nullptr,
          options.reorder_window) {
  context_.joined = joined_;
  context_.keeps_shapes = keeps_shapes;
  if (options.fill) fill_.emplace(options, context_.classifiers, flows_, keeps_shapes);
  if (options.jitter > 0) joiner_.jitter(options.jitter, options.jitter_seed);
}

void RequestReader::survey() {
  if (joined_) context_.zone = find_zone(tracks_, options_);
  const std::vector<LogTrack> tracks = Survey::tracks_to_read(tracks_, options_);
  if (!tracks.empty()) next_worker_ = survey_.read(tracks, options_, context_, numbers_, clock_, 0);
}

// What was there before the first line, and what is yet to come.
void RequestReader::begin(Nanos first_written) {
  begun_ = true;
  first_written_ = first_written;
  const auto& watches = survey_.watches();
  for (; next_watch_ < watches.size() && watches[next_watch_].event.received < first_written; ++next_watch_) {
    const PreparedEvent& watch = watches[next_watch_].event;
    if (!joined_ && watch.http && !outlasts(watch, options_.reorder_window)) continue;  // a request like others
    if (watch.watch_key == 0 || watch.code == 429) continue;
    sink_->add_standing_watch(watch.watch_key, watch.stage_time);
  }
  if (!survey_.has_all_watches() || (next_watch_ < watches.size() && !watches[next_watch_].event.http))
    next_watch_ = watches.size();
  if (next_watch_ < watches.size()) next_watch_time_ = watches[next_watch_].event.received;
}

void RequestReader::take_watches_until(Nanos time) {
  const auto& watches = survey_.watches();
  for (; next_watch_ < watches.size() && watches[next_watch_].event.received <= time; ++next_watch_) {
    PreparedEvent event = watches[next_watch_].event;
    event.sender = joined_ ? senders_.add(watches[next_watch_].sender) : 0;
    joiner_.add_early(std::move(event));
  }
  next_watch_time_ = next_watch_ < watches.size() ? watches[next_watch_].event.received : INT64_MAX;
}

void RequestReader::take_joined(PreparedBatch& batch, JoinedEvent& joined) {
  joined.page = batch.page;
  if (take_event(batch, joined.event)) joiner_.add_in_place(joined);
  else joiner_.held().drop(joined);
}

bool RequestReader::take_event(PreparedBatch& batch, PreparedEvent& event) {
  if (event.note != 0) {
    if (survey_.done()) return false;
    clock_.take(batch.notes[event.note - 1]);
    sink_->take_note(batch.notes[event.note - 1]);
    return false;
  }
  if (event.written() >= next_watch_time_) take_watches_until(event.written());
  numbers_.adopt(event, batch.worker);
  if (event.http && event.watch && survey_.has_all_watches()) {
    // One that began before the log: the audit log has it, if there is one.
    if (joined_ || event.received >= first_written_) return false;
    if (outlasts(event, options_.reorder_window)) event.left_out = LeftOut::standing_watch;
  }
  if (joined_ && event.sender != 0) {
    const Sender& sender = batch.senders[event.sender - 1];
    clients_->see(sender, batch.worker);
    event.sender = event.http ? senders_.add(sender) : 0;
  }
  if (event.attributes != 0) event.attributes = attributes_.swap_in(batch.attributes[event.attributes - 1]);
  if (event.text_id != 0) event.text_id = texts_.add(std::move(batch.texts[event.text_id - 1]));
  return true;
}

void RequestReader::take(const Events::Run& run) {
  if (run.is_new) {
    const bool grows = GlobalNumbers::has_new(*run.batch);
    if (grows) sink_->pause();
    numbers_.extend(*run.batch);
    if (grows) sink_->resume();
    for (const WriteCounters& write : run.batch->writes) completeness_.note(write);
    selection_.note_verbs(run.batch->verbs);
  }
  EventList<PreparedEvent>& events = run.batch->events;
  if (run.is_new) run.batch->page = joiner_.held().open(events.size());
  if (!begun_ && run.from < run.to) begin(events[run.from].event.written());
  for (std::size_t i = run.from; i < run.to; ++i) {
    // Another thread may have made it.
    if (i + kFarAhead < run.to) prefetch(events[i + kFarAhead]);
    if (i + kAhead < run.to) joiner_.fetch(events[i + kAhead].event);
    take_joined(*run.batch, events[i]);
  }
  if (run.is_last) joiner_.held().close(run.batch->page, events);
  take_back();
}

// From a sink that looks at requests later than when they are passed on.
void RequestReader::take_back() {
  for (const std::uint64_t done = sink_->done(); taken_back_ < done && !passed_on_.empty(); ++taken_back_) {
    joiner_.held().drop(*passed_on_.front());
    passed_on_.pop_front();
  }
}

bool RequestReader::pass_on(Nanos now, JoinedEvent& joined) {
  if (fill_) add_filled(now);
  if (joined.kind == JoinedEvent::Kind::request) {
    completeness_.add(now, joined.event.traits, joined.event.requester);
    if (!is_by_hand(joined.event))
      selection_.add(joined.event.requester, !joined.unfinished, joined.event.recorded_refusal, time_taken(joined));
    if (joined_) clients_->observe(joined.event);
  }
  if (sink_keeps_) passed_on_.push_back(&joined);
  sink_->take(now, joined, texts_.take(joined.event.text_id));
  return !sink_keeps_;
}

void RequestReader::read(Sink& sink) {
  sink_ = &sink;
  sink_keeps_ = sink.done() != Sink::kAll;
  events_.emplace(
      tracks_, options_, [this] { return std::make_unique<Preparer>(context_, next_worker_++); }, sink.side_work());
  if (joined_) clients_.emplace(context_, numbers_, flows_, next_worker_);
  Events::Run run;
  while (events_->next(run)) {
    take(run);
    if (options_.progress && run.is_new) {
      const ChunkSourceStats stats = events_->stats();
      options_.progress({stats.input_bytes, stats.total_input_bytes, joiner_.sums().requests, sink.now()});
    }
  }
  if (!is_interrupted()) take_watches_until(INT64_MAX);
  joiner_.finish();
}

void RequestReader::finish() {
  if (fill_ && !is_interrupted()) add_filled(INT64_MAX);
}

std::optional<Nanos> RequestReader::longer_window() const {
  const Nanos longest = joiner_.sums().longest;
  if (is_interrupted() || window_ != options_.reorder_window || joiner_.sums().out_of_window == 0 ||
      longest <= window_ || !can_be_read_again(options_))
    return std::nullopt;
  return longest + kJoinMargin;
}

bool RequestReader::has_requests_alone() const {
  return !options_.fill &&
         std::none_of(tracks_.begin(), tracks_.end(), [](const LogTrack& t) { return t.may_hold_http; });
}

void RequestReader::fill(ReplayReport& report) {
  events_->fill(report, joiner_.sums().repeated);
  report.server = options_.server;
  const auto name_of = [this](std::uint32_t client) { return numbers().requesters[client].user; };
  report.incomplete = completeness_.remarks(name_of);
  selection_.remark(name_of, report.incomplete);
  remark(joiner_.sums(), report);
  remark_zone(context_.zone, report);
  if (survey_.overfull()) report.warnings.push_back({.kind = RemarkKind::too_many_watches});
  if (!is_interrupted())
    for (Remark& remark : unused_entries(options_, numbers())) report.warnings.push_back(std::move(remark));
  if (report.join.joined) report.join.users_found = clients_ ? clients_->found() : 0;
}

}  // namespace apf
