#include "logs/trace_maker.h"

#include <algorithm>
#include <utility>

#include "logs/formats/audit.h"
#include "logs/line_filter.h"

namespace apf {

namespace {

constexpr Nanos kRequestTimeout = 60 * kSecond;  // --request-timeout of kube-apiserver
constexpr std::size_t kMostLocal = 1u << 16;

}  // namespace

std::uint32_t LocalTexts::number_of(std::string_view text, std::uint32_t user, std::vector<std::string>& added) {
  if (last_.size() <= user) last_.resize(user + std::size_t{1});
  std::uint32_t& last = last_[user];
  if (last != 0 && texts_.text(last - 1) == text) return last;
  const std::size_t known = texts_.size();
  if (known == kMostLocal) return 0;
  last = 1 + texts_.id(text);
  if (last > known) added.emplace_back(text);
  return last;
}

void TraceMaker::make(LogChunk& chunk, TracedBatch& batch) {
  batch.clear();
  batch.events.clear();
  batch.request_count = 0;
  batch.new_users.clear();
  batch.new_places.clear();
  batch.new_asked.clear();
  batch.new_agents.clear();
  batch.new_addresses.clear();
  batch.verbs = 0;
  batch.writes.clear();
  batch.worker = worker_;
  batch_ = &batch;
  chunk_text_ = {chunk.buffer.data(), chunk.size};
  has_started_ = false;
  batch.events.texts().clear();
  if (wanted_ == Wanted::counts_by_number) batch.events.texts().reserve(chunk.size);
  if (wanted_ == Wanted::watches) keep_lines_with(kLinesOfWatches, chunk);
  parsers_.of(chunk).parse(chunk, *this);
  put_in_order(batch.order, batch.events, batch.writes);
}

std::uint32_t TraceMaker::user_of(const LogEvent& event) {
  if (event.user_memo && *event.user_memo != 0) return *event.user_memo;
  const std::uint32_t number = number_of(event.user_json);
  if (event.user_memo) *event.user_memo = number;
  return number;
}

// 0: there is none, or there are too many of them.
std::uint32_t TraceMaker::number_of(std::string_view user_json) {
  if (user_json.empty() || user_texts_.size() == kMostLocal) return 0;
  const std::size_t known = user_texts_.size();
  const std::uint32_t number = 1 + user_texts_.id(user_json);
  if (number > known) {
    const User& user = batch_->new_users.emplace_back(parse_user_json(user_json));
    clients_.push_back(TrafficClient::of(user.name, user.groups));
  }
  return number;
}

// 0: the log does not say where it went.
std::uint32_t TraceMaker::place_of(const LogEvent& event) {
  if (event.recorded_flow_schema.empty() && event.recorded_priority_level.empty()) return 0;
  place_name_.assign(event.recorded_flow_schema).append(1, '\0').append(event.recorded_priority_level);
  const std::size_t known = place_names_.size();
  const std::uint32_t number = 1 + place_names_.id(place_name_);
  if (number > known)
    batch_->new_places.push_back({std::string(event.recorded_flow_schema), std::string(event.recorded_priority_level)});
  return number;
}

void TraceMaker::on_unusable(Unusable reason, std::uint64_t line) { batch_->unusable.add(reason, line); }

void TraceMaker::on_other(std::uint64_t) { ++batch_->other_lines; }

void TraceMaker::on_note(const ServerNote& note, std::uint64_t) {
  if (!is_time_in_range(note.time)) return;
  TracedEvent& out = batch_->events.add(memory_).event;
  batch_->notes.push_back({note.kind, note.time + zone_, std::string(note.level), note.value});
  out.received = out.stage_time = note.time + zone_;
  out.note = static_cast<std::uint32_t>(batch_->notes.size());
  batch_->order.note(out);
}

void TraceMaker::on_start(std::string_view verb, std::string_view uri, std::uint32_t user_memo) {
  has_started_ = user_memo != 0;
  if (has_started_) key_ = facts_.key_of(verb, uri, user_memo);
}

const UriFacts& TraceMaker::facts_of(const LogEvent& event, std::uint32_t user) {
  const bool has_started = std::exchange(has_started_, false);
  if (event.http || event.verb.empty() || event.uri.empty()) {
    key_ = {{}, {}, user, 0, {}};
    uncached_ = {};
    find_facts(event, key_, uncached_);
    return uncached_;
  }
  if (!has_started || key_.uri.data() != event.uri.data() || key_.user != user)
    key_ = facts_.key_of(event.verb, event.uri, user);
  if (const UriFacts* const known = facts_.find(key_)) return *known;
  UriFacts& facts = facts_.add(key_);
  find_facts(event, key_, facts);
  return facts;
}

// Where the key has a name, of such requests with any name.
void TraceMaker::find_facts(const LogEvent& event, const FactsKey& key, UriFacts& out) {
  out.usable = view_logged_request(event, info_, view_);
  const auto& f = view_.f;
  static_cast<RequestTraits&>(out) = traits_of(view_);
  out.wait_limit = wait_limit_of(view_, kRequestTimeout);
  if (wanted_ == Wanted::all) return;
  out.of_resource = f.is_resource;
  out.of_event = f.resource == "events" && f.subresource.empty();
  out.mutating = f.verb != "get" && f.verb != "list" && f.verb != "watch";
  out.traits = traffic_traits(view_, clients_[key.user]);
  out.verb = verb_bit(f.verb);
  out.path = key.name.size > 0 ? path_hash(f.verb, f.path, key.name) : path_hash(f.verb, f.path);
  if (wanted_ == Wanted::counts_by_number && key.user != 0 && !key.uri.empty()) out.asked = asked_of(event, key);
}

// By all that is counted of a request, but its name. 0: there are too many.
std::uint32_t TraceMaker::asked_of(const LogEvent& event, const FactsKey& key) {
  const std::size_t known = asked_.size();
  if (known == kMostLocal) return 0;
  const auto& f = view_.f;
  const bool marks[] = {f.is_resource,        f.long_running,    f.list_options_ok,
                        f.has_selector,       f.has_continue,    f.send_initial_events,
                        key.name.size > 0,    f.timeout_invalid, f.verb_from_path,
                        f.node_name_selector, f.has_parts,       f.fault == RequestView::Fault::none};
  const std::string_view version = f.resource_version.size() > 1 ? "1" : f.resource_version;
  asked_key_.assign(reinterpret_cast<const char*>(&key.user), sizeof key.user);
  asked_key_.append(reinterpret_cast<const char*>(marks), sizeof marks);
  asked_key_.append(reinterpret_cast<const char*>(&f.limit), sizeof f.limit);
  const std::size_t end = key.name.at + key.name.size;
  for (const std::string_view text : {f.verb, f.path.substr(0, key.name.at), f.path.substr(end), f.field_selector,
                                      f.label_selector, version, f.resource_version_match})
    asked_key_.append(text).append(1, '\0');
  const std::uint32_t number = 1 + asked_.id(asked_key_);
  if (number > known)
    batch_->new_asked.emplace_back(std::make_unique<PackedRequest>())->pack(event, {key.user, 0}, &view_);
  return number;
}

void TraceMaker::count(const LogEvent& event, const UriFacts& facts, TracedEvent& out) {
  out.traits = facts.traits;
  if (event.http && (event.recorded_flow_schema.starts_with("system-node") || event.user_agent.starts_with("kubelet/")))
    out.traits |= kOfNode;
  if ((out.traits & kLeaseUpdate) != 0) batch_->note_renewal(event);
  if (!is_by_hand(out)) batch_->verbs |= facts.verb;
  if (event.implied_groups && event.stage >= Stage::response_complete) ++batch_->implied_groups;
  if (event.http || event.trace || !facts.mutating || !is_write_made(event, facts.of_resource, event.verb)) return;
  WriteCounters& write = batch_->writes.emplace_back(
      read_write_counters(event, facts.of_event, (out.traits & kLeaseUpdate) != 0, chunk_text_));
  write.event = static_cast<std::uint32_t>(batch_->events.size() - 1);
}

// False: something of it is said in the request alone. Events that joining keeps elsewhere than in their batch are not
// numbered.
bool TraceMaker::number(const LogEvent& event, std::uint32_t user, const UriFacts& facts, TracedEvent& out) {
  std::vector<char>& texts = batch_->events.texts();
  const bool stays = event.stage >= Stage::response_complete || (event.stage == Stage::response_started && out.watch);
  if (facts.asked == 0 || event.trace || !stays || texts.size() + event.uri.size() > texts.capacity()) return false;
  out.asked = facts.asked;
  out.agent = agents_.number_of(event.user_agent, user, batch_->new_agents);
  out.address = addresses_.number_of(event.source_ip, user, batch_->new_addresses);
  texts.insert(texts.end(), event.uri.begin(), event.uri.end());
  out.uri = {texts.data() + texts.size() - event.uri.size(), event.uri.size()};
  return out.agent != 0 && out.address != 0 && event.latencies.empty() && event.webhook.empty() &&
         event.authenticated_json.empty();
}

void TraceMaker::on_event(const LogEvent& event, std::uint64_t line) {
  if (arrival_of(event) == kNoTime) return on_unusable(Unusable::no_timestamp, line);
  if (!is_in_range(event)) return on_unusable(Unusable::out_of_range, line);
  const std::uint32_t user = user_of(event);
  const UriFacts& facts = facts_of(event, user);
  if (wanted_ == Wanted::watches && !facts.watch) return;
  TracedEvent& out = batch_->events.add(memory_).event;
  set_course(event, facts, facts.wait_limit, zone_, out);
  out.decided = event.decided;
  batch_->refusals.count(out);
  out.id = hashed_id(event.id);
  out.recorded = place_of(event);
  out.path = key_.name.size > 0 ? hash_bytes(key_.object_name(), facts.path) : facts.path;
  if (counts() && facts.usable) count(event, facts, out);
  if (!number(event, user, facts, out)) pack(event, {user, number_of(event.authenticated_json)}, out);
  batch_->order.note(out);
  batch_->note_origin(event.origin);
}

void TraceMaker::pack(const LogEvent& event, PackedRequest::Users users, TracedEvent& out) {
  if (batch_->request_count == batch_->requests.size()) batch_->requests.push_back(std::make_unique<PackedRequest>());
  const bool with_view = wanted_ != Wanted::all && out.asked == 0 && event.request_info_json.empty();
  if (with_view) view_logged_request(event, info_, view_);
  batch_->requests[batch_->request_count++]->pack(event, users, with_view ? &view_ : nullptr);
  out.request = static_cast<std::uint32_t>(batch_->request_count);
}

}  // namespace apf
