// What logs hold, and what of it a faithful replay will miss.
#include <apf/logs.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/hash.h"
#include "base/interner.h"
#include "base/text.h"
#include "logs/answer_cause.h"
#include "logs/completeness.h"
#include "logs/count_maker.h"
#include "logs/event_view.h"
#include "logs/formats/audit.h"
#include "logs/formats/format.h"
#include "logs/formats/server_notes.h"
#include "logs/remarks.h"
#include "logs/selection.h"
#include "logs/track_reader.h"
#include "logs/zone.h"

namespace apf {
namespace {

constexpr std::size_t kMostNames = 1000;
constexpr std::size_t kMostIds = std::size_t{1} << 20;  // of complete requests, to find those that are there twice
constexpr std::size_t kMostOpen = std::size_t{1} << 22;
constexpr std::size_t kMostUserTexts = 1u << 16;
constexpr std::size_t kTopUsers = 10;
constexpr Nanos kAuditedWait = kSecond / 2;  // audit logs annotate waits above

void add_name(std::map<std::string, std::uint64_t>& counts, std::string_view name) {
  if (name.empty()) return;
  const auto it =
      counts.size() < kMostNames ? counts.try_emplace(std::string(name)).first : counts.find(std::string(name));
  ++(it != counts.end() ? it->second : counts["…"]);
}

const char* stage_name(Stage stage) {
  switch (stage) {
    case Stage::received:
      return "RequestReceived";
    case Stage::response_started:
      return "ResponseStarted";
    case Stage::response_complete:
      return "ResponseComplete";
    case Stage::panic:
      return "Panic";
  }
  return "";
}

// The numbers seen lately: two halves, the older of which is dropped when the newer is full.
class RecentIds {
 public:
  // False: it was there.
  bool insert(std::uint64_t id) {
    if (newer_.size() >= kMostIds / 2) {
      older_ = std::move(newer_);
      newer_.clear();
    }
    return !older_.contains(id) && newer_.insert(id).second;
  }
  bool contains(std::uint64_t id) const { return newer_.contains(id) || older_.contains(id); }

 private:
  std::unordered_set<std::uint64_t> older_, newer_;
};

class Counter {
 public:
  Counter(const LogOptions& options, std::optional<KubeVersion> release) : options_(options), release_(release) {}

  LogStat run();

 private:
  using Reader = TrackReader<CountMaker>;

  void begin_file(const CountedBatch& batch, const std::string& name);
  void take(const CountedBatch& batch);
  void take(const CountedEvent& counted);
  void count(const KeptNote& note);
  void count_time(const LogEvent& event, Nanos arrival);
  void count_request(const CountedEvent& counted);
  std::uint32_t user_of(const CountedEvent& counted);  // its number; UINT32_MAX: nobody knows
  void count_who(std::uint32_t user, std::uint64_t agent, std::uint64_t address);
  void open(const CountedEvent& counted);
  void count_unfinished();
  bool is_in_other(bool http, std::uint64_t id);
  bool is_aggregated(std::uint64_t id, Nanos received);
  void finish();

