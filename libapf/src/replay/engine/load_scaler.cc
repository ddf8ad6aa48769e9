#include "replay/engine/load_scaler.h"

#include <apf/error.h>

#include <cmath>

#include "base/hash.h"
#include "base/scatter.h"
#include "replay/stages/later_arrivals.h"
#include "replay/stages/stage_book.h"

namespace apf {

namespace {

// Longer shifts would make the bursts of a client weaker where they come twice, shorter ones would make its copies
// arrive together.
constexpr Nanos kMostShift = kSecond;

// The number of a copy among all watches and their copies.
AuditId id_of_copy(const AuditId& id, std::uint32_t copy) {
  if (id.none()) return id;
  return {scattered(id.high, copy) | 1, scattered(id.low, copy), false};
}

}  // namespace

bool matches_name(std::string_view pattern, std::string_view name) {
  return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
}

bool fits(const LoadScale& scale, const std::string& user) {
  return scale.user.empty() || matches_name(scale.user, user);
}

std::size_t closeness(const LoadScale& scale) {
  const std::size_t size = scale.user.size();
  return size == 0 ? 0 : scale.user.ends_with('*') ? 2 * (size - 1) : 2 * size + 1;
}

const char* why_not_scalable(bool quotas, bool client_limits, bool client_models) {
  return quotas          ? "ResourceQuotas: a copy would create the same object again"
         : client_limits ? "limits of clients: a copy would be of the same client"
         : client_models ? "client models: a copy has no client that waits for answers"
                         : nullptr;
}

void check_can_be_scaled(const ReplayOptions& options) {
  for (const LoadScale& scale : options.scales)
    if (!(scale.factor >= 0 && scale.factor <= 10'000))
      throw Error("a scale of " + std::to_string(scale.factor) + " is not between 0 and 10,000");
  const char* what = why_not_scalable(options.limits_resources(), options.client_limits.has_value(),
                                      !options.client_models.empty() || options.client_models_by_log);
  if (what) throw Error(std::string("the load cannot be scaled together with ") + what + "; leave one of them out");
}

LoadScaler::Client& LoadScaler::client_of(const PreparedEvent& event) {
  if (event.requester != kNobody && event.requester >= clients_.size()) clients_.resize(event.requester + 1);
  Client& client = event.requester == kNobody ? nobody_ : clients_[event.requester];
  if (client.known) return client;
  client.known = true;
  static const std::string kNoName;
  const bool named = event.requester < context_.numbers.requesters.size();
  const std::string& user = named ? context_.numbers.requesters[event.requester].user : kNoName;
  client.key = hash_bytes(user, context_.options.jitter_seed);
  const LoadScale* best = nullptr;
  for (const LoadScale& scale : context_.options.scales)
    if (fits(scale, user) && (!best || closeness(scale) >= closeness(*best))) best = &scale;
  if (!best) return client;
  client.factor = best->factor;
  client.copies_are_clients = best->clients;
  return client;
}

LoadScaler::LoadScaler(const RunContext& context) : context_(context) {
  if (context.retries) retries_ = context.retries->again();
}

bool LoadScaler::comes(const Client& client, std::uint64_t request, std::uint32_t copy) const {
  const double part = client.factor - copy;
  return part >= 1 || even(scattered(client.key, copy), request) < part;
}

std::uint64_t LoadScaler::number_of(Client& client, const JoinedEvent& joined) {
  const std::uint64_t number = client.requests++;
  const RetryChains::Link link = retries_ && may_retry(joined) ? retries_->add(joined.event) : RetryChains::Link();
  if (link.chain == 0) return number;
  if (first_of_chain_.size() <= link.chain) first_of_chain_.resize(link.chain + 1);
  if (!link.gap) first_of_chain_[link.chain] = number;
  return first_of_chain_[link.chain];
}

Nanos LoadScaler::shift_of(const Client& client, std::uint32_t copy) const {
  if (copy == 0) return 0;
  return 1 + static_cast<Nanos>(scattered(client.key ^ 0x5ca1e, copy) % static_cast<std::uint64_t>(kMostShift));
}

std::size_t LoadScaler::times_standing() {
  double factor = 1;
  for (const LoadScale& scale : context_.options.scales)
    if (scale.user.empty()) factor = scale.factor;
  std::size_t times = 0;
  for (std::uint32_t copy = 0; copy < factor; ++copy)
    times += even(scattered(context_.options.jitter_seed, copy), standing_) < factor - copy ? 1 : 0;
  ++standing_;
  return times;
}

void LoadScaler::pass_until(Nanos now, const Sink& sink) {
  while (due_.next_time() <= now) {
    const TimedEvent due = due_.top();
    due_.pop();
    const Copy copy = copies_[due.slot()];
    free_copies_.push_back(due.slot());
    Source& source = sources_[copy.source];
    JoinedEvent joined = source.joined;
    const bool last = --source.copies == 0;
    std::string id_text = last ? std::move(source.id_text) : source.id_text;
    if (last) free_sources_.push_back(copy.source);
    joined.event.id = id_of_copy(joined.event.id, copy.number);
    move_later(joined.event, copy.shift);
    if (joined.kind == JoinedEvent::Kind::request) {
      joined.event.copy = static_cast<std::uint16_t>(copy.number);
      joined.event.flow = copy.flow;
      joined.event.attributes = copy.attributes;
    }
    sink(due.time, joined, std::move(id_text));
  }
}

std::uint32_t LoadScaler::add_source(const JoinedEvent& joined, const std::string& id_text) {
  if (free_sources_.empty()) {
    free_sources_.push_back(static_cast<std::uint32_t>(sources_.size()));
    sources_.emplace_back();
  }
  const std::uint32_t source = free_sources_.back();
  free_sources_.pop_back();
  sources_[source] = {joined, id_text, 0};
  return source;
}

void LoadScaler::add_due(Nanos now, const Copy& copy) {
  if (free_copies_.empty()) {
    free_copies_.push_back(static_cast<std::uint32_t>(copies_.size()));
    copies_.emplace_back();
  }
  const std::uint32_t place = free_copies_.back();
  free_copies_.pop_back();
  copies_[place] = copy;
  ++sources_[copy.source].copies;
  due_.push({later(now, copy.shift), false, order_++, place});
}

void LoadScaler::take(Nanos now, const JoinedEvent& joined, std::string&& id_text, const Sink& sink) {
  pass_until(now - 1, sink);
  if (joined.kind == JoinedEvent::Kind::watch_end) {
    sink(now, joined, std::move(id_text));
    return copy_watch_end(now, joined);
  }
  if (joined.event.left_out != LeftOut::no) return sink(now, joined, std::move(id_text));
  Client& client = client_of(joined.event);
  const std::uint64_t request = number_of(client, joined);
  std::optional<std::uint32_t> source;
  for (std::uint32_t number = 1; number < client.factor; ++number) {
    if (!comes(client, request, number)) continue;
    if (!source) source = add_source(joined, id_text);
    copy_request(client, number, now, joined, *source);
  }
  if (comes(client, request, 0)) return sink(now, joined, std::move(id_text));
  ++thinned_;
  context_.drop_attributes(joined.event);
}

void LoadScaler::copy_request(const Client& client, std::uint32_t number, Nanos now, const JoinedEvent& joined,
                              std::uint32_t source) {
  const PreparedEvent& event = joined.event;
  Copy copy{source, number, event.flow, 0, shift_of(client, number)};
  if (event.attributes != 0 && context_.attributes) {
    AdmissionAttributes attributes = context_.attributes->at(event.attributes);
    copy.attributes = context_.attributes->add(std::move(attributes));
  }
  if (client.copies_are_clients && event.requester < context_.numbers.requesters.size())
    copy.flow = context_.flows.twin(event.flow, number, context_.numbers.requesters[event.requester].user);
  if (event.watch_key != 0 && event.stage == Stage::response_started && !event.id.none())
    open_[short_id(event.id)].push_back({number, copy.shift});
  add_due(now, copy);
  ++copied_;
}

void LoadScaler::copy_watch_end(Nanos now, const JoinedEvent& joined) {
  const auto it = open_.find(short_id(joined.event.id));
  if (it == open_.end()) return;
  const std::uint32_t source = add_source(joined, {});
  for (const OpenWatch& watch : it->second) add_due(now, {source, watch.copy, 0, 0, watch.shift});
  open_.erase(it);
}

void LoadScaler::finish(const Sink& sink) { pass_until(kNever - 1, sink); }

void LoadScaler::fill(ReplayReport& report) const {
  report.scales = context_.options.scales;
  report.copied = copied_;
  report.thinned = thinned_;
}

}  // namespace apf
