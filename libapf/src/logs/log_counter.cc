#include "logs/log_counter.h"

#include <algorithm>

#include "base/hash.h"
#include "base/identities.h"
#include "logs/answer_cause.h"
#include "logs/formats/format.h"
#include "logs/formats/server_notes.h"
#include "logs/remarks.h"

#include "base/text.h"

namespace apf {
namespace {

constexpr std::size_t kMostNames = 1000;
constexpr std::size_t kTopUsers = 10;
constexpr const char* kStages[] = {"RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"};

void add_name(std::map<std::string, std::uint64_t>& counts, std::string_view name, std::uint64_t count) {
  if (name.empty() || count == 0) return;
  const auto it =
      counts.size() < kMostNames ? counts.try_emplace(std::string(name)).first : counts.find(std::string(name));
  (it != counts.end() ? it->second : counts["…"]) += count;
}

void add_one(std::vector<std::uint64_t>& counts, std::uint32_t number) {
  if (number >= counts.size()) counts.resize(number + std::size_t{1});
  ++counts[number];
}

// What the report says in other words, of causes or of what is missing.
bool is_said_elsewhere(RemarkKind kind) {
  using Kind = RemarkKind;
  return kind == Kind::refusals_of_others || kind == Kind::ends_before_arrival || kind == Kind::duplicate_events ||
         kind == Kind::unfinished_requests;
}

}  // namespace

Nanos time_taken(const Joined<TracedEvent>& joined) {
  const TracedEvent& event = joined.event;
  if (joined.unfinished) return kNoTime;
  return event.stage_time != kNoTime ? event.stage_time - event.received : event.execution;
}

void LogCounter::take(const std::string& log, const TracedBatch& batch) {
  if (batch.lines == 0 && batch.events.empty()) return;
  LogFileStat& file = files_[log];
  if (!file.format.size()) {
    file.name = name_of_input(log);
    file.format = batch.format->name;
    file.label = batch.label;
  }
  std::uint64_t events = 0;
  for (std::size_t i = 0; i < batch.events.size(); ++i) {
    const TracedEvent& event = batch.events[i].event;
    if (event.note != 0) continue;
    ++events;
    count_time(event);
  }
  file.lines += batch.lines;
  file.events += events;
  stat_.events += events;
  stat_.with_implied_groups += batch.implied_groups;
  for (const KeptNote& note : batch.notes) count(note);
  for (const WriteCounters& write : batch.writes) completeness_.note(write);
  selection_.note_verbs(batch.verbs);
}

void LogCounter::count(const KeptNote& note) {
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
      take_server_flag({note.kind, note.time, note.level, note.value}, flags_);
      break;
    case ServerNote::Kind::trouble:
      break;  // a remark of whoever reads
  }
}

void LogCounter::count_time(const TracedEvent& event) {
  const Nanos arrival = event.received, end = event.stage_time;
  if (end != kNoTime && (!stat_.last_end || end > *stat_.last_end)) stat_.last_end = end;
  stat_.whole_seconds += arrival % kSecond == 0;
  stat_.negative_latencies += end != kNoTime && end < arrival;
  if (!event.trace && !event.http) ++stages_[static_cast<std::size_t>(event.stage)];
}

void LogCounter::Different::add(std::uint32_t number, std::string_view text) {
  if (number >= seen.size()) seen.resize(number + std::size_t{1});
  if (text.empty() || seen[number]) return;
  hashes.insert(hash_bytes(text));
  seen[number] = number != 0;
}

std::uint32_t LogCounter::verb_of(const TracedRequest& request) {
  if (request.asked >= verb_of_asked_.size()) verb_of_asked_.resize(request.asked + std::size_t{1}, UINT32_MAX);
  std::uint32_t& known = verb_of_asked_[request.asked];
  if (known == UINT32_MAX || request.asked == 0) known = verbs_.id(request.view.verb);
  return known;
}

std::uint32_t LogCounter::user_of(const TracedRequest& request) {
  if (!request.user) return UINT32_MAX;
  if (request.user_number == 0) return user_names_.id(request.user->name);
  if (request.user_number >= users_.size()) users_.resize(request.user_number + std::size_t{1}, UINT32_MAX);
  std::uint32_t& known = users_[request.user_number];
  if (known == UINT32_MAX) known = user_names_.id(request.user->name);
  return known;
}

