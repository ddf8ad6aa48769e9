#include "summary/tallies.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/identities.h"
#include "base/outstanding.h"
#include "base/saturated.h"
#include "base/sort_stably.h"
#include "logs/answer_cause.h"
#include "logs/request_event.h"
#include "summary/refusal_signs.h"

namespace apf {
namespace {

constexpr const char* kDimensions[] = {"user",      "impersonator", "agent", "address", "verb",  "resource",
                                       "namespace", "schema",       "level", "code",    "minute"};
static_assert(std::size(kDimensions) == kLogDimensions);

constexpr Nanos kSlow = 500 * kMillisecond;  // from there on audit events say where the time went
constexpr Nanos kMinute = 60 * kSecond;

// A user, or an agent where the user is not known.
std::uint64_t client_of(const RequestFacts& facts) {
  return facts.user != Names::kNone ? facts.user : std::uint64_t{1} << 32 | facts.agent;
}
std::string client_name(std::uint64_t client, const LogNames& names) {
  const auto number = static_cast<std::uint32_t>(client);
  return std::string(client >> 32 == 0 ? names.users.text(number) : names.agents.text(number));
}

// Until its answer: what was refused may have waited first.
Nanos lasted(const RequestFacts& facts) {
  if (facts.duration) return *facts.duration;
  return facts.answered ? *facts.answered - facts.arrival : 0;
}
// A watch that is refused lasts no longer than other requests do.
bool is_slow(const RequestFacts& facts) { return (!facts.watch || facts.refused) && lasted(facts) >= kSlow; }
bool has_any(const Latencies& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const std::optional<Nanos>& part) { return part.has_value(); });
}

void add_slow(SlowRequests& sum, const SlowRequests& other) {
  if (other.requests > 0) {
    sum.first = sum.requests == 0 ? other.first : std::min(sum.first, other.first);
    sum.last = sum.requests == 0 ? other.last : std::max(sum.last, other.last);
  }
  sum.requests += other.requests;
  sum.with_parts += other.with_parts;
  sum.traced += other.traced;
  sum.total = saturated_sum(sum.total, other.total);
  sum.with_wait += other.with_wait;
  sum.wait = saturated_sum(sum.wait, other.wait);
  for (std::size_t i = 0; i < kLatencyParts; ++i) sum.parts[i] = saturated_sum(sum.parts[i], other.parts[i]);
}

}  // namespace

const char* to_string(LogDimension dimension) { return kDimensions[static_cast<std::size_t>(dimension)]; }

std::vector<std::string> log_dimension_names() { return {std::begin(kDimensions), std::end(kDimensions)}; }

std::optional<LogDimension> find_log_dimension(std::string_view name) {
  const auto at = std::find(std::begin(kDimensions), std::end(kDimensions), name);
  if (at == std::end(kDimensions)) return std::nullopt;
  return static_cast<LogDimension>(at - std::begin(kDimensions));
}

std::uint32_t TalliesBy::number_of(LogDimension dimension, const RequestFacts& facts, int code) const {
  switch (dimension) {
    case LogDimension::user:
      return facts.user;
    case LogDimension::impersonator:
      return facts.impersonator;
    case LogDimension::agent:
      return facts.agent;
    case LogDimension::address:
      return facts.address;
    case LogDimension::verb:
      return facts.verb;
    case LogDimension::resource:
      return facts.resource;
    case LogDimension::ns:
      return facts.ns;
    case LogDimension::schema:
      return facts.schema;
    case LogDimension::level:
      return facts.level;
    case LogDimension::code:
      return static_cast<std::uint32_t>(code);
    case LogDimension::minute:
      return static_cast<std::uint32_t>(std::max<Nanos>(0, facts.arrival / kMinute));
    case LogDimension::kCount:
      break;
  }
  return 0;
}

