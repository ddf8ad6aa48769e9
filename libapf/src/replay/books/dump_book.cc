#include "replay/books/dump_book.h"

#include <apf/error.h>

#include <algorithm>

#include "base/json_value.h"
#include "replay/prepare/decision_text.h"

namespace apf {

namespace {

// What the text of a request says besides its id: see decision_text().
struct KeptText {
  std::string user, verb, uri;
};

KeptText read_kept(const std::string& text) {
  KeptText out;
  const DecisionText kept = parse_decision_text(text);
  const std::string members = "{" + std::string(kept.members) +
                              (kept.members.empty() || kept.others.empty() ? "" : ",") + std::string(kept.others) + "}";
  const JsonDocument document(members);
  if (document.error()) return out;
  for (const auto& [key, into] :
       {std::pair("user", &out.user), std::pair("verb", &out.verb), std::pair("uri", &out.uri)}) {
    const std::optional<JsonValue> value = document.root().get(key);
    if (const auto read = value ? value->text() : std::nullopt) *into = *read;
  }
  return out;
}

bool is_configured(const Config& config, const std::string& level) {
  if (level == "exempt" || level == "catch-all") return true;  // the server supplies them
  return std::any_of(config.priority_levels.begin(), config.priority_levels.end(),
                     [&](const PriorityLevel& of) { return of.meta.name == level; });
}

}  // namespace

void DumpBook::on_begin(Controller& controller, Nanos first_arrival) {
  controller_ = &controller;
  const std::vector<ReplayTime>& wanted = context_.options.dump_at;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    times_.emplace_back(wanted[i].relative ? later(first_arrival, wanted[i].value) : wanted[i].value, i);
  std::sort(times_.begin(), times_.end());
  if (times_.front().first < controller.now())
    throw Error("the server was not up at " + format_rfc3339(times_.front().first) +
                ", for which a dump is wanted: the replay starts at " + format_rfc3339(controller.now()) +
                "; give a later time, or the time when the server started");
  dumps_.resize(wanted.size());
}

void DumpBook::on_text(const LiveRequest& request, const std::string& id_text) {
  if (next() != kNever && !request.event.filled) texts_.insert_or_assign(key_of(request), id_text);
}

void DumpBook::on_dispatch(Nanos, const LiveRequest& request) {
  counts_.resize(std::max<std::size_t>(counts_.size(), request.level + 1));
  ++counts_[request.level].dispatched;
}

void DumpBook::on_release(Nanos, const LiveRequest& request) { texts_.erase(key_of(request)); }

// The server counts who waited too long as rejected and as cancelled, and nobody as timed out.
void DumpBook::on_refuse(Nanos, const LiveRequest& request, Outcome outcome) {
  counts_.resize(std::max<std::size_t>(counts_.size(), request.level + 1));
  ++counts_[request.level].rejected;
  counts_[request.level].cancelled += is_refused_after_wait(outcome);
  texts_.erase(key_of(request));
}

void DumpBook::on_round(const Round& round) {
  levels_.clear();
  for (const LevelRound& level : round.levels) levels_.push_back(level.level);
}

RequestDump DumpBook::describe(const LiveRequest& request, bool flows) const {
  const FlowReport& flow = context_.flows.report(request.report);
  RequestDump out;
  out.level = flow.priority_level;
  out.flow_schema = flow.flow_schema;
  if (flows) out.distinguisher = flow.distinguisher;
  out.arrived = request.arrival;
  const auto text = texts_.find(key_of(request));
  if (text == texts_.end() || request.event.filled) return out;
  const KeptText kept = read_kept(text->second);
  out.user = kept.user;
  ParsedRequest parsed;
  const bool method = !kept.verb.empty() && kept.verb[0] >= 'A' && kept.verb[0] <= 'Z';  // of an HTTP log
  if (method) parse_request(kept.verb, kept.uri, parsed);
  else parse_audited_request(kept.verb, kept.uri, parsed);
  const RequestInfo& info = parsed.info;
  out.verb = info.verb;
  out.path = info.path;
  out.ns = info.ns;
  out.name = info.name;
  out.api_version = info.api_group.empty() ? std::string(info.api_version)
                                           : std::string(info.api_group) + "/" + std::string(info.api_version);
  out.resource = info.resource;
  out.subresource = info.subresource;
  return out;
}

void DumpBook::add_level(LevelId id, const std::function<const LiveRequest&(std::uint64_t)>& request,
                         const Config& config, ServerDump& dump) const {
  QueueSet& set = controller_->queue_set(id);
  LevelDump level;
  level.name = controller_->level_name(id);
  const Counts counts = id < counts_.size() ? counts_[id] : Counts();
  level.dispatched = counts.dispatched;
  level.rejected = counts.rejected;
  level.cancelled = counts.cancelled;
  level.timed_out = 0;
  const QueueSet::Counts in_set = set.counts();
  level.waiting = in_set.waiting;
  level.executing = in_set.executing;
  level.idle = level.waiting == 0 && level.executing == 0;
  level.quiescing = !is_configured(config, level.name);
  const QueueSetSnapshot snapshot = set.snapshot();
  std::vector<QueueDump> queues(snapshot.queues.size());
  for (std::size_t i = 0; i < queues.size(); ++i) {
    queues[i].level = level.name;
    queues[i].index = static_cast<std::int64_t>(i);
    queues[i].next_dispatch_r = snapshot.queues[i].next_dispatch_r;
    queues[i].seats = snapshot.queues[i].seats;
  }
  for (const QueueSetSnapshot::Held& held : snapshot.requests) {
    RequestDump described = describe(request(held.tag), set.settings().queues > 1);
    described.level = level.name;
    described.queue = held.queue;
    described.index = held.executing ? -1 : held.index;
    described.initial_seats = held.initial_seats;
    described.final_seats = held.final_seats;
    described.additional_latency = held.additional_latency;
    if (held.executing) described.started = held.start;
    dump.requests.push_back(std::move(described));
    if (held.queue < 0) continue;
    QueueDump& queue = queues[static_cast<std::size_t>(held.queue)];
    ++(held.executing ? queue.executing : queue.waiting);
    if (held.executing) continue;
    queue.initial_seats += held.initial_seats;
    queue.max_seats += std::max(held.initial_seats, held.final_seats);
    queue.total_work += held.total_work;
  }
  for (const QueueDump& queue : queues) level.active_queues += queue.waiting > 0;
  dump.queues.insert(dump.queues.end(), queues.begin(), queues.end());
  dump.levels.push_back(std::move(level));
}

void DumpBook::take(const std::function<const LiveRequest&(std::uint64_t)>& request, const Config& config) {
  const auto [time, place] = times_[made_++];
  ServerDump& dump = dumps_[place];
  dump.time = time;
  dump.has_levels = dump.has_queues = dump.has_requests = dump.has_details = true;
  for (const LevelId id : levels_) add_level(id, request, config, dump);
  if (next() == kNever) texts_.clear();
}

}  // namespace apf
