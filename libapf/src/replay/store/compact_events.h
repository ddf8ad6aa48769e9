// The events of a log in little memory, to be replayed any number of times, by several threads at once: 64 bytes an
// event, and what many have in common once. Beyond a limit they are in a file without a name.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/interner.h"
#include "base/temporary_file.h"
#include "replay/prepare/prepared.h"

namespace apf {

class CompactEvents {
 public:
  // Keeps up to `memory` bytes of events in memory.
  explicit CompactEvents(std::uint64_t memory) : memory_(memory) {}

  // The next one, in order of time. Ids are kept as far as watches need them; texts and attributes are not.
  void append(Nanos now, const JoinedEvent& joined);

  void clear() { *this = CompactEvents(memory_); }

  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const;                                // of all that is kept
  std::uint64_t bytes_in_file() const { return file_size_; }  // of these
  static constexpr std::size_t bytes_each();

  class Reader;

 private:
  friend class Reader;

  struct Record {
    Nanos time = 0;
    Nanos total = kNoTime;  // from the arrival to the end of the stage
    Nanos queue_wait = kNoTime, execution = kNoTime;
    std::uint64_t watch =
        0;  // its number, where its end is an event; or 1 + the number of what is odd; else its target
    std::uint32_t kind = 0, flow = 0, requester = 0;
    std::uint32_t keys = 0;      // 1 + number of the keys
    std::int32_t seq_ahead = 0;  // position in the input, less the number of requests before
    RequestMarks of_log;
    PreparedMarks marks;
    bool ends_watch : 1 = false, unfinished : 1 = false;
    bool named : 1 = false;  // its id counts: it is the number of a watch
    bool odd : 1 = false;
  };
  static_assert(sizeof(Record) == 64);
  static constexpr std::size_t kBlock = 1u << 14;  // records
  using Block = std::unique_ptr<Record[]>;

  // What many events have in common.
  struct Kind {
    Nanos wait_limit = 0, deadline = 0, watch_timeout = 0;
    Nanos additional_latency = 0;
    std::int32_t initial_seats = 0, final_seats = 0, list_seats = 0;
    std::uint32_t agent = 0, recorded = 0, service = 0;
    std::uint8_t seat_kind = 0, stage = 0, left_out = 0, traits = 0;
    std::uint32_t code = 0;
  };
  static_assert(sizeof(Kind) == 64);
  // What few events have.
  struct Odd {
    Nanos received = 0, watch_end = kNoTime;
    std::uint64_t watch = 0;
    std::uint32_t target = 0;
  };

  std::uint32_t kind_of(const PreparedEvent& event);
  std::uint32_t keys_of(const PreparedEvent& event);
  std::uint64_t watch_of(const JoinedEvent& joined);
  void unpack(const Record& record, std::uint64_t& requests, Nanos& now, JoinedEvent& joined) const;
  const Record* block_at(std::uint64_t block, std::vector<Record>& read) const;

  std::uint64_t memory_;
  std::uint64_t size_ = 0, requests_ = 0, file_size_ = 0;
  std::vector<Block> blocks_;
  std::size_t blocks_in_file_ = 0;
  Block filling_;  // the block after these
  TemporaryFile file_;
  Interner kind_texts_, key_texts_;
  std::vector<Kind> kinds_;
  std::vector<InterestedKeys> keys_;
  std::vector<Odd> odd_;
  std::unordered_map<std::uint64_t, std::uint64_t> open_;  // watches by short id, until their end
  std::uint64_t watches_ = 0;
};

// From the first event on; each reader is of one thread. Nothing is appended meanwhile.
class CompactEvents::Reader {
 public:
  explicit Reader(const CompactEvents& events) : events_(events) {}
  bool next(Nanos& now, JoinedEvent& joined);

 private:
  const CompactEvents& events_;
  std::uint64_t at_ = 0, requests_ = 0;
  const Record* block_ = nullptr;
  std::vector<Record> read_;  // a block of the file
};

constexpr std::size_t CompactEvents::bytes_each() { return sizeof(Record); }

}  // namespace apf
