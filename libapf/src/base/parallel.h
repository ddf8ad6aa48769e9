// Work on numbered items in parallel, results in order: workers make the batches, one consumer takes them in
// sequence and makes one itself whenever the next is not ready. The results do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "base/process_limits.h"

namespace apf {

// 0: as many as there are processors.
inline int thread_count(int threads) {
  static const int all = processors();
  return std::clamp(threads > 0 ? threads : all, 1, 64);
}

// Threads that do the same work and are joined at the end. Where the system has no more to give there are fewer:
// whoever makes them works, too.
class ThreadGroup {
 public:
  ThreadGroup() = default;
  template <class Work>
  ThreadGroup(int count, Work work) {
    start(count, [&](int) { return work; });
  }
  ~ThreadGroup() { join(); }
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  // make_work(i): what thread i does.
  template <class MakeWork>
  void start(int count, MakeWork make_work) {
    try {
      threads_.reserve(static_cast<std::size_t>(std::max(count, 0)));
      for (int i = 0; i < count; ++i) threads_.emplace_back(make_work(i));
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
  }
  int size() const { return static_cast<int>(threads_.size()); }
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::vector<std::thread> threads_;
};

// Does task(0) … task(count - 1) on so many threads (0: one a processor), the calling one included. The first error in
// order of the tasks is rethrown.
template <class Task>
void run_tasks(std::size_t count, int threads, const Task& task) {
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> errors(count);
  const auto work = [&] {
    for (std::size_t i; (i = next.fetch_add(1)) < count;) {
      try {
        task(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  {
    ThreadGroup others(std::min(thread_count(threads), static_cast<int>(std::min<std::size_t>(count, 64))) - 1, work);
    work();
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

// What threads do beside their own work, whenever there is any: one of them at a time.
class SideWork {
 public:
  virtual ~SideWork() = default;
  // There is some that nobody does. It may be gone at once.
  virtual bool is_ready() const = 0;
  // Does some, unless there is none, or another thread does it.
  virtual void do_some() = 0;
  // For a thread that has no other work: does what comes, until release().
  virtual void do_rest() = 0;
  virtual void release() = 0;
};
using SideWorks = std::vector<std::shared_ptr<SideWork>>;

// `Maker` belongs to one thread: bool take(Batch&) is called under a lock, in order, and says whether there was
// an item; void make(Batch&) runs in parallel.
template <class Batch, class Maker>
class OrderedWork {
 public:
  // The calling thread works too: `makers.size() - 1` threads are started. `ahead`: batches that there are at most, the
  // one that was handed out included. Of `sides` the first one, if any, comes first for the first thread that is
  // started, the second one for the second, and all for the calling thread before it waits: what each works on stays
  // close to one processor.
  OrderedWork(std::vector<std::unique_ptr<Maker>> makers, std::size_t ahead, SideWorks sides = {})
      : makers_(std::move(makers)), ring_(ahead), sides_(std::move(sides)) {
    threads_.start(static_cast<int>(makers_.size()) - 1, [this](int i) {
      const auto number = static_cast<std::size_t>(i);
      return [this, maker = makers_[number + 1].get(), side = number < sides_.size() ? sides_[number].get() : nullptr] {
        work(*maker, side);
      };
    });
  }
  ~OrderedWork() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (const auto& side : sides_) side->release();
    threads_.join();
  }
  // Those that work, the calling one included.
  int threads() const { return threads_.size() + 1; }
  OrderedWork(const OrderedWork&) = delete;
  OrderedWork& operator=(const OrderedWork&) = delete;

  // The next batch in order, valid until the next call; null at the end. Rethrows what a maker threw, in order.
  Batch* next() {
    std::unique_lock lock(mutex_);
    if (consumed_ != handed_) {  // give back the batch handed out last
      ++consumed_;
      changed_.notify_all();
    }
    for (;;) {
      Slot& slot = ring_[handed_ % ring_.size()];
      if (handed_ < taken_ && slot.ready) {
        if (slot.error) std::rethrow_exception(slot.error);
        slot.ready = false;
        ++handed_;
        return &slot.batch;
      }
      if (handed_ == taken_ && exhausted_) return nullptr;
      if (!do_some(*makers_[0], 1, lock) && !do_any_side_work(lock)) changed_.wait(lock);
    }
  }

 private:
  struct Slot {
    Batch batch;
    std::exception_ptr error;
    bool ready = false;
  };

  bool can_take() const { return !exhausted_ && !taking_ && taken_ - consumed_ < ring_.size(); }

  // Takes an item where fewer than `stock` wait to be made, or makes one. Only one thread takes: whoever comes
  // meanwhile finds one to make. False: there is nothing to do. `lock` is held at entry and exit.
  bool do_some(Maker& maker, std::uint64_t stock, std::unique_lock<std::mutex>& lock) {
    if (can_take() && taken_ - begun_ < stock) take_one(maker, lock);
    else if (begun_ < taken_) make_one(maker, lock);
    else return false;
    return true;
  }

  bool do_some(SideWork* side, std::unique_lock<std::mutex>& lock) {
    if (!side || !side->is_ready()) return false;
    lock.unlock();
    side->do_some();
    lock.lock();
    return true;
  }

  bool do_any_side_work(std::unique_lock<std::mutex>& lock) {
    return std::any_of(sides_.begin(), sides_.end(), [&](const auto& side) { return do_some(side.get(), lock); });
  }

  void take_one(Maker& maker, std::unique_lock<std::mutex>& lock) {
    taking_ = true;
    Slot& slot = ring_[taken_ % ring_.size()];
    lock.unlock();
    bool got = false;
    slot.error = nullptr;
    try {
      got = maker.take(slot.batch);
    } catch (...) {
      slot.error = std::current_exception();
    }
    lock.lock();
    taking_ = false;
    if (!got) exhausted_ = true;
    if (got || slot.error) ++taken_;
    changed_.notify_all();
  }

  void make_one(Maker& maker, std::unique_lock<std::mutex>& lock) {
    Slot& slot = ring_[begun_++ % ring_.size()];
    if (!slot.error) {
      lock.unlock();
      try {
        maker.make(slot.batch);
      } catch (...) {
        slot.error = std::current_exception();
      }
      lock.lock();
    }
    slot.ready = true;
    changed_.notify_all();
  }

  // Side work may come after the last batch, too.
  void work(Maker& maker, SideWork* side) {
    std::unique_lock lock(mutex_);
    while (!stop_ && !(exhausted_ && begun_ == taken_))
      if (!do_some(side, lock) && !do_some(maker, 2, lock)) changed_.wait(lock);
    lock.unlock();
    if (side) side->do_rest();
  }

  std::vector<std::unique_ptr<Maker>> makers_;
  std::vector<Slot> ring_;
  const SideWorks sides_;
  ThreadGroup threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t taken_ = 0, begun_ = 0, handed_ = 0, consumed_ = 0;  // begun: to be made
  bool taking_ = false, exhausted_ = false, stop_ = false;
};

}  // namespace apf