std::string TalliesBy::name_of(LogDimension dimension, std::uint32_t number) const {
  const auto text = [&](const Names& names) { return std::string(names.text(number)); };
  switch (dimension) {
    case LogDimension::user:
    case LogDimension::impersonator:
      return text(names_.users);
    case LogDimension::agent:
      return text(names_.agents);
    case LogDimension::address:
      return text(names_.addresses);
    case LogDimension::verb:
      return text(names_.verbs);
    case LogDimension::resource:
      return text(names_.resources);
    case LogDimension::ns:
      return text(names_.namespaces);
    case LogDimension::schema:
      return text(names_.schemas);
    case LogDimension::level:
      return text(names_.levels);
    case LogDimension::code:
      return number == 0 ? std::string() : std::to_string(number);
    case LogDimension::minute:
      return format_rfc3339(Nanos{number} * kMinute);
    case LogDimension::kCount:
      break;
  }
  return {};
}

void TalliesBy::add(const RequestFacts& facts, int code, const LogTally& tally) {
  Key key{};
  for (std::size_t i = 0; i < dimensions_.size(); ++i) key[i] = number_of(dimensions_[i], facts, code);
  if (last_ && key == last_key_) return add_tally(*last_, tally);
  last_key_ = key;
  if (tallies_.size() >= kMost && !tallies_.contains(key)) {
    for (std::size_t i = 0; i < dimensions_.size(); ++i)
      key[i] = dimensions_[i] == LogDimension::code || dimensions_[i] == LogDimension::minute ? 0 : Names::kOthers;
  }
  last_ = &tallies_[key];
  add_tally(*last_, tally);
}

std::vector<LogRow> TalliesBy::rows(RowOrder order, std::size_t top) const {
  std::vector<LogRow> out;
  out.reserve(tallies_.size());
  for (const auto& [key, tally] : tallies_) {
    LogRow& row = out.emplace_back();
    for (std::size_t i = 0; i < dimensions_.size(); ++i) row.names.push_back(name_of(dimensions_[i], key[i]));
    row.tally = tally;
  }
  keep_first(out, order, top);
  return out;
}

std::vector<LogRow> NamedTallies::rows(const Names& names, RowOrder order, std::size_t top) const {
  std::vector<LogRow> out;
  for (std::uint32_t number = 0; number < tallies_.size(); ++number)
    if (number != Names::kNone && tallies_[number].requests > 0)
      out.push_back({{std::string(names.text(number))}, tallies_[number]});
  gather_nodes(out, 0);
  keep_first(out, order, top);
  return out;
}

Nanos MinuteTallies::begin_of(Nanos time, Nanos width) {
  const Nanos rest = time % width;
  return time - (rest < 0 ? rest + width : rest);
}

void MinuteTallies::add(Nanos arrival, std::uint32_t level, const LogTally& tally) {
  add_tally(tallies_[{begin_of(arrival, width_), level}], tally);
  if (tallies_.size() <= kMost) return;
  width_ *= 2;
  std::map<std::pair<Nanos, std::uint32_t>, LogTally> wider;
  for (const auto& [key, sums] : tallies_) add_tally(wider[{begin_of(key.first, width_), key.second}], sums);
  tallies_ = std::move(wider);
}

std::vector<LogMinute> MinuteTallies::rows(const LogNames& names) const {
  std::vector<LogMinute> out;
  out.reserve(tallies_.size());
  for (const auto& [key, tally] : tallies_)
    out.push_back({key.first, std::string(names.levels.text(key.second)), tally});
  return out;
}

std::optional<LogMinute> MinuteTallies::worst() const {
  std::optional<LogMinute> worst, now;
  const auto end = [&] {
    if (now && now->tally.refused > 0 && (!worst || now->tally.refused > worst->tally.refused)) worst = now;
  };
  for (const auto& [key, tally] : tallies_) {
    if (!now || now->begin != key.first) {
      end();
      now = LogMinute{key.first, {}, {}};
    }
    add_tally(now->tally, tally);
  }
  end();
  return worst;
}

