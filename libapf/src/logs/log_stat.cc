// What logs hold, and what of it a faithful replay will miss.
#include <apf/logs.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/interner.h"
#include "logs/chunk_source.h"
#include "logs/formats/audit.h"
#include "logs/formats/format.h"
#include "logs/origins.h"
#include "logs/remarks.h"
#include "logs/tracks.h"
#include "logs/zone.h"

namespace apf {
namespace {

constexpr std::size_t kMostNames = 1000;
constexpr std::size_t kMostIds = std::size_t{1} << 20;  // of complete requests, to find those told twice
constexpr std::size_t kMostOpen = std::size_t{1} << 22;
constexpr std::size_t kMostUserTexts = 1u << 16;
constexpr std::size_t kTopUsers = 10;
constexpr Nanos kAuditedWait = kSecond / 2;  // waits above are told by audit logs

void count(std::map<std::string, std::uint64_t>& counts, std::string_view name) {
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
  void clear() {
    older_.clear();
    newer_.clear();
  }

 private:
  std::unordered_set<std::uint64_t> older_, newer_;
};

class Counter final : public LogEventSink {
 public:
  explicit Counter(const LogOptions& options) : options_(options) {}

  LogStat run();
  void on_event(const LogEvent& event, std::uint64_t line) override;
  void on_unusable(Unusable reason, std::uint64_t) override { ++stat_.unusable[to_string(reason)]; }
  void on_other(std::uint64_t) override { ++stat_.other_lines; }
  void on_note(const ServerNote& note, std::uint64_t) override;

 private:
  void begin_file(const LogChunk& chunk, const std::string& name);
  void count_time(const LogEvent& event, Nanos arrival);
  void count_request(const LogEvent& event, std::uint64_t id);
  void count_user(const LogEvent& event);
  bool told_by_other(bool http, std::uint64_t id);
  void finish();
  void find_missing();

