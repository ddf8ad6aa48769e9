#include "summary/client_streams.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "logs/answer_cause.h"

namespace apf {
namespace {

constexpr double kShortestBin = 1e5;  // ns

Nanos begin_of_bin(std::size_t bin) {
  return static_cast<Nanos>(kShortestBin * std::exp2(static_cast<double>(bin) / 2));
}

}  // namespace

std::size_t DurationCounts::bin_of(Nanos duration) {
  const double times = std::max(1.0, static_cast<double>(duration) / kShortestBin);
  return std::min(kBins - 1, static_cast<std::size_t>(2 * std::log2(times)));
}

DurationCounts::Bins& DurationCounts::bins() {
  if (!bins_) {
    bins_ = std::make_unique<Bins>();
    if (count_ == 1) ++(*bins_)[bin_of(shortest_)];
  }
  return *bins_;
}

void DurationCounts::add(Nanos duration) {
  if (count_ > 0) ++bins()[bin_of(duration)];
  ++count_;
  shortest_ = std::min(shortest_, duration);
  longest_ = std::max(longest_, duration);
}

void DurationCounts::add(const DurationCounts& others) {
  if (others.count_ == 0) return;
  if (others.count_ == 1) return add(others.shortest_);
  for (std::size_t bin = 0; bin < kBins; ++bin) bins()[bin] += (*others.bins_)[bin];
  count_ += others.count_;
  shortest_ = std::min(shortest_, others.shortest_);
  longest_ = std::max(longest_, others.longest_);
}

std::size_t DurationCounts::median_bin() const {
  if (count_ == 1) return bin_of(shortest_);
  std::uint64_t sum = 0;
  std::size_t bin = 0;
  while (bin + 1 < kBins && (sum += (*bins_)[bin]) * 2 < count_) ++bin;
  return bin;
}

std::optional<Nanos> DurationCounts::half_at_least() const {
  if (count_ == 0) return std::nullopt;
  const std::size_t bin = median_bin();
  return std::max(shortest_, bin == 0 ? 0 : begin_of_bin(bin));
}

std::optional<Nanos> DurationCounts::half_at_most() const {
  if (count_ == 0) return std::nullopt;
  const std::size_t bin = median_bin();
  return bin + 1 == kBins ? longest_ : std::min(longest_, begin_of_bin(bin + 1));
}

std::string_view path_of(const ClientStream& stream) {
  return std::string_view(stream.uri).substr(0, stream.uri.find('?'));
}

int number_of_cause(AnswerCause cause) {
  switch (cause) {
    case AnswerCause::forbidden:
      return 0;
    case AnswerCause::not_found:
      return 1;
    case AnswerCause::conflict:
      return 2;
    case AnswerCause::invalid:
      return 3;
    case AnswerCause::already_exists:
      return 4;
    case AnswerCause::expired:
      return 5;
    case AnswerCause::admission_denied:
    case AnswerCause::webhook_denied:
    case AnswerCause::resource_quota:
      return 6;
    case AnswerCause::apply_conflict:
      return 7;
    default:
      return -1;
  }
}

std::uint64_t ClientStreams::key_of(const RequestFacts& facts) {
  const std::uint64_t who = std::uint64_t{facts.user} << 32 | facts.agent;
  return mix64(facts.path ^ facts.selectors, mix64(who + 1, 0x9e3779b97f4a7c15ULL + facts.verb));
}

std::uint32_t& ClientStreams::place_of(std::uint64_t key) {
  for (std::size_t at = key;; ++at) {
    std::uint32_t& place = places_[at & (places_.size() - 1)];
    if (place == 0 || streams_[place - 1].key == key) return place;
  }
}

void ClientStreams::index(std::size_t places) {
  places_.assign(places, 0);
  for (std::size_t i = 0; i < streams_.size(); ++i) place_of(streams_[i].key) = static_cast<std::uint32_t>(i + 1);
}

// Those that came but a few times, so that those that come often are kept however long the log is.
void ClientStreams::drop_rare() {
  for (std::uint32_t few = 2; streams_.size() >= kMostStreams; few *= 2)
    std::erase_if(streams_, [&](const ClientStream& s) {
      if (s.requests > few) return false;
      DroppedStreams& of = dropped_[kind_of(s)];
      of.requests += s.requests;
      of.forbidden += s.answered[static_cast<std::size_t>(number_of_cause(AnswerCause::forbidden))];
      of.refused += s.refused;
      of.early += s.early;
      of.overlapping += s.overlapping;
      return true;
    });
  index(places_.size());
}

DroppedStreams ClientStreams::dropped(const ClientKind& kind) const {
  const auto at = dropped_.find(kind);
  return at == dropped_.end() ? DroppedStreams() : at->second;
}

// Each address is an instance of the client with times of its own.
void ClientStreams::change_source(ClientStream& s, std::uint32_t address) {
  if (sources_.size() >= kMostSources) sources_.clear();  // then fewer requests follow one another
  sources_[mix64(s.key, s.source.address + 1)] = std::move(s.source);
  StreamSource& other = sources_[mix64(s.key, address + 1)];
  if (other.last == INT64_MIN || other.stream != s.first) {
    ++s.addresses;
    s.source = {};
    s.source.address = address;
    s.source.stream = s.first;
  } else {
    s.source = std::move(other);
  }
}

namespace {

constexpr Nanos kRetryAfter = kSecond * 9 / 10;  // a second is the least that the server asks for

// Whether a request that arrives now can be a retry of one that was refused. Each refusal is retried once.
bool may_be_retry(StreamSource& source, Nanos arrival) {
  std::size_t ripe = 0;
  while (ripe < source.refusals.size() && arrival - source.refusals[ripe] >= kRetryAfter) ++ripe;
  source.refusals.erase(source.refusals.begin(), source.refusals.begin() + static_cast<std::ptrdiff_t>(ripe));
  source.owed += static_cast<std::uint32_t>(ripe);
  if (source.owed == 0) return false;
  --source.owed;
  return true;
}

void add_refusal(StreamSource& source, Nanos end) {
  constexpr std::size_t kMost = 64;
  if (source.refusals.size() == kMost) {
    source.refusals.erase(source.refusals.begin());
    ++source.owed;
  }
  source.refusals.insert(std::upper_bound(source.refusals.begin(), source.refusals.end(), end), end);
}

// How a request follows those before it from its address.
void add_times(ClientStream& s, const RequestFacts& facts, std::string_view uri) {
  constexpr std::size_t kMostGaps = 256, kMostBeside = 1u << 14;
  StreamSource& source = s.source;
  const Nanos arrival = facts.arrival;
  if (source.last != INT64_MIN && facts.address != Names::kOthers) {
    for (std::size_t i = 0; i < std::size(kGapBounds); ++i) s.gaps[i] += arrival - source.last <= kGapBounds[i];
    if (arrival < source.busy_until) ++s.overlapping;
    else if (source.open > 0 && source.beside_open.size() < kMostBeside) source.beside_open.push_back(arrival);
  }
  source.open += facts.watch && !facts.duration;
  if (!may_be_retry(source, arrival)) {
    ++s.fresh;
    s.fresh_gaps += source.last_fresh != INT64_MIN && arrival - source.last_fresh <= 30 * kSecond;
    source.last_fresh = arrival;
  }
  const Nanos gap = source.last_refusal == INT64_MIN ? kRetryAfter : arrival - source.last_refusal;
  if (gap >= 0 && gap < kRetryAfter && hash_bytes(uri, 1) == source.refused_uri) {
    ++s.early;
    if (s.early_gaps.size() < kMostGaps) s.early_gaps.push_back(gap);
  }
  source.last = arrival;
  source.last_refusal = INT64_MIN;
  const Nanos end = facts.answered.value_or(arrival + facts.duration.value_or(0));
  if (facts.answered || facts.duration) source.busy_until = std::max(source.busy_until, end);
  if (!facts.refused) return;
  source.last_refusal = end;
  source.refused_uri = hash_bytes(uri, 1);
  add_refusal(source, end);
}

}  // namespace

void ClientStreams::add(const RequestFacts& facts, const TraceRequest& course, std::string_view uri) {
  herds_.add(facts);
  const std::uint64_t key = key_of(facts);
  std::uint32_t* place = &place_of(key);
  if (*place == 0 && streams_.size() >= std::min(kMostStreams, places_.size() / 2)) {
    if (streams_.size() >= kMostStreams) drop_rare();
    else index(2 * places_.size());
    place = &place_of(key);
  }
  if (*place == 0) {
    begin(facts, course, uri).key = key;
    *place = static_cast<std::uint32_t>(streams_.size());
  }
  ClientStream& s = streams_[*place - 1];
  if (s.requests == 1) {
    s.second = facts.arrival;
    s.second_code = course.code;
  }
  if (s.source.address != facts.address) change_source(s, facts.address);
  ++s.requests;
  s.last = facts.arrival;
  add_times(s, facts, uri);
  if (facts.duration) add_duration(s, *facts.duration);
  s.seat_seconds += facts.seat_seconds;
  if (const int number = number_of_cause(course.recorded.cause); number >= 0)
    ++s.answered[static_cast<std::size_t>(number)];
  s.refused += facts.refused;
  s.served += !facts.refused && course.code >= 200 && course.code < 300;
  s.unpaged += facts.unpaged;
  s.whole += facts.whole;
}

ClientStream& ClientStreams::begin(const RequestFacts& facts, const TraceRequest& course, std::string_view uri) {
  ClientStream& s = streams_.emplace_back();
  s.user = facts.user;
  s.agent = facts.agent;
  s.address = s.source.address = facts.address;
  s.request = facts.request;
  s.verb = names_.verbs.text(facts.verb);
  s.resource = names_.resources.text(facts.resource);
  s.is_resource = facts.is_resource;
  s.named = facts.named;
  s.whole_resource = facts.whole_resource;
  s.watch = facts.watch;
  s.uri = uri;
  s.source.stream = s.first = facts.arrival;
  s.first_code = course.code;
  return s;
}

void ClientStreams::add_duration(ClientStream& s, Nanos duration) {
  ++s.timed;
  s.times.add(duration);
  s.short_lives += s.watch && duration <= kShortLife;
  s.long_durations += !s.watch && duration >= kLong;
}

void ClientStreams::end_watch(const RequestFacts& facts, Nanos end) {
  const std::uint64_t key = key_of(facts);
  const std::uint32_t place = place_of(key);
  if (place == 0) return;
  ClientStream& s = streams_[place - 1];
  if (s.first > facts.arrival) return;  // it began anew since
  add_duration(s, end - facts.arrival);
  StreamSource* source = &s.source;
  if (source->address != facts.address) {
    const auto other = sources_.find(mix64(key, facts.address + 1));
    if (other == sources_.end() || other->second.stream != s.first) return;
    source = &other->second;
  }
  if (source->open > 0) --source->open;
  auto& later = source->beside_open;
  const auto from = std::upper_bound(later.begin(), later.end(), facts.arrival);
  const auto to = std::lower_bound(from, later.end(), end);
  s.overlapping += static_cast<std::uint32_t>(to - from);
  later.erase(from, to);
  if (source->open == 0) later.clear();
  source->busy_until = std::max(source->busy_until, end);
}

}  // namespace apf
