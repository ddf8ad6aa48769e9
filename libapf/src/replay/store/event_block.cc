#include "replay/store/event_block.h"

#include <cstring>
#include <memory>
#include <type_traits>

namespace apf {

namespace {

// Of the rest, in this order.
enum Part : std::uint16_t {
  kReceived = 1 << 0,
  kQueueWait = 1 << 1,
  kWatchEnd = 1 << 2,
  kLimits = 1 << 3,
  kWork = 1 << 4,
  kNumbers = 1 << 5,
  kKeys = 1 << 6,
  kWatchKey = 1 << 7,
  kId = 1 << 8,
  kText = 1 << 9,
  kAttributes = 1 << 10,  // up to the end
  kTarget = 1 << 11,      // before the text
};

// All but the texts.
constexpr std::size_t kMostOfRest = 256;

// Values one after the other. They are written where they stay: to copy them at once would wait for them.
class Values {
 public:
  explicit Values(char* to) : begin_(to), end_(to) {}
  template <class Value>
  void put(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    std::memcpy(end_, &value, sizeof value);
    end_ += sizeof value;
  }
  std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }

 private:
  char* const begin_;
  char* end_;
};

template <class Value>
void take(const char*& from, Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::memcpy(&value, from, sizeof value);
  from += sizeof value;
}

}  // namespace

template <class Append>
void EventBlock::append_to_rest(Append append) {
  rest_.resize(rest_size_);
  append();
  rest_size_ = rest_.size();
}

std::uint16_t EventBlock::append_rest(Nanos now, const JoinedEvent& joined, std::string_view id_text, bool whole) {
  const PreparedEvent& e = joined.event;
  if (rest_.size() - rest_size_ < kMostOfRest) rest_.resize(2 * rest_.size() + kMostOfRest);
  Values values(rest_.data() + rest_size_);
  unsigned parts = 0;
  const auto part = [&](bool there, Part which, const auto&... of_it) {
    if (!there) return;
    parts |= which;
    (values.put(of_it), ...);
  };
  const bool request = joined.kind == JoinedEvent::Kind::request;
  part(request && e.received != now, kReceived, e.received);
  part(e.queue_wait != kNoTime, kQueueWait, e.queue_wait);
  part(e.watch_end != kNoTime, kWatchEnd, e.watch_end);
  part(request && (e.wait_limit != limits_.wait_limit || e.deadline != limits_.deadline), kLimits, e.wait_limit,
       e.deadline);
  part(e.has_fixed_seats, kWork, e.fixed);
  part(e.one_seat != 0 || e.endpoint != 0, kNumbers, e.one_seat, e.endpoint);
  part(e.keys.count > 0, kKeys, e.keys.count);
  for (int i = 0; i < e.keys.count; ++i) values.put(e.keys.keys[i]);
  part(e.watch_key != 0 || e.watch_timeout != 0, kWatchKey, e.watch_key, e.watch_timeout);
  part(whole || !request || e.watch || e.watch_key != 0, kId, e.id);
  part(e.target != 0, kTarget, e.target);
  part(!id_text.empty(), kText, static_cast<std::uint32_t>(id_text.size()));
  rest_size_ += values.size();
  if (!id_text.empty()) append_to_rest([&] { rest_.append(id_text); });
  return static_cast<std::uint16_t>(parts);
}

void EventBlock::add(Nanos now, const JoinedEvent& joined, std::string_view id_text, bool whole,
                     const AdmissionAttributes* attributes) {
  const PreparedEvent& e = joined.event;
  const std::uint64_t place = first_ + events_.size();
  if (events_.empty()) limits_ = {e.wait_limit, e.deadline};
  Packed& p = events_.emplace_back();
  p.now = now;
  p.stage_time = e.stage_time;
  p.execution = e.execution;
  p.rest_at = rest_size_;
  p.seq_ahead =
      joined.kind == JoinedEvent::Kind::request
          ? static_cast<std::int32_t>(static_cast<std::int64_t>(joined.seq) - static_cast<std::int64_t>(place))
          : 0;
  p.flow = e.flow;
  p.requester = e.requester;
  p.agent = e.agent;
  p.service = e.service;
  p.recorded = e.recorded;
  p.list_seats = e.list_seats;
  p.of_log = e;
  p.marks = e;
  p.ends_watch = joined.kind == JoinedEvent::Kind::watch_end;
  p.unfinished = joined.unfinished;
  p.code = e.code;
  p.stage = static_cast<std::uint8_t>(e.stage);
  p.left_out = static_cast<std::uint8_t>(e.left_out);
  p.seat_kind = static_cast<std::uint8_t>(e.seat_kind);
  p.traits = e.traits;
  p.parts = append_rest(now, joined, id_text, whole);
  if (attributes) {
    p.parts |= kAttributes;
    append_to_rest([&] { append_attributes(*attributes, rest_); });
  }
  p.rest_size = static_cast<std::uint32_t>(rest_size_ - p.rest_at);
}

