#include "replay/prepare/prepare.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/hash.h"
#include "classify/dialect.h"
#include "classify/match.h"
#include "classify/request_view.h"
#include "logs/completeness.h"
#include "logs/formats/audit.h"
#include "logs/formats/trace.h"
#include "logs/line_filter.h"
#include "replay/prepare/decision_text.h"
#include "replay/prepare/endpoint.h"
#include "replay/prepare/request_facts.h"
#include "replay/prepare/request_shape.h"
#include "replay/prepare/users.h"
#include "schedule/seats.h"

namespace apf {

namespace {

constexpr std::size_t kFlowCache = 1u << 13;

// The HTTP log's verbs are in upper case: they cannot be taken for those of audit events.
std::string_view verb_of(const LogEvent& event) { return event.http ? event.method : event.verb; }

// Up to 1.17 the HTTP log has the method, and the legacy path is a LIST until today.
bool may_be_watch(const LogEvent& http) {
  return http.method == "WATCH" ||
         ((http.method == "GET" || http.method == "LIST") && http.uri.find("watch") != std::string_view::npos);
}

// The user of a trace line that was a line of the HTTP log.
constexpr std::string_view kNoUser = R"({"user":"","groups":[]})";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// The canonical text of a UUID, lower case: what can be printed again from its 16 bytes.
bool parse_uuid(std::string_view text, AuditId& id) {
  if (text.size() != 36) return false;
  std::array<std::uint64_t, 2> halves{};
  int n = 0;
  for (std::size_t i = 0; i < 36; ++i) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (text[i] != '-') return false;
      continue;
    }
    const int digit = hex_digit(text[i]);
    if (digit < 0) return false;
    halves[n / 16] = halves[n / 16] << 4 | static_cast<unsigned>(digit);
    ++n;
  }
  id = {halves[0], halves[1], true};
  return true;
}

std::uint64_t request_hash(const RequestView& view, std::uint32_t user) {
  const auto& f = view.f;
  std::uint64_t h = hash_bytes(f.verb, user + (f.is_resource ? 1ULL << 40 : 0));
  if (!f.is_resource) return hash_bytes(f.path, h);
  h = hash_bytes(f.api_group, h);
  h = hash_bytes(f.resource, h);
  h = hash_bytes(f.subresource, h);
  return hash_bytes(f.ns, h);
}

bool looks_at_all_fields(const PrepareContext& context) {
  return std::any_of(context.classifiers.begin(), context.classifiers.end(),
                     [](const auto& classifier) { return looks_at_all_fields(*classifier); });
}

std::uint32_t service_of(const RequestView& view) {
  const auto& f = view.f;
  return static_cast<std::uint32_t>(hash_bytes(f.resource, hash_bytes(f.api_group, hash_bytes(f.verb))));
}

}  // namespace

struct Preparer::Scratch {
  explicit Scratch(const PrepareContext& context) : users(context) {}

  LocalUsers users;
  RequestView view;
  RequestInfo info;  // of trace lines that give RequestInfo
  struct CachedFlow {
    std::uint64_t hash = 0;
    LocalFlow flow = 0;
    bool used = false;
  };
  std::vector<CachedFlow> flows{kFlowCache};
  PreparedFacts uncached;
  AttributesReader attributes;
  std::string key;
};

Preparer::Preparer(const PrepareContext& context, std::uint32_t worker)
    : context_(context),
      by_all_fields_(looks_at_all_fields(context)),
      worker_(worker),
      scratch_(std::make_unique<Scratch>(context)),
      facts_(by_all_fields_) {}

Preparer::~Preparer() = default;

void Preparer::clear(PreparedBatch& batch) const {
  batch.clear();
  batch.events.clear();
  batch.new_flows.clear();
  batch.new_places.clear();
  batch.new_lists.clear();
  batch.new_users.clear();
  batch.new_requesters.clear();
  batch.new_names.clear();
  batch.names_of_new_requesters.clear();
  batch.new_agents.clear();
  batch.new_endpoints.clear();
  batch.texts.clear();
  batch.writes.clear();
  batch.verbs = 0;
  batch.sender_count = batch.attribute_count = 0;
  batch.worker = worker_;
}

void Preparer::make_one(const LogEvent& event, PreparedBatch& batch) {
  clear(batch);
  batch_ = &batch;
  on_event(event, 0);
  batch_ = nullptr;
}