  const LogOptions& options_;
  LogStat stat_;
  std::uint32_t file_ = UINT32_MAX;
  Nanos written_ = kNoTime;  // latest time of a line of the file
  bool behind_ = false;
  std::unordered_map<std::uint64_t, bool> open_;  // begun, not complete; whether it is a watch that has started
  RecentIds complete_;
  RecentIds told_[2];                                       // of several logs: by audit logs, by the HTTP log
  Nanos zone_ = 0;                                          // what to add to times of the HTTP log
  std::unordered_map<std::uint64_t, std::uint32_t> users_;  // by text
  Interner user_names_;
  std::vector<std::uint64_t> by_user_;
  std::unordered_set<std::uint64_t> agents_, addresses_;
  Origins origins_;
};

void Counter::begin_file(const LogChunk& chunk, const std::string& name) {
  LogFileStat& file = stat_.files.emplace_back();
  file.name = name == "-" ? "standard input" : name;
  for (const FormatRow* row : log_formats())
    if (row->format == chunk.format) file.format = row->name;
  file_ = chunk.file;
  written_ = kNoTime;
  behind_ = false;
  complete_.clear();  // another log of the same server tells of the same requests
}

LogStat Counter::run() {
  if (options_.logs.size() > 1) zone_ = find_zone(sort_into_tracks(options_), options_);
  ChunkSource source(options_.logs, parse_log_format(options_.log_format), options_.log_year, options_.logs);
  LogParsers parsers;
  LogChunk chunk;
  while (source.next(chunk)) {
    if (chunk.file != file_ && chunk.size > 0) begin_file(chunk, source.names()[chunk.file]);
    const std::uint64_t events = stat_.events;
    parsers.of(chunk.format).parse(chunk, *this);
    stat_.lines += chunk.lines;
    if (!stat_.files.empty()) {
      stat_.files.back().lines += chunk.lines;
      stat_.files.back().events += stat_.events - events;
    }
    if (options_.interrupted && options_.interrupted->load(std::memory_order_relaxed)) {
      stat_.interrupted = true;
      break;
    }
  }
  stat_.bytes = source.stats().bytes;
  if (source.too_long_lines() > 0) stat_.unusable[to_string(Unusable::too_long)] += source.too_long_lines();
  stat_.warnings = source.warnings();
  finish();
  return std::move(stat_);
}

void Counter::on_note(const ServerNote& note, std::uint64_t) {
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

void Counter::on_event(const LogEvent& event, std::uint64_t) {
  ++stat_.events;
  Nanos arrival = event.received != kNoTime ? event.received : event.stage_time;
  if (arrival == kNoTime) return on_unusable(Unusable::no_timestamp, 0);
  if (event.http) arrival += zone_;
  count_time(event, arrival);
  if (event.origin != 0) origins_.add(file_, {event.origin});
  if (!event.trace && !event.http) count(stat_.stages, stage_name(event.stage));
  const std::uint64_t id = event.id.empty() ? 0 : hash_bytes(event.id) | 1;
  if (event.stage == Stage::received || event.stage == Stage::response_started) {
    if (id == 0 || (open_.size() >= kMostOpen && !open_.contains(id))) return;
    bool& started = open_[id];
    started = started || (event.stage == Stage::response_started && event.verb == "watch");
    return;
  }
  count_request(event, id);
}

void Counter::count_user(const LogEvent& event) {
  const auto [it, is_new] = users_.try_emplace(hash_bytes(event.user_json), 0);
  if (is_new) {
    const std::uint32_t number = user_names_.id(parse_user_json(event.user_json).name);
    it->second = number;
    if (number >= by_user_.size()) by_user_.resize(number + 1);
    if (users_.size() > kMostUserTexts) {  // texts are new with every token; the names stay
      users_.clear();
      ++by_user_[number];
      return;
    }
  }
  ++by_user_[it->second];
}

void Counter::count_request(const LogEvent& event, std::uint64_t id) {
  bool started = false;
  if (id != 0) {
    if (const auto it = open_.find(id); it != open_.end()) {
      started = it->second;
      open_.erase(it);
    }
    if (!event.trace && !complete_.insert(id ^ mix64(static_cast<std::uint64_t>(event.received), 1))) {
      ++stat_.duplicates;
      return;
    }
  }
  const bool again = id != 0 && !event.trace && options_.logs.size() > 1 && told_by_other(event.http, id);
  if (event.http) ++stat_.http;
  if (event.trace) ++stat_.traces;
  if (again) {
    ++stat_.in_both;
  } else {
    ++stat_.requests;
    stat_.with_id += id != 0;
    count(stat_.verbs, event.http || event.verb.empty() ? event.method : event.verb);
    ++stat_.codes[event.code];
    stat_.with_end += event.stage_time != kNoTime || event.execution != kNoTime;
    stat_.refused += event.apf_refusal_text;
  }
  count(stat_.flow_schemas, event.recorded_flow_schema);
  count(stat_.priority_levels, event.recorded_priority_level);
  const bool has_user = !event.user_json.empty() && !event.http;
  if (has_user) {
    ++stat_.with_user;
    count_user(event);
  }
  if (!event.user_agent.empty()) agents_.insert(hash_bytes(event.user_agent));
  if (!event.source_ip.empty()) addresses_.insert(hash_bytes(event.source_ip));
  stat_.with_implied_groups += event.implied_groups;
  stat_.with_flow_schema += !event.recorded_flow_schema.empty();
  // Of a request in both logs the HTTP log tells the lesser waits, and the audit log no others than the HTTP log.
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

bool Counter::told_by_other(bool http, std::uint64_t id) {
  told_[http ? 1 : 0].insert(id);
  return told_[http ? 0 : 1].contains(id);
}

void Counter::finish() {
  stat_.unfinished = open_.size();
  stat_.requests += open_.size();
  for (const auto& [id, started] : open_) {
    stat_.watches += started;
    stat_.watches_started += started;
  }
  stat_.user_agents = agents_.size();
  stat_.source_ips = addresses_.size();
  std::vector<std::pair<std::string, std::uint64_t>> users;
  for (std::uint32_t i = 0; i < by_user_.size(); ++i) users.emplace_back(user_names_.text(i), by_user_[i]);
  stat_.users = users.size();
  std::sort(users.begin(), users.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  users.resize(std::min(users.size(), kTopUsers));
  stat_.top_users.insert(users.begin(), users.end());
  if (origins_.mixed()) stat_.warnings.push_back({.kind = RemarkKind::servers_mixed});
  find_missing();
}

// In the order of what was measured to matter most.
void Counter::find_missing() {
  const LogStat& s = stat_;
  using Kind = RemarkKind;
  const auto remark = [&](bool applies, Remark what) {
    if (applies) stat_.missing.push_back(std::move(what));
  };
  const std::uint64_t told = s.requests - s.unfinished, with_audit = told - s.http - s.traces;
  if (told == 0) return;
  remark(s.with_seats < told && s.http == 0, {.kind = Kind::seats_missing, .count = s.with_seats, .total = told});
  remark(s.with_execution == 0, {.kind = s.http > 0 ? Kind::http_execution_missing : Kind::execution_missing});
  remark(s.http > 0 && s.with_user == 0, {.kind = Kind::users_missing});
  remark(s.http > 0 && s.with_flow_schema == 0, {.kind = Kind::classification_missing});
  remark(s.with_implied_groups > 0, {.kind = Kind::groups_implied, .count = s.with_implied_groups});
  remark(with_audit > 0 && s.with_queue_wait == 0, {.kind = Kind::waits_missing});
  remark(s.finish_without_start > 0,
         {.kind = Kind::watch_starts_missing, .count = s.finish_without_start, .total = s.watches});
  remark(s.watches > s.watches_with_init,
         {.kind = Kind::watch_init_missing, .count = s.watches - s.watches_with_init, .total = s.watches});
  remark(s.unfinished > 0, {.kind = Kind::unfinished_requests, .count = s.unfinished});
  remark(s.with_end < told, {.kind = Kind::ends_missing, .count = told - s.with_end});
  remark(s.traces < told && s.rebalancings == 0 && s.limit_changes == 0, {.kind = Kind::clock_missing});
  remark(s.events > 10 && s.whole_seconds == s.events, {.kind = Kind::whole_seconds});
  remark(s.duplicates > 0, {.kind = Kind::duplicate_events, .count = s.duplicates});
  remark(s.out_of_order > 0, {.kind = Kind::out_of_order,
                              .count = s.out_of_order,
                              .other = s.steps_back,
                              .duration = options_.reorder_window});
  remark(s.negative_latencies > 0, {.kind = Kind::ends_before_arrival, .count = s.negative_latencies});
  remark(s.starts > 1, {.kind = Kind::server_restarted, .count = s.starts - 1});
}

}  // namespace

LogStat stat_logs(const LogOptions& options) { return Counter(options).run(); }

}  // namespace apf