void AnswerTallies::add(const RequestFacts& facts, int code, AnswerCause cause, bool undecided) {
  constexpr std::size_t kMostClients = 1u << 14;
  Answers& of = answers_[{code, cause, cause == AnswerCause::unknown && undecided}];
  ++of.requests;
  of.first = std::min(of.first, facts.arrival);
  of.last = std::max(of.last, facts.arrival);
  const std::uint64_t client = client_of(facts);
  if (of.clients.size() < kMostClients || of.clients.contains(client)) ++of.clients[client];
  else ++of.clients[Names::kOthers];
  if (facts.about != Names::kNone) ++of.about[facts.about];
}

void AnswerTallies::settle(const RefusalEvidence& evidence) {
  for (const auto& [kind, of] : std::exchange(answers_, {})) {
    Answers& to = answers_[{kind.code, cause_by(evidence, kind.cause, kind.undecided), false}];
    to.requests += of.requests;
    to.first = std::min(to.first, of.first);
    to.last = std::max(to.last, of.last);
    for (const auto& [client, requests] : of.clients) to.clients[client] += requests;
    for (const auto& [about, requests] : of.about) to.about[about] += requests;
  }
}

std::vector<LogAnswers> AnswerTallies::rows(std::size_t top) const {
  std::vector<LogAnswers> out;
  for (const auto& [key, of] : answers_) {
    LogAnswers& row = out.emplace_back();
    row.code = key.code;
    row.cause = key.cause;
    for (const auto& [about, requests] : of.about)
      if (2 * requests > of.requests) row.about = names_.abouts.text(about);
    row.requests = of.requests;
    row.first = of.first;
    row.last = of.last;
    for (const auto& [client, requests] : of.clients) {
      LogRow& who = row.clients.emplace_back();
      who.names.push_back(client_name(client, names_));
      who.tally.requests = requests;
    }
    gather_nodes(row.clients, 0);
    keep_first(row.clients, RowOrder::cost, top);
  }
  sort_stably(out, [](const LogAnswers& a, const LogAnswers& b) { return a.requests > b.requests; });
  return out;
}

void SlowTallies::add_parts(const Known& known, const Latencies& parts, bool traced) {
  constexpr auto kTotal = static_cast<std::size_t>(LatencyPart::total);
  constexpr auto kQueue = static_cast<std::size_t>(LatencyPart::queue);
  SlowRequests one;
  one.with_parts = 1;
  one.traced = traced;
  for (std::size_t i = 0; i < kLatencyParts; ++i) one.parts[i] = parts[i].value_or(0);
  if (traced || !parts[kTotal]) one.parts[kTotal] = known.duration;
  if (!parts[kQueue]) one.parts[kQueue] = known.wait.value_or(0);
  add_slow(total_, one);
  add_slow(slow_[known.key], one);
}

void SlowTallies::add(const RequestFacts& facts, const Known& known, std::uint64_t id, const Latencies& parts) {
  SlowRequests one;
  one.requests = 1;
  one.first = one.last = facts.arrival;
  one.total = known.duration;
  one.with_wait = known.wait.has_value();
  one.wait = known.wait.value_or(0);
  add_slow(total_, one);
  SlowRequests& of = slow_[known.key];
  if (of.requests == 0 && known.key != kOthers) {
    of.verb = names_.verbs.text(facts.verb);
    of.resource = names_.resources.text(facts.resource);
  }
  add_slow(of, one);
  if (known.has_parts) add_parts(known, parts, false);
  if (id != 0 && known_.size() < kMostKnown) known_.emplace(id, known);
}

void SlowTallies::remember(const RequestFacts& facts, const Known& known) {
  if (by_time_.size() >= kMostKnown) return;
  by_times_.add_request(facts.path, facts.arrival, facts.arrival + lasted(facts), by_time_.size());
  by_time_.push_back(known);
}

