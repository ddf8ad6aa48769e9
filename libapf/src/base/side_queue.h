// Blocks of work that one thread hands over, and that are worked off one at a time, in the same order, by whichever
// thread has time for it: see SideWork.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/parallel.h"

namespace apf {

// One thread owns it and calls all but what SideWork says.
template <class Block>
class SideQueue : public SideWork {
 public:
  // False: it can go no further, this block and those after it are left.
  using Work = std::function<bool(Block&)>;

  // Where more than `most` blocks wait, the owner works, too.
  explicit SideQueue(std::size_t most) : most_(most) {}

  // Until resume() nobody works: what the work looks at may change.
  void pause() {
    Lock lock(mutex_);
    paused_ = true;
    ready_ = false;
    wait_until_idle(lock);
  }
  void resume() {
    const Lock lock(mutex_);
    paused_ = false;
    ready_ = can_work();
    changed_.notify_all();
  }
  // Nobody works any more, and nothing is left.
  void stop() {
    Lock lock(mutex_);
    stopped_ = true;
    ready_ = false;
    wait_until_idle(lock);
    blocks_.clear();
  }

  bool is_ready() const override { return ready_.load(std::memory_order_relaxed); }
  void do_some() override {
    Lock lock(mutex_);
    if (can_work()) work(lock);
  }
  void do_rest() override {
    Lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return released_ || can_work(); });
      if (released_) return;
      work(lock);
    }
  }
  void release() override {
    const Lock lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }

 protected:
  // Work begins. What was added before waits for it.
  void start_work(Work work) {
    const Lock lock(mutex_);
    work_ = std::move(work);
    ready_ = can_work();
  }
  // Returns what is left where the work can go no further.
  std::vector<Block> add(Block block) {
    Lock lock(mutex_);
    if (work_) work_off(most_ - 1, lock);
    blocks_.push_back(std::move(block));
    if (stopped_) return left();
    ready_ = can_work();
    changed_.notify_all();
    return {};
  }
  // All is worked off, as far as it goes. Returns what is left; rethrows what the work threw.
  std::vector<Block> finish_work() {
    Lock lock(mutex_);
    if (work_) work_off(0, lock);
    wait_until_idle(lock);
    stopped_ = true;
    ready_ = false;
    if (error_) std::rethrow_exception(error_);
    return left();
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  bool can_work() const { return work_ && !busy_ && !paused_ && !stopped_ && !blocks_.empty(); }
  void wait_until_idle(Lock& lock) {
    changed_.wait(lock, [&] { return !busy_; });
  }
  // Blocks are worked off until no more than `most` are left.
  void work_off(std::size_t most, Lock& lock) {
    while (!stopped_ && blocks_.size() > most) {
      if (busy_) wait_until_idle(lock);
      else work(lock);
    }
  }
  // The first block.
  void work(Lock& lock) {
    Block block = std::move(blocks_.front());
    blocks_.pop_front();
    busy_ = true;
    ready_ = false;
    lock.unlock();
    bool done = false;
    std::exception_ptr error;
    try {
      done = work_(block);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    busy_ = false;
    if (!done) {
      stopped_ = true;
      error_ = error;
      blocks_.push_front(std::move(block));
    }
    ready_ = can_work();
    changed_.notify_all();
  }
  std::vector<Block> left() {
    std::vector<Block> left(std::make_move_iterator(blocks_.begin()), std::make_move_iterator(blocks_.end()));
    blocks_.clear();
    return left;
  }

  const std::size_t most_;
  Work work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> ready_ = false;  // can_work(), for those who do not hold the lock
  std::deque<Block> blocks_;         // yet to be worked off
  bool busy_ = false, paused_ = false, stopped_ = false, released_ = false;
  std::exception_ptr error_;
};

// Threads that read may hold it for longer than who owns it.
template <class Queue>
struct OwnedSideQueue {
  ~OwnedSideQueue() {
    if (queue) queue->stop();
  }
  explicit operator bool() const { return queue != nullptr; }
  Queue* operator->() const { return queue.get(); }
  std::shared_ptr<Queue> queue;
};

}  // namespace apf
