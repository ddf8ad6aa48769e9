#include "replay/store/compact_events.h"

#include <cstring>
#include <memory>
#include <string_view>

namespace apf {

namespace {

template <class Struct>
std::string_view bytes_of(const Struct& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace

std::uint32_t CompactEvents::kind_of(const PreparedEvent& e) {
  Kind kind;
  kind.wait_limit = e.wait_limit;
  kind.deadline = e.deadline;
  kind.watch_timeout = e.watch_timeout;
  kind.code = e.code;
  kind.additional_latency = e.fixed.additional_latency;
  kind.initial_seats = e.fixed.initial_seats;
  kind.final_seats = e.fixed.final_seats;
  kind.list_seats = e.list_seats;
  kind.agent = e.agent;
  kind.recorded = e.recorded;
  kind.service = e.service;
  kind.seat_kind = static_cast<std::uint8_t>(e.seat_kind);
  kind.stage = static_cast<std::uint8_t>(e.stage);
  kind.left_out = static_cast<std::uint8_t>(e.left_out);
  kind.traits = e.traits;
  const std::uint32_t number = kind_texts_.id(bytes_of(kind));
  if (number == kinds_.size()) kinds_.push_back(kind);
  return number;
}

std::uint32_t CompactEvents::keys_of(const PreparedEvent& e) {
  InterestedKeys keys = e.keys;
  if (e.watch_key != 0) {
    keys = {};
    keys.count = -1;  // a watch's own
    keys.keys[0] = e.watch_key;
  }
  if (keys.count == 0) return 0;
  std::array<std::uint64_t, 4> text = {static_cast<std::uint64_t>(keys.count)};
  for (int i = 0; i < 3; ++i) text[static_cast<std::size_t>(i) + 1] = i < keys.count || i == 0 ? keys.keys[i] : 0;
  const std::uint32_t number = key_texts_.id(bytes_of(text));
  if (number == keys_.size()) keys_.push_back(keys);
  return number + 1;
}

// Watches whose end is an event of its own are numbered; nobody else is asked for its id.
std::uint64_t CompactEvents::watch_of(const JoinedEvent& joined) {
  const PreparedEvent& e = joined.event;
  if (joined.kind == JoinedEvent::Kind::watch_end) {
    const auto it = open_.find(short_id(e.id));
    if (it == open_.end()) return 0;
    const std::uint64_t number = it->second;
    open_.erase(it);
    return number;
  }
  if (e.watch_key == 0 || e.stage != Stage::response_started || e.id.none()) return 0;
  return open_[short_id(e.id)] = ++watches_;
}

void CompactEvents::append(Nanos now, const JoinedEvent& joined) {
  const PreparedEvent& e = joined.event;
  Record r;
  r.time = now;
  r.of_log = e;
  r.marks = e;
  r.ends_watch = joined.kind == JoinedEvent::Kind::watch_end;
  r.unfinished = joined.unfinished;
  r.watch = watch_of(joined);
  r.named = r.watch != 0;
  if (!r.ends_watch) {
    r.total = e.stage_time == kNoTime ? kNoTime : e.stage_time - e.received;
    r.queue_wait = e.queue_wait;
    r.execution = e.execution;
    r.kind = kind_of(e);
    r.flow = e.flow;
    r.requester = e.requester;
    r.keys = keys_of(e);
    r.seq_ahead =
        static_cast<std::int32_t>(static_cast<std::int64_t>(joined.seq) - static_cast<std::int64_t>(requests_));
    ++requests_;
    if (e.received != now || e.watch_end != kNoTime) {
      odd_.push_back({e.received, e.watch_end, r.watch, e.target});
      r.odd = true;
      r.watch = odd_.size();
    } else if (!r.named) {
      r.watch = e.target;
    }
  }
  if (!filling_) filling_.reset(new Record[kBlock]);
  filling_[size_++ % kBlock] = r;
  if (size_ % kBlock != 0) return;
  if (blocks_in_file_ > 0 || (blocks_.size() + 1) * kBlock * sizeof(Record) > memory_) {
    file_.append(filling_.get(), kBlock * sizeof(Record));
    file_size_ += kBlock * sizeof(Record);
    ++blocks_in_file_;
  } else {
    blocks_.push_back(std::move(filling_));
  }
}

std::uint64_t CompactEvents::bytes() const {
  return size_ * sizeof(Record) + kinds_.size() * 2 * sizeof(Kind) + keys_.size() * 2 * sizeof(InterestedKeys) +
         odd_.size() * sizeof(Odd);
}

const CompactEvents::Record* CompactEvents::block_at(std::uint64_t block, std::vector<Record>& read) const {
  if (block < blocks_.size()) return blocks_[block].get();
  const std::uint64_t in_file = block - blocks_.size();
  if (in_file >= blocks_in_file_) return filling_.get();
  read.resize(kBlock);
  file_.read_apart(in_file * kBlock * sizeof(Record), read.data(), kBlock * sizeof(Record));
  return read.data();
}

void CompactEvents::unpack(const Record& r, std::uint64_t& requests, Nanos& now, JoinedEvent& joined) const {
  now = r.time;
  joined.kind = r.ends_watch ? JoinedEvent::Kind::watch_end : JoinedEvent::Kind::request;
  joined.unfinished = r.unfinished;
  PreparedEvent& e = joined.event;
  std::construct_at(&e);  // in its place
  const Odd* odd = r.odd ? &odd_[r.watch - 1] : nullptr;
  if (r.named) e.id = {odd ? odd->watch : r.watch, 1, false};
  if (joined.kind == JoinedEvent::Kind::watch_end) {
    e.stage_time = r.time;
    joined.seq = 0;
    return;
  }
  joined.seq = static_cast<std::uint64_t>(static_cast<std::int64_t>(requests++) + r.seq_ahead);
  e.received = odd ? odd->received : r.time;
  if (odd) {
    e.watch_end = odd->watch_end;
    e.target = odd->target;
  } else if (!r.named) {
    e.target = static_cast<std::uint32_t>(r.watch);
  }
  e.stage_time = r.total == kNoTime ? kNoTime : e.received + r.total;
  e.queue_wait = r.queue_wait;
  e.execution = r.execution;
  e.flow = r.flow;
  e.requester = r.requester;
  static_cast<RequestMarks&>(e) = r.of_log;
  static_cast<PreparedMarks&>(e) = r.marks;
  const Kind& kind = kinds_[r.kind];
  e.code = static_cast<std::uint16_t>(kind.code);
  e.wait_limit = kind.wait_limit;
  e.deadline = kind.deadline;
  e.watch_timeout = kind.watch_timeout;
  e.fixed = {kind.initial_seats, kind.final_seats, kind.additional_latency};
  e.list_seats = kind.list_seats;
  e.agent = kind.agent;
  e.recorded = kind.recorded;
  e.service = kind.service;
  e.seat_kind = static_cast<SeatKind>(kind.seat_kind);
  e.stage = static_cast<Stage>(kind.stage);
  e.left_out = static_cast<LeftOut>(kind.left_out);
  e.traits = kind.traits;
  if (r.keys == 0) return;
  const InterestedKeys& keys = keys_[r.keys - 1];
  if (keys.count < 0) e.watch_key = keys.keys[0];
  else e.keys = keys;
}

bool CompactEvents::Reader::next(Nanos& now, JoinedEvent& joined) {
  if (at_ == events_.size_) return false;
  if (at_ % kBlock == 0) block_ = events_.block_at(at_ / kBlock, read_);
  events_.unpack(block_[at_ % kBlock], requests_, now, joined);
  ++at_;
  return true;
}

}  // namespace apf
