// Work on numbered items in parallel, results in order: workers make the batches, one consumer takes them in
// sequence and makes one itself whenever the next is not ready. The results do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace apf {

// 0: as many as there are processors.
inline int thread_count(int threads) {
  const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::clamp(threads > 0 ? threads : processors, 1, 64);
}

// `Maker` belongs to one thread: bool take(Batch&) is called under a lock, in order, and says whether there was
// an item; void make(Batch&) runs in parallel.
template <class Batch, class Maker>
class OrderedWork {
 public:
  // The calling thread works too: `makers.size() - 1` threads are started.
  OrderedWork(std::vector<std::unique_ptr<Maker>> makers, std::size_t ahead)
      : makers_(std::move(makers)), ring_(ahead) {
    for (std::size_t i = 1; i < makers_.size(); ++i) threads_.emplace_back([this, i] { work(*makers_[i]); });
  }
  ~OrderedWork() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
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
      if (can_take()) make_one(*makers_[0], lock);
      else changed_.wait(lock);
    }
  }

 private:
  struct Slot {
    Batch batch;
    std::exception_ptr error;
    bool ready = false;
  };

  bool can_take() const { return !exhausted_ && !taking_ && taken_ - consumed_ < ring_.size(); }

  // Takes an item and makes it; `lock` is held at entry and exit.
  void make_one(Maker& maker, std::unique_lock<std::mutex>& lock) {
    taking_ = true;
    Slot& slot = ring_[taken_ % ring_.size()];
    lock.unlock();
    bool got = false;
    std::exception_ptr error;
    try {
      got = maker.take(slot.batch);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    taking_ = false;
    if (!got) exhausted_ = true;
    if (got || error) ++taken_;
    changed_.notify_all();
    if (got) {
      lock.unlock();
      try {
        maker.make(slot.batch);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
    }
    if (got || error) {
      slot.error = error;
      slot.ready = true;
      changed_.notify_all();
    }
  }

  void work(Maker& maker) {
    std::unique_lock lock(mutex_);
    while (!stop_ && !exhausted_) {
      if (can_take()) make_one(maker, lock);
      else changed_.wait(lock);
    }
  }

  std::vector<std::unique_ptr<Maker>> makers_;
  std::vector<Slot> ring_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t taken_ = 0, handed_ = 0, consumed_ = 0;
  bool taking_ = false, exhausted_ = false, stop_ = false;
};

}  // namespace apf
