#include "replay/pass_beside.h"

#include <utility>

namespace apf {

namespace {

constexpr std::size_t kMostAhead = 64;  // blocks

}  // namespace

void PassBeside::start(std::unique_ptr<SecondPass> pass) {
  const Lock lock(mutex_);
  pass_ = std::move(pass);
  ready_ = can_work();
}

std::vector<PassBeside::Block> PassBeside::left() {
  std::vector<Block> left(blocks_.begin(), blocks_.end());
  blocks_.clear();
  return left;
}

std::vector<PassBeside::Block> PassBeside::take(const Block& block) {
  Lock lock(mutex_);
  taken_ += block->size();
  if (pass_) work_off(kMostAhead - 1, lock);
  blocks_.push_back(block);
  if (stopped_) return left();
  ready_ = can_work();
  changed_.notify_all();
  return {};
}

void PassBeside::pause() {
  Lock lock(mutex_);
  paused_ = true;
  ready_ = false;
  wait_until_idle(lock);
}

void PassBeside::resume() {
  const Lock lock(mutex_);
  paused_ = false;
  ready_ = can_work();
  changed_.notify_all();
}

void PassBeside::wait_until_idle(Lock& lock) {
  changed_.wait(lock, [&] { return !busy_; });
}

std::size_t PassBeside::take_block(const EventBlock& block) {
  // An event is made ready well before the pass copies it: what has just been written is slow to read.
  KeptLog::Item items[2];
  if (block.size() > 0) block.get(0, items[0], nullptr);
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (i + 1 < block.size()) block.get(i + 1, items[(i + 1) % 2], nullptr);
    KeptLog::Item& item = items[i % 2];
    if (!KeptLog::is_complete(item.joined)) return i;
    pass_->take(item);
  }
  return block.size();
}

void PassBeside::work(Lock& lock) {
  const Block block = std::move(blocks_.front());
  blocks_.pop_front();
  busy_ = true;
  ready_ = false;
  lock.unlock();
  std::size_t taken = 0;
  std::exception_ptr error;
  try {
    taken = take_block(*block);
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  busy_ = false;
  next_ += taken;
  if (taken < block->size()) {
    stopped_ = true;
    error_ = error;
    blocks_.push_front(block);
  }
  ready_ = can_work();
  changed_.notify_all();
}

void PassBeside::do_some() {
  Lock lock(mutex_);
  if (can_work()) work(lock);
}

void PassBeside::do_rest() {
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return released_ || can_work(); });
    if (released_) return;
    work(lock);
  }
}

void PassBeside::release() {
  const Lock lock(mutex_);
  released_ = true;
  changed_.notify_all();
}

void PassBeside::work_off(std::size_t most, Lock& lock) {
  while (!stopped_ && blocks_.size() > most) {
    if (busy_) wait_until_idle(lock);
    else work(lock);
  }
}

PassBeside::Result PassBeside::finish() {
  Lock lock(mutex_);
  if (pass_) work_off(0, lock);
  wait_until_idle(lock);
  stopped_ = true;
  ready_ = false;
  if (error_) std::rethrow_exception(error_);
  return {std::move(pass_), next_, left()};
}

void PassBeside::stop() {
  Lock lock(mutex_);
  stopped_ = true;
  ready_ = false;
  wait_until_idle(lock);
  pass_.reset();
  blocks_.clear();
}

}  // namespace apf
