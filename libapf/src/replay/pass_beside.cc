#include "replay/pass_beside.h"

#include <system_error>
#include <utility>

namespace apf {

namespace {

constexpr std::size_t kMostAhead = 64;  // blocks

}  // namespace

// Nobody wants its result any more.
PassBeside::~PassBeside() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    blocks_.clear();
  }
  end();
}

void PassBeside::start(std::unique_ptr<SecondPass> pass) {
  pass_ = std::move(pass);
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {  // there are no more threads: it goes on from the first event afterwards
    stopped_ = true;
  }
}

std::vector<PassBeside::Block> PassBeside::left() {
  std::vector<Block> left(blocks_.begin(), blocks_.end());
  blocks_.clear();
  return left;
}

std::vector<PassBeside::Block> PassBeside::take(const Block& block) {
  std::unique_lock lock(mutex_);
  taken_ += block->size();
  if (thread_.joinable()) changed_.wait(lock, [&] { return stopped_ || blocks_.size() < kMostAhead; });
  blocks_.push_back(block);
  if (stopped_) return left();
  lock.unlock();
  changed_.notify_all();
  return {};
}

void PassBeside::pause() {
  std::unique_lock lock(mutex_);
  paused_ = true;
  changed_.wait(lock, [&] { return !busy_; });
}

void PassBeside::resume() {
  {
    const std::lock_guard lock(mutex_);
    paused_ = false;
  }
  changed_.notify_all();
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

void PassBeside::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !paused_ && (ended_ || !blocks_.empty()); });
    if (blocks_.empty()) return;
    const Block block = std::move(blocks_.front());
    blocks_.pop_front();
    busy_ = true;
    lock.unlock();
    std::size_t taken = 0;
    try {
      taken = take_block(*block);
    } catch (...) {
      error_ = std::current_exception();
    }
    lock.lock();
    busy_ = false;
    next_ += taken;
    stopped_ = stopped_ || taken < block->size();
    if (taken < block->size()) blocks_.push_front(block);
    changed_.notify_all();
    if (taken < block->size()) return;
  }
}

void PassBeside::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    paused_ = false;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

PassBeside::Result PassBeside::finish() {
  end();
  if (error_) std::rethrow_exception(error_);
  return {std::move(pass_), next_, left()};
}

}  // namespace apf