  const LogOptions& options_;
  const std::optional<KubeVersion> release_;
  LogStat stat_;
  std::uint32_t file_ = UINT32_MAX;
  Nanos written_ = kNoTime;  // latest time of a line of the file
  bool behind_ = false;
  // Of a request that has begun and is not complete.
  struct Open {
    bool started_watch = false;
    std::uint32_t user = UINT32_MAX, verb = 0;  // numbers
    std::uint64_t agent = 0, address = 0;
  };
  std::unordered_map<std::uint64_t, Open> open_;
  RecentIds complete_[2];  // in audit logs, in the HTTP log: another log of the same server has the same requests
  // The latest complete requests of audit logs by their IDs: an aggregated API server ends those that it is sent first.
  struct Ended {
    std::uint64_t id = 0;
    Nanos received = 0;
  };
  std::vector<Ended> ended_ = std::vector<Ended>(1u << 12);
  bool joined_ = false;  // audit log and HTTP log are both there
  RecentIds seen_[2];    // then: in audit logs, in the HTTP log
  ServerFlags flags_;
  Nanos zone_ = 0;                                          // what to add to times of the HTTP log
  std::unordered_map<std::uint64_t, std::uint32_t> users_;  // by text
  Interner user_names_, verbs_;
  std::vector<std::uint64_t> by_user_;
  Completeness completeness_;
  Selection selection_;
  std::unordered_set<std::uint64_t> agents_, addresses_;
};

void Counter::begin_file(const CountedBatch& batch, const std::string& name) {
  LogFileStat& file = stat_.files.emplace_back();
  file.name = name == "-" ? "standard input" : name;
  file.format = batch.format->name;
  file.label = batch.label;
  file_ = batch.file;
  written_ = kNoTime;
  behind_ = false;
}

LogStat Counter::run() {
  const std::vector<LogTrack> tracks = sort_into_tracks(options_);
  joined_ = are_joined(tracks);
  if (tracks.size() > 1) zone_ = find_zone(tracks, options_);
  LogTrack all;  // as they are given
  all.logs = options_.logs;
  Reader reader(all, options_, [] { return std::make_unique<CountMaker>(); });
  while (const CountedBatch* batch = reader.next()) {
    if (batch->file != file_ && !batch->is_empty) begin_file(*batch, options_.logs[batch->file]);
    take(*batch);
    stat_.interrupted = options_.interrupted && options_.interrupted->load(std::memory_order_relaxed);
    if (stat_.interrupted) break;
  }
  LogReport read;
  reader.fill(read);
  stat_.bytes = read.bytes;
  stat_.lines = reader.counts().lines;
  stat_.other_lines = read.other_lines;
  stat_.unusable = std::move(read.unusable);
  stat_.bad_lines = std::move(read.bad_lines);
  stat_.warnings = std::move(read.warnings);
  finish();
  std::vector<LogSpan> spans = reader.spans();
  for (LogSpan& span : spans)
    span.http = std::any_of(tracks.begin(), tracks.end(), [&](const LogTrack& track) {
      return !track.may_hold_audit && is_one_of(track.logs, span.log);
    });
  for (Remark& remark : servers_in_files(spans)) stat_.warnings.push_back(std::move(remark));
  if (reader.counts().origins.mixed()) stat_.warnings.push_back({.kind = RemarkKind::servers_mixed});
  stat_.server_flags = std::move(flags_.flags);
  stat_.server_version = flags_.version;
  stat_.missing = missing_of(stat_, options_.reorder_window, release_);
  return std::move(stat_);
}

void Counter::take(const CountedBatch& batch) {
  stat_.events += batch.seen;
  if (!stat_.files.empty()) {
    stat_.files.back().lines += batch.lines;
    stat_.files.back().events += batch.seen;
  }
  for (const KeptNote& note : batch.notes) count(note);
  for (const CountedEvent& event : batch.events) take(event);
}

void Counter::count(const KeptNote& note) {
  switch (note.kind) {
    case ServerNote::Kind::created:
      ++stat_.starts;
      break;
    case ServerNote::Kind::rebalancing:
      ++stat_.rebalancings;
      break;
    case ServerNote::Kind::current_cl:
      ++stat_.limit_changes;
      break;
    case ServerNote::Kind::configured:
      ++stat_.configurations;
      break;
    case ServerNote::Kind::flag:
    case ServerNote::Kind::version:
      take_server_flag({note.kind, note.time, note.level, 0}, flags_);
      break;
  }
}

void Counter::count_time(const LogEvent& event, Nanos arrival) {
  if (!stat_.first_arrival || arrival < *stat_.first_arrival) stat_.first_arrival = arrival;
  if (!stat_.last_arrival || arrival > *stat_.last_arrival) stat_.last_arrival = arrival;
  const Nanos end = event.stage_time == kNoTime || !event.http ? event.stage_time : event.stage_time + zone_;
  if (end != kNoTime && (!stat_.last_end || end > *stat_.last_end)) stat_.last_end = end;
  if (arrival % kSecond == 0) ++stat_.whole_seconds;
  if (end != kNoTime && end < arrival) ++stat_.negative_latencies;
  const Nanos written = event.trace || end == kNoTime ? arrival : end;
  const bool behind = written_ != kNoTime && written < written_ - options_.reorder_window;
  if (behind) ++stat_.out_of_order;
  if (behind && !behind_) ++stat_.steps_back;
  behind_ = behind;
  if (!behind) written_ = std::max(written_, written);
}

void Counter::take(const CountedEvent& counted) {
  const LogEvent& event = counted.event;
  count_time(event, arrival_of(event) + (event.http ? zone_ : 0));
  if (!event.trace && !event.http) add_name(stat_.stages, stage_name(event.stage));
  const bool ends = event.stage != Stage::received && event.stage != Stage::response_started;
  if (ends) return count_request(counted);
  if ((counted.traits & kWatching) != 0) completeness_.note_watch();
  if (counted.id != 0 && (open_.size() < kMostOpen || open_.contains(counted.id))) open(counted);
}

std::string_view verb_of(const LogEvent& event) { return event.http || event.verb.empty() ? event.method : event.verb; }

void Counter::open(const CountedEvent& counted) {
  const LogEvent& event = counted.event;
  const auto [at, is_new] = open_.try_emplace(counted.id);
  Open& request = at->second;
  if (is_new) request = {false, user_of(counted), verbs_.id(verb_of(event)), counted.agent, counted.address};
  if (event.stage == Stage::response_started && event.verb == "watch") request.started_watch = true;
}

std::uint32_t Counter::user_of(const CountedEvent& counted) {
  if (counted.event.user_json.empty() || counted.event.http) return UINT32_MAX;
  const auto [it, is_new] = users_.try_emplace(counted.user, 0);
  if (is_new) {
    const std::uint32_t number = user_names_.id(parse_user_json(counted.event.user_json).name);
    it->second = number;
    if (number >= by_user_.size()) by_user_.resize(number + 1);
    if (users_.size() > kMostUserTexts) {  // texts are new with every token; the names stay
      users_.clear();
      return number;
    }
  }
  return it->second;
}

void Counter::count_who(std::uint32_t user, std::uint64_t agent, std::uint64_t address) {
  if (user != UINT32_MAX) {
    ++stat_.with_user;
    ++by_user_[user];
  }
  if (agent != 0) agents_.insert(agent);
  if (address != 0) addresses_.insert(address);
}

void Counter::count_request(const CountedEvent& counted) {
  const LogEvent& event = counted.event;
  const std::uint64_t id = counted.id;
  bool started = false;
  if (id != 0) {
    if (const auto it = open_.find(id); it != open_.end()) {
      started = it->second.started_watch;
      open_.erase(it);
    }
    if (!event.trace && !complete_[event.http].insert(id ^ mix64(static_cast<std::uint64_t>(event.received), 1))) {
      ++stat_.duplicates;
      return;
    }
    if (!event.trace && !event.http && is_aggregated(id, event.received)) return;
  }
  const bool again = id != 0 && !event.trace && joined_ && is_in_other(event.http, id);
  if (event.http) ++stat_.http;
  if (event.trace) ++stat_.traces;
  if (again) {
    ++stat_.in_both;
  } else {
    ++stat_.requests;
    stat_.with_id += id != 0;
    add_name(stat_.verbs, verb_of(event));
    ++stat_.codes[event.code];
    stat_.lists += event.verb == "list" || event.method == "LIST";
    stat_.with_end += event.stage_time != kNoTime || event.execution != kNoTime;
    stat_.refused += is_apf_refusal(event.cause);
  }
  add_name(stat_.flow_schemas, event.recorded_flow_schema);
  add_name(stat_.priority_levels, event.recorded_priority_level);
  const std::uint32_t user = user_of(counted);
  count_who(user, counted.agent, counted.address);
  if (!again && counted.write) completeness_.note(counted.counters);
  if (!again) completeness_.add(arrival_of(event) + (event.http ? zone_ : 0), counted.traits, user);
  if (!again && !(event.trace && event.code == 0)) {
    const Nanos took = event.stage_time != kNoTime ? event.stage_time - arrival_of(event) : event.execution;
    selection_.add(user, true, is_apf_refusal(event.cause), took);
    selection_.note_verbs(verb_bit(verb_of(event)));
  }
  stat_.with_implied_groups += event.implied_groups;
  stat_.with_flow_schema += !event.recorded_flow_schema.empty();
  // Of a request in both logs the HTTP log has the shorter waits, and the audit log no others than the HTTP log.
  stat_.with_queue_wait += event.queue_wait != kNoTime && (!again || (event.http && event.queue_wait <= kAuditedWait));
  stat_.with_execution += event.execution != kNoTime;
  stat_.with_seats += event.has_seats;
  const bool watch = event.verb == "watch" || (event.http && (event.method == "WATCH" || event.init != kNoTime)) ||
                     (event.trace && event.watch_end != kNoTime);
  if (!watch) return;
  stat_.watches += !again;
  stat_.watches_with_init += event.init != kNoTime;
  stat_.watches_started += started;
  if (!event.trace && !event.http && !started) ++stat_.finish_without_start;
}

bool Counter::is_aggregated(std::uint64_t id, Nanos received) {
  Ended& last = ended_[id % ended_.size()];
  if (last.id == id && last.received > received) return true;
  last = {id, received};
  return false;
}

bool Counter::is_in_other(bool http, std::uint64_t id) {
  seen_[http ? 1 : 0].insert(id);
  return seen_[http ? 0 : 1].contains(id);
}

// What is known of a request does not wait for its end.
void Counter::count_unfinished() {
  stat_.unfinished = open_.size();
  stat_.requests += open_.size();
  for (const auto& [id, request] : open_) {
    stat_.watches += request.started_watch;
    stat_.watches_started += request.started_watch;
    add_name(stat_.verbs, verbs_.text(request.verb));
    count_who(request.user, request.agent, request.address);
    selection_.add(request.user, request.started_watch, false, kNoTime);
    selection_.note_verbs(verb_bit(verbs_.text(request.verb)));
  }
}

void Counter::finish() {
  count_unfinished();
  stat_.user_agents = agents_.size();
  stat_.source_ips = addresses_.size();
  std::vector<std::pair<std::string, std::uint64_t>> users;
  for (std::uint32_t i = 0; i < by_user_.size(); ++i)
    if (by_user_[i] > 0 && !user_names_.text(i).empty()) users.emplace_back(user_names_.text(i), by_user_[i]);
  stat_.users = users.size();
  const auto name_of = [this](std::uint32_t user) {
    return user == UINT32_MAX ? std::string() : std::string(user_names_.text(user));
  };
  stat_.incomplete = completeness_.remarks(name_of);
  selection_.remark(name_of, stat_.incomplete);
  std::sort(users.begin(), users.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  users.resize(std::min(users.size(), kTopUsers));
  stat_.top_users.insert(users.begin(), users.end());
}

}  // namespace

LogStat stat_logs(const LogOptions& options, std::optional<KubeVersion> release) {
  return Counter(options, release).run();
}

}  // namespace apf