void Preparer::make(LogChunk& chunk, PreparedBatch& batch) {
  clear(batch);
  batch_ = &batch;
  if (context_.survey == PrepareContext::SurveyOf::http) keep_lines_with(kLinesOfWatchesAndNotes, chunk);
  if (context_.survey == PrepareContext::SurveyOf::audit) keep_lines_with(kLinesOfWatches, chunk);
  has_started_ = false;
  chunk_text_ = {chunk.buffer.data(), chunk.size};
  parsers_.of(chunk).parse(chunk, *this);
  put_in_order(batch.order, batch.events, batch.writes);
  chunk_text_ = {};
  batch_ = nullptr;
}

void Preparer::on_unusable(Unusable reason, std::uint64_t line) { batch_->unusable.add(reason, line); }

void Preparer::on_other(std::uint64_t) { ++batch_->other_lines; }

void Preparer::on_start(std::string_view verb, std::string_view uri, std::uint32_t user_memo) {
  has_started_ = user_memo != 0;
  if (has_started_) key_ = facts_.key_of(verb, uri, user_memo - 1);
}

void Preparer::on_event(const LogEvent& event, std::uint64_t line) {
  const bool has_started = std::exchange(has_started_, false);
  if (arrival_of(event) == kNoTime) return on_unusable(Unusable::no_timestamp, line);
  if (!is_in_range(event)) return on_unusable(Unusable::out_of_range, line);
  const bool has_request =
      !event.request_info_json.empty() || (!event.uri.empty() && !(event.verb.empty() && event.method.empty()));
  if (!has_request) return on_unusable(Unusable::no_verb_or_uri, line);
  const bool surveying = context_.survey != PrepareContext::SurveyOf::nothing;
  if (surveying &&
      (event.http ? !may_be_watch(event) : event.verb != "watch" || event.stage != Stage::response_complete))
    return;
  const bool fixed_flow = (event.http && event.user_json.empty()) ||
                          (event.trace && event.user_json == kNoUser && !event.recorded_flow_schema.empty());
  LocalUsers& users = scratch_->users;
  const KnownUser& user = fixed_flow ? users.client_of(event, *batch_) : users.user_of(event, *batch_);
  if (!has_started || key_.uri.data() != event.uri.data() || key_.user != user.number)
    key_ = facts_.key_of(verb_of(event), event.uri, user.number);
  const AuditId id = id_of(event);  // meanwhile the facts come from memory
  const PreparedFacts& facts = facts_of(event, user);
  if (!facts.usable) return on_unusable(Unusable::bad_field, line);
  if (surveying && !facts.watch) return;
  if (facts.mutating && is_write_made(event, facts.of_resource, event.verb)) {
    WriteCounters& write = batch_->writes.emplace_back(
        read_write_counters(event, facts.of_event, (facts.traffic & kLeaseUpdate) != 0, chunk_text_));
    write.event = static_cast<std::uint32_t>(batch_->events.size());
  }
  PreparedEvent& out = batch_->events.add(*context_.memory).event;
  set_course(event, facts, facts.wait_limit, context_.zone, out);
  batch_->refusals.count(out);
  if (event.other_latencies && context_.records_other_waits && !out.recorded_refusal) out.queue_wait = 0;
  out.fixed_flow = fixed_flow;
  out.mutating = facts.mutating;
  out.masters = user.masters;
  out.agent = users.agent_of(event, user, *batch_);
  out.requester = users.requester_of(event, user, *batch_);
  out.traits = facts.traffic;
  if ((facts.traffic & kLeaseUpdate) != 0) batch_->note_renewal(event);
  if (!is_by_hand(out)) batch_->verbs |= facts.verb;
  out.seat_kind = facts.seat_kind;
  out.list_seats = facts.list_seats;
  out.one_seat = facts.one_seat;
  out.service = facts.service;
  out.flow = facts.flow;
  out.keys = facts.keys;
  if (key_.name.size > 0 && facts.keys.count > 0) add_name_key(out.keys, facts.names, key_.object_name());
  out.watch_key = facts.watch_key;
  out.deadline = event.wait_limit != kNoTime ? event.wait_limit : facts.deadline;
  out.watch_timeout = facts.watch_timeout;
  out.endpoint = facts.endpoint;
  out.hung_up = out.recorded_refusal && event.wait_limit != kNoTime;  // as trace lines say it
  out.unplaced = (event.http || event.user_json.empty()) && event.recorded_flow_schema.empty();
  if (out.left_out == LeftOut::no && out.unplaced && context_.classifies) out.left_out = LeftOut::unclassified;
  out.id = id;
  keep_text(event, user, out);
  if (!event.recorded_flow_schema.empty()) out.recorded = place_of(event);
  if (facts.attributes) out.attributes = attributes_of(event, user);
  if (context_.joined) recognise_sender(event, user, out);
  batch_->order.note(out);
  batch_->note_origin(event.origin);
  if (event.implied_groups) ++batch_->implied_groups;
}