void LogCounter::take(const Joined<TracedEvent>& joined, const TracedRequest& request) {
  const TracedEvent& event = joined.event;
  stat_.first_arrival = std::min(stat_.first_arrival.value_or(event.received), event.received);
  stat_.last_arrival = std::max(stat_.last_arrival.value_or(event.received), event.received);
  const std::uint32_t user = user_of(request);
  if (user != UINT32_MAX) {
    ++stat_.with_user;
    add_one(by_user_, user);
  }
  add_one(by_verb_, verb_of(request));
  agents_.add(request.agent_number, request.agent);
  addresses_.add(request.address_number, request.address);
  completeness_.add(event.received, event.traits, user);
  if (!is_by_hand(event)) selection_.add(user, !joined.unfinished, event.recorded_refusal, time_taken(joined));
  const bool started = event.watch && event.stage == Stage::response_started;
  open_watches_ += started || (event.watch && joined.unfinished);
  stat_.watches += event.watch;
  stat_.watches_started += started;
  if (joined.unfinished) {
    unfinished_watches_ += event.watch;
    return;
  }
  stat_.http += event.http;
  stat_.traces += event.trace;
  stat_.with_id += !event.id.none();
  ++stat_.codes[event.code];
  stat_.lists += request.view.verb == "list";
  stat_.with_end += !started && (event.stage_time != kNoTime || event.execution != kNoTime);
  stat_.refused += event.recorded_refusal;
  if (request.place) {
    add_one(by_place_, request.place_number);
    places_.resize(by_place_.size());
    places_[request.place_number] = request.place;
  }
  stat_.with_flow_schema += request.place && !request.place->flow_schema.empty();
  stat_.with_queue_wait += event.queue_wait != kNoTime && !event.derived_wait;
  stat_.with_execution += event.execution != kNoTime;
  stat_.with_seats += event.has_fixed_seats;
  if (!event.watch) return;
  stat_.watches_with_init += event.execution != kNoTime;
  stat_.finish_without_start += !started && !event.trace && !event.http;
}

void LogCounter::take_end(const Joined<TracedEvent>&) {
  --open_watches_;
  ++stat_.with_end;
}

void LogCounter::name_users() {
  std::vector<std::pair<std::string, std::uint64_t>> users;
  for (std::uint32_t i = 0; i < by_user_.size(); ++i)
    if (by_user_[i] > 0 && !user_names_.text(i).empty()) users.emplace_back(user_names_.text(i), by_user_[i]);
  stat_.users = users.size();
  const auto name_of = [this](std::uint32_t user) {
    return user == UINT32_MAX ? std::string() : std::string(user_names_.text(user));
  };
  stat_.incomplete = completeness_.remarks(name_of);
  selection_.remark(name_of, stat_.incomplete);
  const auto nodes = std::stable_partition(users.begin(), users.end(),
                                           [](const auto& user) { return !user.first.starts_with(kNodePrefix); });
  if (users.end() - nodes > 1) {
    for (auto node = nodes + 1; node != users.end(); ++node) nodes->second += node->second;
    nodes->first = kAllNodes;
    users.erase(nodes + 1, users.end());
  }
  std::sort(users.begin(), users.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  stat_.more_users = users.size() > kTopUsers;
  users.resize(std::min(users.size(), kTopUsers));
  stat_.top_users.insert(users.begin(), users.end());
}

LogStat LogCounter::finish(const JoinSums& sums, LogReport&& read) {
  name_users();
  for (const std::string& log : options_.logs)
    if (const auto it = files_.find(log); it != files_.end())
      stat_.files.push_back(std::move(files_.extract(it).mapped()));
  for (std::size_t i = 0; i < stages_.size(); ++i) add_name(stat_.stages, kStages[i], stages_[i]);
  for (std::uint32_t i = 0; i < by_verb_.size(); ++i) add_name(stat_.verbs, verbs_.text(i), by_verb_[i]);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!places_[i]) continue;
    add_name(stat_.flow_schemas, places_[i]->flow_schema, by_place_[i]);
    add_name(stat_.priority_levels, places_[i]->priority_level, by_place_[i]);
  }
  stat_.user_agents = agents_.hashes.size();
  stat_.source_ips = addresses_.hashes.size();
  stat_.requests = sums.requests;
  stat_.unfinished = sums.unfinished - unfinished_watches_ + open_watches_;
  stat_.duplicates = sums.duplicates;
  stat_.in_both = sums.logs.requests;
  stat_.http += stat_.in_both;
  stat_.bytes = read.bytes;
  stat_.lines = read.lines;
  stat_.other_lines = read.other_lines;
  stat_.out_of_order = read.out_of_order;
  stat_.unusable = std::move(read.unusable);
  stat_.bad_lines = std::move(read.bad_lines);
  std::erase_if(read.warnings, [](const Remark& remark) { return is_said_elsewhere(remark.kind); });
  stat_.warnings = std::move(read.warnings);
  stat_.interrupted = read.interrupted;
  stat_.reached = read.reached;
  stat_.server_flags = std::move(flags_.flags);
  stat_.server_version = flags_.version;
  stat_.missing = missing_of(stat_, release_);
  return std::move(stat_);
}

}  // namespace apf
