// A second pass that goes on while the first one still reads the log, on the threads that read it. It takes blocks of
// the log as soon as the first pass has settled them, and stops at the first request that it cannot know the execution
// of before the whole log is read; whoever owns it goes on from there. The result is the same as of a pass that begins
// afterwards.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "base/parallel.h"
#include "replay/event_block.h"
#include "replay/second_pass.h"

namespace apf {

// One thread owns it and calls all but what SideWork says.
class PassBeside : public SideWork {
 public:
  // It begins when take() has got `least` events; not at all if there are fewer.
  explicit PassBeside(std::uint64_t least) : least_(least) {}

  // Enough events are there, and it has not begun.
  bool wants_pass() const { return !pass_ && taken_ >= least_; }
  void start(std::unique_ptr<SecondPass> pass);
  // The next block. Works off blocks itself while too many are ahead. Returns blocks that the pass has not taken, or
  // not as a whole, and will not take: all from then on.
  using Block = std::shared_ptr<const EventBlock>;
  std::vector<Block> take(const Block& block);

  // Until resume() the pass takes no event: what it looks at may change.
  void pause();
  void resume();

  // Nothing more comes. The pass, null if it has not begun, and the place of the first event that it has not taken; as
  // take(), blocks from there on. Rethrows what it threw.
  struct Result {
    std::unique_ptr<SecondPass> pass;
    std::uint64_t next = 0;
    std::vector<Block> left;
  };
  Result finish();
  // Nobody wants its result any more: the pass is gone.
  void stop();

  bool is_ready() const override { return ready_.load(std::memory_order_relaxed); }
  void do_some() override;
  void do_rest() override;
  void release() override;

 private:
  using Lock = std::unique_lock<std::mutex>;

  bool can_work() const { return pass_ && !busy_ && !paused_ && !stopped_ && !blocks_.empty(); }
  // Takes the first block.
  void work(Lock& lock);
  // Blocks are taken until no more than `most` are left, unless it stops.
  void work_off(std::size_t most, Lock& lock);
  void wait_until_idle(Lock& lock);
  // How many of its events: not all, if the pass can go no further.
  std::size_t take_block(const EventBlock& block);
  std::vector<Block> left();

  const std::uint64_t least_;
  std::uint64_t taken_ = 0;
  std::unique_ptr<SecondPass> pass_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> ready_ = false;  // can_work(), for those who do not hold the lock
  std::deque<Block> blocks_;         // yet to be taken
  bool busy_ = false, paused_ = false, stopped_ = false, released_ = false;
  std::uint64_t next_ = 0;
  std::exception_ptr error_;
};

// Threads that read may hold it for longer.
struct OwnedPassBeside {
  ~OwnedPassBeside() {
    if (pass) pass->stop();
  }
  std::shared_ptr<PassBeside> pass;
};

}  // namespace apf
