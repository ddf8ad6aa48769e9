// Work in a thread of its own, which ends early when nobody waits for its result any more: what takes long looks
// whether that is so, by end_if_unwanted(). Where there is no thread to have, take() does the work.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/parallel.h"

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
  ~Background() { unwanted_ = true; }  // then that of `thread_` waits for the thread

  bool is_running() const { return work_ != nullptr; }
  // Not while something is running.
  template <class Work>
  void start(Work work) {
    done_ = false;
    work_ = [work = std::make_shared<Work>(std::move(work))] { return (*work)(); };
    thread_.start(1, [this](int) { return [this] { run(); }; });
  }
  // Nothing: it is not done yet, or nothing was started. Throws what the work threw.
  std::optional<Result> take() {
    if (!work_) return std::nullopt;
    if (thread_.size() == 0) run();
    if (!done_) return std::nullopt;
    thread_.join();
    work_ = nullptr;
    if (const std::exception_ptr error = std::exchange(error_, nullptr)) std::rethrow_exception(error);
    return std::exchange(result_, std::nullopt);
  }

 private:
  void run() {
    is_unwanted = &unwanted_;
    try {
      result_ = work_();
    } catch (...) {
      error_ = std::current_exception();
    }
    is_unwanted = nullptr;
    done_ = true;
  }

  std::atomic<bool> unwanted_ = false, done_ = false;
  std::function<Result()> work_;  // null: nothing is running
  std::optional<Result> result_;
  std::exception_ptr error_;
  ThreadGroup thread_;
};

}  // namespace apf
