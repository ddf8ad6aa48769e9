#include "logs/input.h"

#include <apf/error.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <thread>
#include <tuple>

#include "logs/formats/format.h"

namespace apf {

std::vector<std::string> log_format_names() {
  std::vector<std::string> names{"auto"};
  for (const FormatRow* row : log_formats()) names.emplace_back(row->name);
  return names;
}

LogFormat parse_log_format(const std::string& name) {
  if (name == "auto") return LogFormat::automatic;
  std::string names = "auto";
  for (const FormatRow* row : log_formats()) {
    if (name == row->name) return row->format;
    names.append(", ").append(row->name);
  }
  throw Error("there is no log format \"" + name + "\"; there are " + names);
}

bool is_regular_file(const std::string& path) {
  struct stat status {};
  return path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

namespace {

// The time of the first event or note in a chunk.
class FirstTime final : public LogEventSink {
 public:
  Nanos time = kNoTime;
  void on_event(const LogEvent& event, std::uint64_t) override {
    if (time == kNoTime) time = event.stage_time != kNoTime ? event.stage_time : event.received;
  }
  void on_note(const ServerNote& note, std::uint64_t) override {
    if (time == kNoTime) time = note.time;
  }
  void on_unusable(Unusable, std::uint64_t) override {}
};

bool is_klog(LogFormat format) { return format == LogFormat::httplog || format == LogFormat::httplog_json; }

// What the beginning of a file shows of what it holds.
struct Beginning {
  LogFormat format = LogFormat::audit;
  bool audit = true, http = false;
  Nanos time = kNoTime;
};

Beginning look_into(const std::string& path, const std::vector<std::string>& all, int log_year) {
  Beginning out;
  ChunkSource source({&path, 1}, LogFormat::automatic, log_year, all);
  LogChunk chunk;
  if (!source.next(chunk)) return out;
  out.format = chunk.format;
  const std::string_view text(chunk.buffer.data(), chunk.size);
  // One names the ID of a request so, the other so; a shipper takes what a container writes, in which both may stand.
  const bool audit = text.find("auditID") != std::string_view::npos,
             http = text.find("audit-ID") != std::string_view::npos;
  out.http = http || is_klog(out.format);
  out.audit = audit || !out.http;
  FirstTime first;
  LogParsers().of(chunk.format).parse(chunk, first);
  out.time = first.time;
  return out;
}

}  // namespace

std::vector<LogTrack> sort_into_tracks(const std::vector<std::string>& logs, const std::string& format, int log_year) {
  const LogFormat wanted = parse_log_format(format);
  if (wanted != LogFormat::automatic)
    return {{logs, wanted, std::all_of(logs.begin(), logs.end(), is_regular_file), !is_klog(wanted), is_klog(wanted)}};
  const ChunkSource checks_paths(logs, wanted);
  struct Part {
    std::string path;
    Nanos time;
  };
  std::map<std::tuple<bool, LogFormat, bool>, std::vector<Part>> kinds;
  std::vector<LogTrack> pipes;
  for (const std::string& path : logs) {
    if (!is_regular_file(path)) {
      pipes.push_back({{path}, LogFormat::automatic, false, true, true});
      continue;
    }
    const Beginning begins = look_into(path, logs, log_year);
    kinds[{!begins.audit, begins.format, begins.http}].push_back({path, begins.time});
  }
  std::vector<LogTrack> tracks;
  for (auto& [kind, parts] : kinds) {
    const auto& [no_audit, found, http] = kind;
    // Trace lines are whatever their writer meant them to be.
    const bool timed = found != LogFormat::trace &&
                       std::all_of(parts.begin(), parts.end(), [](const Part& p) { return p.time != kNoTime; });
    if (timed)
      std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.time < b.time; });
    LogTrack& track = tracks.emplace_back(LogTrack{{}, found, true, !no_audit, http});
    for (Part& part : parts) track.logs.push_back(std::move(part.path));
  }
  for (LogTrack& pipe : pipes) tracks.push_back(std::move(pipe));
  return tracks;
}

bool are_joined(const std::vector<LogTrack>& tracks) {
  const auto any = [&](bool LogTrack::*holds) {
    return std::any_of(tracks.begin(), tracks.end(), [&](const LogTrack& t) { return t.*holds; });
  };
  // A pipe alone is taken to hold one of them.
  if (tracks.size() == 1 && !tracks.front().regular) return false;
  return any(&LogTrack::may_hold_audit) && any(&LogTrack::may_hold_http);
}

int thread_count(int threads) {
  const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::clamp(threads > 0 ? threads : processors, 1, 64);
}

Input::Input(const std::vector<LogTrack>& tracks, const ReplayOptions& options, const PrepareContext& context,
             std::uint32_t first_worker)
    : workers_(first_worker) {
  const int count = thread_count(options.threads);
  tracks_.reserve(tracks.size());
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    Track& track = tracks_.emplace_back(options.reorder_window);
    track.source = std::make_unique<ChunkSource>(tracks[t].logs, parse_log_format(options.log_format), options.log_year,
                                                 options.logs);
    std::vector<std::unique_ptr<Preparer>> makers;
    for (int i = 0; i < count; ++i) makers.push_back(std::make_unique<Preparer>(context, *track.source, workers_++));
    track.work =
        std::make_unique<OrderedWork<PrepareJob, Preparer>>(std::move(makers), static_cast<std::size_t>(count) + 2);
  }
}

Input::~Input() = default;