void SlowTallies::add(const RequestFacts& facts, const TracedRequest& traced) {
  if (!is_slow(facts)) return;
  const Latencies parts = traced.latencies.empty() ? Latencies() : read_latencies(traced.latencies);
  Known known{key_of(facts), lasted(facts), traced.course.recorded.queue_wait};
  known.has_parts = has_any(parts);
  remember(facts, known);
  add(facts, known, traced.id, parts);
}

void SlowTallies::leave_out(const RequestFacts& facts, const TracedRequest& traced) {
  if (!is_slow(facts)) return;
  Known known{kOthers, lasted(facts), {}};
  known.left_out = true;
  remember(facts, known);
  if (traced.id != 0 && left_out_.size() < kMostKnown) left_out_.insert(traced.id);
}

void SlowTallies::add(const RequestFacts& facts, const HandlerTrace& trace) {
  if (trace.total < kSlow) return;
  Known known{key_of(facts), trace.total, {}};
  add(facts, known, id_of(trace), {});
  tell(trace);
}

void SlowTallies::keep(const HandlerTrace& trace, const RequestView::Fields& view, bool counts) {
  if (trace.total >= kSlow) by_times_.add_trace(view, trace, counts);
}

std::uint64_t SlowTallies::join() {
  return by_times_.join([&](std::size_t number, const Latencies& parts) {
    Known& known = by_time_[number];
    if (!known.left_out && has_any(parts) && !std::exchange(known.has_parts, true)) add_parts(known, parts, true);
  });
}

// Releases before 1.22 have none.
std::uint64_t SlowTallies::id_of(const HandlerTrace& trace) {
  if (!trace.id.empty()) return hashed_id(trace.id).high;
  return hash_bytes(trace.url,
                    static_cast<std::uint64_t>(trace.begin) ^ mix64(trace.number + 1, 0x9e3779b97f4a7c15ULL));
}

bool SlowTallies::tell(const HandlerTrace& trace) {
  const std::uint64_t id = id_of(trace);
  const auto at = known_.find(id);
  if (at == known_.end()) return left_out_.contains(id) || std::max(known_.size(), left_out_.size()) >= kMostKnown;
  if (has_any(trace.parts) && !std::exchange(at->second.has_parts, true)) add_parts(at->second, trace.parts, true);
  return true;
}

SlowTallies::Key SlowTallies::key_of(const RequestFacts& facts) const {
  constexpr std::size_t kMost = 1u << 14;
  const Key key{client_of(facts), facts.request};
  return slow_.size() >= kMost && !slow_.contains(key) ? kOthers : key;
}

std::vector<SlowRequests> SlowTallies::rows(std::size_t top) const {
  std::vector<SlowRequests> out;
  std::map<std::uint32_t, std::vector<SlowRequests>> of_nodes;  // by request
  for (const auto& [key, of] : slow_) {
    const std::string client = client_name(key.first, names_);
    const bool node = client.starts_with(kNodePrefix);
    SlowRequests& row = (node ? of_nodes[key.second] : out).emplace_back(of);
    row.user = client;
  }
  // One row, and one of its own for a node that has most of them.
  for (auto& [request, nodes] : of_nodes) {
    if (const auto most = outstanding(nodes, [](const SlowRequests& of) { return of.requests; }); most != nodes.end()) {
      out.push_back(std::move(*most));
      nodes.erase(most);
    }
    SlowRequests& row = out.emplace_back(std::move(nodes.front()));
    if (nodes.size() > 1) row.user = kAllNodes;
    for (std::size_t i = 1; i < nodes.size(); ++i) add_slow(row, nodes[i]);
  }
  sort_stably(out, [](const SlowRequests& a, const SlowRequests& b) { return a.total > b.total; });
  out.resize(std::min(out.size(), top));
  return out;
}

}  // namespace apf