void EventBlock::learn(std::size_t number, Nanos execution) {
  events_[number].execution = execution;
  events_[number].marks.learned = true;
}

void EventBlock::mark_at_cap(std::size_t number) { events_[number].marks.at_cap = true; }

// Where the text begins.
const char* EventBlock::read_rest(const Packed& p, PreparedEvent& e) const {
  const char* from = rest_.data() + p.rest_at;
  const auto part = [&](Part which, auto&... values) {
    if ((p.parts & which) != 0) (take(from, values), ...);
  };
  part(kReceived, e.received);
  part(kQueueWait, e.queue_wait);
  part(kWatchEnd, e.watch_end);
  part(kLimits, e.wait_limit, e.deadline);
  part(kWork, e.fixed);
  part(kNumbers, e.one_seat, e.endpoint);
  part(kKeys, e.keys.count);
  for (int i = 0; i < e.keys.count; ++i) take(from, e.keys.keys[i]);
  part(kWatchKey, e.watch_key, e.watch_timeout);
  part(kId, e.id);
  part(kTarget, e.target);
  return from;
}

static_assert(std::is_trivially_destructible_v<JoinedEvent>);

void EventBlock::get(std::size_t number, JoinedEvent& joined) const {
  const Packed& p = events_[number];
  std::construct_at(&joined);
  joined.kind = p.ends_watch ? JoinedEvent::Kind::watch_end : JoinedEvent::Kind::request;
  joined.unfinished = p.unfinished;
  PreparedEvent& e = joined.event;
  static_cast<RequestMarks&>(e) = p.of_log;
  static_cast<PreparedMarks&>(e) = p.marks;
  e.place = first_ + number;
  if (joined.kind == JoinedEvent::Kind::request) {
    joined.seq = static_cast<std::uint64_t>(static_cast<std::int64_t>(e.place) + p.seq_ahead);
    e.received = p.now;
    e.wait_limit = limits_.wait_limit;
    e.deadline = limits_.deadline;
  }
  e.stage_time = p.stage_time;
  e.execution = p.execution;
  e.flow = p.flow;
  e.requester = p.requester;
  e.agent = p.agent;
  e.service = p.service;
  e.recorded = p.recorded;
  e.list_seats = p.list_seats;
  e.code = p.code;
  e.stage = static_cast<Stage>(p.stage);
  e.left_out = static_cast<LeftOut>(p.left_out);
  e.seat_kind = static_cast<SeatKind>(p.seat_kind);
  e.traits = p.traits;
  if (p.parts != 0) read_rest(p, e);
}

void EventBlock::get(std::size_t number, SpooledEvent& out, Pool<AdmissionAttributes>* attributes) const {
  const Packed& p = events_[number];
  out.now = p.now;
  get(number, out.joined);
  out.id_text.clear();
  if ((p.parts & (kText | kAttributes)) == 0) return;
  PreparedEvent ignored;
  const char* from = read_rest(p, ignored);
  if ((p.parts & kText) != 0) {
    std::uint32_t size = 0;
    take(from, size);
    out.id_text.assign(from, size);
    from += size;
  }
  if ((p.parts & kAttributes) == 0 || !attributes) return;
  const char* const end = rest_.data() + p.rest_at + p.rest_size;
  out.joined.event.attributes = attributes->add(read_attributes({from, static_cast<std::size_t>(end - from)}));
}

void EventBlock::append_to(TemporaryFile& file) const {
  const std::uint64_t sizes[] = {events_.size(), rest_size_};
  file.append(sizes, sizeof sizes);
  file.append(&limits_, sizeof limits_);
  file.append(events_.data(), events_.size() * sizeof(Packed));
  file.append(rest_.data(), rest_size_);
}

void EventBlock::read_from(const TemporaryFile& file, std::uint64_t offset, std::uint64_t first) {
  const auto read = [&](void* to, std::size_t size) {
    file.read_apart(offset, to, size);
    offset += size;
  };
  first_ = first;
  std::uint64_t sizes[2];
  read(sizes, sizeof sizes);
  read(&limits_, sizeof limits_);
  events_.resize(sizes[0]);
  rest_size_ = sizes[1];
  rest_.resize(rest_size_);
  read(events_.data(), events_.size() * sizeof(Packed));
  read(rest_.data(), rest_size_);
}

}  // namespace apf