void Preparer::on_note(const ServerNote& note, std::uint64_t) {
  if (!is_time_in_range(note.time)) return;
  batch_->notes.push_back({note.kind, note.time + context_.zone, std::string(note.level), note.value});
  PreparedEvent& out = batch_->events.add(*context_.memory).event;
  out.received = out.stage_time = note.time + context_.zone;
  out.note = static_cast<std::uint32_t>(batch_->notes.size());
  batch_->order.note(out);
}

// Which FlowSchema and level the log names, as a number.
std::uint32_t Preparer::place_of(const LogEvent& event) {
  std::string& key = scratch_->key;
  key.assign(event.recorded_flow_schema).append(1, '\0').append(event.recorded_priority_level);
  const std::size_t known = places_.size();
  const std::uint32_t place = places_.id(key);
  if (place == known)
    batch_->new_places.push_back({std::string(event.recorded_flow_schema), std::string(event.recorded_priority_level)});
  return place + 1;
}

// The request is read once more: facts may be those of one like it.
std::uint32_t Preparer::attributes_of(const LogEvent& event, const KnownUser& user) {
  if (!view_logged_request(event, scratch_->info, scratch_->view)) return 0;
  PreparedBatch& batch = *batch_;
  if (batch.attribute_count == batch.attributes.size()) batch.attributes.emplace_back();
  const bool user_known = user.fixed.empty() && !event.user_json.empty();
  scratch_->attributes.read(event, scratch_->view, user_known ? &user.user.name : nullptr, context_.attributes,
                            batch.attributes[batch.attribute_count++]);
  return static_cast<std::uint32_t>(batch.attribute_count);
}

std::uint32_t Preparer::endpoint_of(const RequestView& view) {
  Endpoint endpoint = apf::endpoint_of(view);
  std::string& key = scratch_->key;
  key.clear();
  for (const std::string* label :
       {&endpoint.verb, &endpoint.group, &endpoint.version, &endpoint.resource, &endpoint.subresource, &endpoint.scope})
    key.append(*label).append(1, '\0');
  const std::size_t known = endpoints_.size();
  const std::uint32_t number = endpoints_.id(key);
  if (number == known) batch_->new_endpoints.push_back(std::move(endpoint));
  return 1 + number;
}

// Address and user agent tell whom an HTTP line without an audit event may be of.
void Preparer::recognise_sender(const LogEvent& event, const KnownUser& user, PreparedEvent& out) {
  PreparedBatch& batch = *batch_;
  if (batch.sender_count == batch.senders.size()) batch.senders.emplace_back();
  Sender& sender = batch.senders[batch.sender_count++];
  out.sender = static_cast<std::uint32_t>(batch.sender_count);
  sender.client = hash_bytes(event.user_agent, hash_bytes(event.source_ip)) | 1;
  sender.user = event.http || event.impersonated || event.user_json.empty() ? 0 : user.number + 1;
  if (event.http) sender.request.assign(event.method).append(1, ' ').append(event.uri);
}

// What the id becomes depends on nothing but its text: the stages of a request must agree.
AuditId Preparer::id_of(const LogEvent& event) const {
  AuditId id;
  if (context_.keep_text_ids && parse_uuid(event.id, id)) return id;
  return hashed_id(event.id);
}

void Preparer::keep_text(const LogEvent& event, const KnownUser& user, PreparedEvent& out) {
  const std::string_view id = context_.keep_text_ids && !out.id.is_uuid ? event.id : std::string_view();
  if (id.empty() && context_.kept_fields.fields.empty()) return;
  const bool user_known = user.fixed.empty() && !event.user_json.empty();
  batch_->texts.push_back(decision_text(id, event, user_known ? &user.user.name : nullptr, context_.kept_fields));
  out.text_id = static_cast<std::uint32_t>(batch_->texts.size());
}

const PreparedFacts& Preparer::facts_of(const LogEvent& event, const KnownUser& user) {
  if (key_.verb.empty() || event.uri.empty()) {  // trace lines with a method or RequestInfo
    scratch_->uncached = {};
    if (view_logged_request(event, scratch_->info, scratch_->view)) find_facts(user, scratch_->uncached);
    return scratch_->uncached;
  }
  if (const PreparedFacts* const known = facts_.find(key_)) return *known;
  PreparedFacts& facts = facts_.add(key_);
  if (view_logged_request(event, scratch_->info, scratch_->view)) find_facts(user, facts);
  return facts;
}

