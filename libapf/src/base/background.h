// Work in a thread of its own, which ends early when nobody waits for its result any more: what takes long looks
// whether that is so, by end_if_unwanted().
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <utility>

namespace apf {

struct Unwanted {};  // thrown by end_if_unwanted()

// Of the thread: its work's; null: it does no work of a Background.
inline thread_local const std::atomic<bool>* is_unwanted = nullptr;

inline void end_if_unwanted() {
  if (is_unwanted && is_unwanted->load(std::memory_order_relaxed)) throw Unwanted();
}

template <class Result>
class Background {
 public:
  ~Background() { unwanted_ = true; }  // then that of `result_` waits for the thread

  bool is_running() const { return result_.valid(); }
  // Not while something is running.
  template <class Work>
  void start(Work work) {
    // Where the system has no thread to give, take() does the work.
    result_ = std::async(std::launch::async | std::launch::deferred, [this, work = std::move(work)]() mutable {
      is_unwanted = &unwanted_;
      const struct Ended {
        ~Ended() { is_unwanted = nullptr; }
      } ended;
      return work();
    });
  }
  // Nothing: it is not done yet, or nothing was started. Throws what the work threw.
  std::optional<Result> take() {
    if (!result_.valid() || result_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout)
      return std::nullopt;
    return result_.get();
  }

 private:
  std::atomic<bool> unwanted_ = false;
  std::future<Result> result_;
};

}  // namespace apf