// Makes the track stand at an event, if it has one left.
bool Input::fetch(Track& track, ReplayReport& report) {
  while (track.work && (!track.batch || track.at == track.batch->events.size())) {
    PrepareJob* job = track.work->next();
    if (!job) {
      track.batch = nullptr;
      track.work.reset();
      return false;
    }
    track.batch = &job->batch;
    track.at = 0;
    track.is_new = true;
    track.clock.straighten(*track.batch);
    stepped_back_ = stepped_back_ || track.clock.steps() > 0;
    track.stats = job->stats;
    report.lines += track.batch->lines;
    report.other_lines += track.batch->other_lines;
    track.origins.add(track.batch->file, track.batch->origins);
    implied_groups_ += track.batch->implied_groups;
    for (int i = 0; i < static_cast<int>(Unusable::kCount); ++i)
      if (track.batch->unusable[i] > 0)
        report.unusable[to_string(static_cast<Unusable>(i))] += track.batch->unusable[i];
    if (track.batch->events.empty()) return true;  // there is progress to tell, or an interrupt to heed
  }
  if (!track.batch) return false;
  track.written = std::max(track.written, track.batch->events[track.at].written());
  return true;
}

bool Input::next(Run& run, ReplayReport& report) {
  if (tracks_.size() == 1) {
    Track& only = tracks_.front();
    if (only.batch) only.at = only.batch->events.size();
    if (!fetch(only, report)) return false;
    run = {only.batch, 0, only.batch->events.size(), true};
    report.events += run.to;
    return true;
  }
  if (!begun_) {
    begun_ = true;
    for (Track& track : tracks_) fetch(track, report);
  } else if (current_) {
    fetch(*current_, report);
  }
  for (Track& track : tracks_) {
    if (!track.batch || !track.batch->events.empty()) continue;
    current_ = &track;
    run = {track.batch, 0, 0, track.is_new};
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
  run = {first->batch, first->at, first->at, first->is_new};
  first->is_new = false;
  const auto& events = first->batch->events;
  do {
    ++first->at;
    if (first->at < events.size()) first->written = std::max(first->written, events[first->at].written());
  } while (first->at < events.size() &&
           (!second || first->written < second->written || (first->written == second->written && first < second)));
  run.to = first->at;
  report.events += run.to - run.from;
  return true;
}

ChunkSourceStats Input::stats() const {
  ChunkSourceStats sum;
  for (const Track& track : tracks_) {
    sum.bytes += track.stats.bytes;
    sum.input_bytes += track.stats.input_bytes;
    sum.total_input_bytes += track.stats.total_input_bytes;
    sum.lines += track.stats.lines;
  }
  return sum;
}

void Input::fill(ReplayReport& report) {
  bool mixed = false;
  std::uint64_t steps = 0;
  Nanos largest_step = 0;
  for (Track& track : tracks_) {
    track.work.reset();  // the reading threads stop first
    report.logs.insert(report.logs.end(), track.source->names().begin(), track.source->names().end());
    report.bytes += track.source->stats().bytes;
    if (const auto n = track.source->too_long_lines(); n > 0) {
      report.unusable[to_string(Unusable::too_long)] += n;
      report.lines += n;
    }
    const std::vector<Remark>& warnings = track.source->warnings();
    report.warnings.insert(report.warnings.end(), warnings.begin(), warnings.end());
    mixed = mixed || track.origins.mixed();
    steps += track.clock.steps();
    largest_step = std::max(largest_step, track.clock.largest());
  }
  if (implied_groups_ > 0) report.assumptions.push_back({.kind = RemarkKind::groups_implied, .count = implied_groups_});
  if (steps > 0)
    report.warnings.push_back({.kind = RemarkKind::clock_set_back, .count = steps, .duration = largest_step});
  if (mixed) report.warnings.push_back({.kind = RemarkKind::servers_mixed});
}

void GlobalNumbers::extend(const PreparedBatch& batch) {
  if (workers_.size() <= batch.worker) workers_.resize(batch.worker + 1);
  Worker& of = workers_[batch.worker];
  for (const FlowDefinition& flow : batch.new_flows) of.flows.push_back(flows_.add(flow));
  for (const RecordedPlace& place : batch.new_places) {
    const std::uint32_t number = place_names_.id(place.flow_schema + '\0' + place.priority_level);
    if (number == places_.size()) places_.push_back(place);
    of.places.push_back(number);
  }
  for (const std::vector<int>& list : batch.new_lists) {
    const std::uint32_t number = list_keys_.id({reinterpret_cast<const char*>(list.data()), list.size() * sizeof(int)});
    if (number == lists_.size()) lists_.push_back(list);
    of.lists.push_back(number);
  }
  for (const std::string& user : batch.new_users) {
    const std::uint32_t number = user_names_.id(user);
    if (number == users_.size()) users_.push_back(user);
    of.users.push_back(number);
  }
  for (const Requester& requester : batch.new_requesters) {
    const std::uint32_t number = requester_keys_.id(requester.user + '\0' + requester.user_agent);
    if (number == requesters_.size()) requesters_.push_back(requester);
    of.requesters.push_back(number);
  }
}

std::uint32_t HeldSenders::copy(const Sender& sender) {
  if (free_.empty()) {
    senders_.push_back(sender);
    return static_cast<std::uint32_t>(senders_.size());
  }
  const std::uint32_t id = free_.back();
  free_.pop_back();
  senders_[id - 1] = sender;
  return id;
}

std::uint32_t HeldTexts::put(std::string&& text) {
  if (free_.empty()) {
    texts_.push_back(std::move(text));
    return static_cast<std::uint32_t>(texts_.size());
  }
  const std::uint32_t id = free_.back();
  free_.pop_back();
  texts_[id - 1] = std::move(text);
  return id;
}

std::string HeldTexts::take(std::uint32_t id) {
  if (id == 0) return {};
  free_.push_back(id);
  return std::move(texts_[id - 1]);
}

}  // namespace apf
