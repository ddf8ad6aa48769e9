// The requests and the queues of one priority level, as QueueSet keeps them: where each is, and which queue is next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <apf/time.h>

#include "base/zeroed_array.h"
#include "schedule/queue_set_tree.h"
#include "schedule/seats.h"
#include "schedule/work.h"

namespace apf {

// Requests by handle, from their arrival until their seats are free.
class RequestTable {
 public:
  using Handle = std::uint32_t;
  static constexpr Handle kNone = 0;
  static constexpr std::uint32_t kNoQueue = std::numeric_limits<std::uint32_t>::max();

  struct Request {
    std::uint64_t tag = 0;
    SeatSeconds arrival_r = 0;
    SeatSeconds total_work = 0;
    Nanos start = 0;  // of its execution; before, since when it waits
    Nanos additional_latency = 0;
    Handle previous = kNone, next = kNone;  // in its queue's FIFO; next also in the list of free ones
    std::uint32_t queue = kNoQueue;         // slot, not index
    int initial_seats = 0, final_seats = 0;
    enum class State : std::uint8_t { free, waiting, executing, lingering } state = State::free;

    int max_seats() const { return std::max(initial_seats, final_seats); }
  };

  Request& operator[](Handle handle) { return requests_[handle]; }
  const Request& operator[](Handle handle) const { return requests_[handle]; }
  // Free ones, too.
  const std::vector<Request>& all() const { return requests_; }

  Handle take() {
    const Handle handle = free_;
    if (handle == kNone) [[unlikely]] {
      requests_.emplace_back();
      return static_cast<Handle>(requests_.size() - 1);
    }
    free_ = requests_[handle].next;
    return handle;
  }
  // Its state and place are the caller's.
  Handle add(const WorkEstimate& work, std::uint64_t tag) {
    const Handle handle = take();
    Request& request = requests_[handle];
    request.tag = tag;
    request.total_work = total_work_of(work);
    request.additional_latency = work.additional_latency;
    request.queue = kNoQueue;
    request.initial_seats = work.initial_seats;
    request.final_seats = work.final_seats;
    return handle;
  }
  void free(Handle handle) {
    Request& request = requests_[handle];
    request.state = Request::State::free;
    request.next = free_;
    free_ = handle;
  }

 private:
  std::vector<Request> requests_ = std::vector<Request>(1);  // handles begin with 1
  Handle free_ = kNone;
};

// Queues keep their slot for life, while their index shifts when a lower one is removed. Those that no request comes to
// cost nothing: arrays begin with the first one.
class QueueTable {
 public:
  // All zero before the first request comes.
  struct Queue {
    RequestTable::Handle oldest, newest;
    std::uint32_t waiting, executing, lingering;
    int index;  // set when a request comes
    SeatSeconds next_dispatch_r;

    // Two reads of a word: as one of both, it waits for what has just been written to one of them.
    bool active() const { return (waiting | executing) != 0; }
  };

  explicit QueueTable(int count) : count_(count) {}

  int count() const { return count_; }
  bool begun() const { return !queues_.empty(); }
  void begin();
  void add(int more, const RequestTable& requests);
  // Returns the index that it had.
  int remove(std::uint32_t slot, const RequestTable& requests);

  std::uint32_t slot_of(std::size_t index) const {
    return slots_.empty() ? static_cast<std::uint32_t>(index) : slots_[index];
  }
  Queue& at(std::uint32_t slot) { return queues_[slot]; }
  const Queue& at(std::uint32_t slot) const { return queues_[slot]; }
  Queue& at_index(std::size_t index) { return queues_[slot_of(index)]; }
  const Queue& at_index(std::size_t index) const { return queues_[slot_of(index)]; }
  // In any order, removed ones, too.
  std::span<Queue> all() { return {queues_.begin(), queues_.size()}; }
  std::size_t slots() const { return queues_.size(); }

  // By index: total work of the requests that wait.
  SeatSeconds& waiting_work(int index) { return waiting_work_[static_cast<std::size_t>(index)]; }
  // The queue of the hand with the least work waiting; the hand is visited from its card `first` on.
  std::uint32_t least_work(std::span<const std::uint32_t> hand, std::size_t first) const;

  // The one whose oldest request has the smallest virtual finish: see QueueTree.
  int pick(int after) const { return tree_.pick(after); }
  // Its oldest request or its virtual start is another one.
  void update(const Queue& queue, const RequestTable& requests) {
    tree_.set(queue.index, queue.oldest == RequestTable::kNone
                               ? QueueTree::kAbsent
                               : queue.next_dispatch_r + requests[queue.oldest].total_work);
  }

 private:
  void rebuild_tree(const RequestTable& requests);

  int count_;
  ZeroedArray<Queue> queues_;  // by slot
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint32_t> slots_;       // by index; empty: the same
  ZeroedArray<SeatSeconds> waiting_work_;  // by index
  QueueTree tree_;                         // by index
};

}  // namespace apf