// Of the request in the scratch; where its key has a name, of such requests with any name.
void Preparer::find_facts(const KnownUser& user, PreparedFacts& out) {
  const RequestView& view = scratch_->view;
  const auto& f = view.f;
  out.usable = true;
  static_cast<RequestTraits&>(out) = traits_of(view);
  out.of_resource = f.is_resource;
  out.of_event = f.is_resource && f.resource == "events" && f.subresource.empty();
  out.mutating = f.verb != "get" && f.verb != "list" && f.verb != "watch";
  out.attributes = context_.attributes.any() && has_attributes(view, context_.attributes);
  out.wait_limit = wait_limit_of(view, context_.request_timeout);
  out.deadline = deadline_of(view, context_.request_timeout);
  if (out.watch) out.watch_timeout = f.timeout_seconds;
  if (context_.names_endpoints) out.endpoint = endpoint_of(view);
  out.service = service_of(view);
  out.traffic = traffic_traits(view, user.client);
  out.verb = verb_bit(f.verb);
  for (std::size_t i = 0; i < context_.rules.size(); ++i) {
    const SeatKind kind = seat_kind(view, context_.rules[i]);
    if (kind == SeatKind::one) out.one_seat |= 1u << i;
    else out.seat_kind = kind;
  }
  if (out.seat_kind == SeatKind::list) {
    out.list_seats = estimate_list();
  } else if (out.seat_kind == SeatKind::mutating) {
    out.keys = key_.name.size > 0 ? keys_without_name(view, out.names) : interested_keys(view);
  }
  if (out.watch) out.watch_key = registered_watch_key(view).value_or(0);
  if (!out.bad_url) out.flow = flow_of(user);
}

// The estimate by the only rules and object counts, or the number of the estimates by each of several.
int Preparer::estimate_list() {
  const RequestView& view = scratch_->view;
  const auto estimate = [&](const ObjectCounts* objects, const SeatRules& rules) {
    const ObjectStats stats = objects ? objects->find(view.f.api_group, view.f.resource) : ObjectStats{};
    return list_seats(view, stats, rules);
  };
  if (!context_.several_estimates())
    return estimate(context_.objects.empty() ? nullptr : context_.objects.front(), context_.rules.front());
  std::vector<int> estimates;
  for (const SeatRules& rules : context_.rules) {
    if (context_.objects.empty()) estimates.push_back(estimate(nullptr, rules));
    for (const ObjectCounts* objects : context_.objects) estimates.push_back(estimate(objects, rules));
  }
  const std::string_view key(reinterpret_cast<const char*>(estimates.data()), estimates.size() * sizeof(int));
  const std::size_t known = lists_.size();
  const std::uint32_t list = lists_.id(key);
  if (list == known) batch_->new_lists.push_back(std::move(estimates));
  return static_cast<int>(list);
}

LocalFlow Preparer::flow_of(const KnownUser& user) {
  const RequestView& view = scratch_->view;
  std::uint64_t hash = request_hash(view, user.number);
  if (by_all_fields_) hash = hash_other_fields(view, hash);
  Scratch::CachedFlow& cached = scratch_->flows[hash & (kFlowCache - 1)];
  if (cached.used && cached.hash == hash) return cached.flow;
  FlowDefinition definition;
  std::string& key = scratch_->key;
  key.clear();
  for (std::size_t i = 0; i < context_.classifiers.size(); ++i) {
    const Classifier& classifier = *context_.classifiers[i];
    FlowDefinition::Choice choice;
    if (!user.fixed.empty()) {
      choice.schema = user.fixed[i].schema;
      choice.missing = user.fixed[i].missing;
    } else {
      const Classifier::Match match = match_view(classifier, view, *user.candidates[i]);
      choice.schema = match.schema;
    }
    choice.distinguisher = distinguisher_of(classifier, choice.schema, view, user.user);
    key.append(reinterpret_cast<const char*>(&choice.schema), sizeof choice.schema);
    key.append(choice.distinguisher).append(1, '\0').append(choice.missing ? 1 : 0, 'm');
    definition.choices.push_back(std::move(choice));
  }
  if (context_.keeps_shapes) {
    definition.shape = shape_of(view, user, by_all_fields_);
    key = definition.shape->key;
  }
  const std::size_t known = flow_keys_.size();
  const LocalFlow flow = flow_keys_.id(key);
  if (flow == known) batch_->new_flows.push_back(std::move(definition));
  cached = {hash, flow, true};
  return flow;
}

}  // namespace apf
