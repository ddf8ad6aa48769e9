// Some events of a log in the order in which a replay takes them, in little memory: 80 bytes an event, and beside it
// what few of them have. Of numbers that only reading needs (PreparedEvent::sender) nothing is kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/pool.h"
#include "base/temporary_file.h"
#include "replay/prepare/attributes.h"
#include "replay/prepare/prepared.h"

namespace apf {

// An event as it comes out again.
struct SpooledEvent {
  Nanos now = 0;
  JoinedEvent joined;
  std::string id_text;  // of an id that is no UUID
};

class EventBlock {
 public:
  static constexpr std::size_t kEvents = 1024;  // at most

  // `first`: the place of its first event in the log.
  explicit EventBlock(std::uint64_t first) : first_(first) { events_.reserve(kEvents); }
  std::uint64_t first() const { return first_; }
  std::size_t size() const { return events_.size(); }
  bool full() const { return events_.size() == kEvents; }

  // `whole`: else only watches keep their ids. `attributes`: null, or what the stages
  // inside the handler look at.
  void add(Nanos now, const JoinedEvent& joined, std::string_view id_text, bool whole,
           const AdmissionAttributes* attributes);
  // What was found out about an event, by its number in the block.
  void learn(std::size_t number, Nanos execution);
  void mark_at_cap(std::size_t number);
  // The event's attributes get a place among `attributes`; null: they are left out.
  void get(std::size_t number, SpooledEvent& out, Pool<AdmissionAttributes>* attributes) const;
  // The event alone: without its text and its attributes.
  void get(std::size_t number, JoinedEvent& out) const;

  void append_to(TemporaryFile& file) const;
  // From where append_to() began to write.
  void read_from(const TemporaryFile& file, std::uint64_t offset, std::uint64_t first);

 private:
  struct Packed {
    Nanos now, stage_time, execution;
    std::uint64_t rest_at;   // place of the rest in rest_
    std::int32_t seq_ahead;  // position in the input, less the place
    std::uint32_t rest_size;
    std::uint32_t flow, requester, agent, service, recorded;
    std::int32_t list_seats;
    RequestMarks of_log;
    PreparedMarks marks;
    bool ends_watch : 1, unfinished : 1;
    std::uint16_t parts;  // what of it the rest has
    std::uint16_t code;
    std::uint8_t stage, left_out, seat_kind, traits;
  };
  static_assert(sizeof(Packed) == 80);
  // What most events have in common.
  struct Limits {
    Nanos wait_limit = 0, deadline = 0;
  };

  std::uint16_t append_rest(Nanos now, const JoinedEvent& joined, std::string_view id_text, bool whole);
  template <class Append>
  void append_to_rest(Append append);
  const char* read_rest(const Packed& packed, PreparedEvent& event) const;

  std::uint64_t first_;
  Limits limits_;
  std::vector<Packed> events_;
  std::string rest_;           // has room behind the rests
  std::size_t rest_size_ = 0;  // of the rests
};

}  // namespace apf
