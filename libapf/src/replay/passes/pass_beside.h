// A second pass that goes on while the first one still reads the log, on the threads that read it. It takes blocks of
// the log as soon as the first pass has settled them, and stops at the first request that it cannot know the execution
// of before the whole log is read; whoever owns it goes on from there. The result is the same as of a pass that begins
// afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/side_queue.h"
#include "replay/passes/second_pass.h"
#include "replay/store/event_block.h"

namespace apf {

class PassBeside final : public SideQueue<std::shared_ptr<const EventBlock>> {
 public:
  // It begins when take() has got `least` events; not at all if there are fewer.
  explicit PassBeside(std::uint64_t least);

  // Enough events are there, and it has not begun.
  bool wants_pass() const { return !pass_ && taken_ >= least_; }
  void start(std::unique_ptr<SecondPass> pass);
  // The next block. Returns blocks that the pass has not taken, or not as a whole, and will not take: all from then on.
  using Block = std::shared_ptr<const EventBlock>;
  std::vector<Block> take(const Block& block);

  // Nothing more comes. The pass, null if it has not begun, and the place of the first event that it has not taken; as
  // take(), blocks from there on. Rethrows what it threw.
  struct Result {
    std::unique_ptr<SecondPass> pass;
    std::uint64_t next = 0;
    std::vector<Block> left;
  };
  Result finish();
  // Nobody wants its result any more: the pass is gone.
  void stop() {
    SideQueue::stop();
    pass_.reset();
  }

 private:
  // How many of its events: not all, if the pass can go no further.
  std::size_t take_block(const EventBlock& block);

  const std::uint64_t least_;
  std::uint64_t taken_ = 0;
  std::unique_ptr<SecondPass> pass_;
  std::uint64_t next_ = 0;
};

}  // namespace apf
