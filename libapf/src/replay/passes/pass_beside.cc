#include "replay/passes/pass_beside.h"

#include <utility>

namespace apf {

namespace {

constexpr std::size_t kMostAhead = 64;  // blocks

}  // namespace

PassBeside::PassBeside(std::uint64_t least) : SideQueue(kMostAhead), least_(least) {}

void PassBeside::start(std::unique_ptr<SecondPass> pass) {
  pass_ = std::move(pass);
  start_work([this](const Block& block) {
    const std::size_t taken = take_block(*block);
    next_ += taken;
    return taken == block->size();
  });
}

std::vector<PassBeside::Block> PassBeside::take(const Block& block) {
  taken_ += block->size();
  return add(block);
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

PassBeside::Result PassBeside::finish() {
  std::vector<Block> left = finish_work();
  return {std::move(pass_), next_, std::move(left)};
}

}  // namespace apf
