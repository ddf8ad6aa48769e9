// The events of a log in the order in which a replay takes them, kept for another replay: with their ids and with what
// the stages inside the handler look at. Memory does not grow with the log: see TemporaryFile.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/pool.h"
#include "base/temporary_file.h"
#include "replay/store/event_block.h"

namespace apf {

class EventSpool {
 public:
  // `attributes`: those of events that append() takes.
  explicit EventSpool(const Pool<AdmissionAttributes>& attributes) : attributes_(attributes) {}

  // The next event.
  void append(Nanos now, const JoinedEvent& joined, std::string_view id_text);
  // A block of those that follow, full unless it is the last one.
  void append(const EventBlock& block) {
    pass_over(block);
    keep(block);
  }
  // Reserves the block's place; it can be read only after keep().
  void pass_over(const EventBlock& block) {
    blocks_.push_back(kNowhere);
    size_ += block.size();
  }
  void keep(const EventBlock& block);
  std::uint64_t size() const { return size_ + (filling_ ? filling_->size() : 0); }

  // Each reader is of one thread; nothing is added meanwhile.
  class Reader {
   public:
    // `attributes`: those of the events that it returns; null: they are left out.
    Reader(const EventSpool& spool, Pool<AdmissionAttributes>* attributes) : spool_(spool), attributes_(attributes) {}
    // The next one in their order, from the first on; false: there are no more.
    bool next(SpooledEvent& item);
    void rewind(std::uint64_t to) { at_ = to; }
    // The one at a place, apart from the order.
    void at(std::uint64_t place, SpooledEvent& item);
    // The same without its text and its attributes.
    JoinedEvent event_at(std::uint64_t place);

   private:
    static constexpr std::size_t kHeld = 16;
    const EventBlock& block_apart(std::uint64_t place);

    const EventSpool& spool_;
    Pool<AdmissionAttributes>* const attributes_;
    std::uint64_t at_ = 0;
    std::unique_ptr<EventBlock> block_;                     // null: none was read
    std::array<std::unique_ptr<EventBlock>, kHeld> apart_;  // those asked for last, by number
  };

  // Watches that began before the log, and their ends.
  void add_standing_watch(WatchKey key, Nanos end) { standing_watches_.emplace_back(key, end); }
  const std::vector<std::pair<WatchKey, Nanos>>& standing_watches() const { return standing_watches_; }

 private:
  static constexpr std::uint64_t kNowhere = UINT64_MAX;
  const EventBlock& block_of(std::uint64_t place, std::unique_ptr<EventBlock>& held) const;

  const Pool<AdmissionAttributes>& attributes_;
  TemporaryFile file_;
  std::vector<std::uint64_t> blocks_;    // where they begin in the file, or kNowhere
  std::unique_ptr<EventBlock> filling_;  // the block after these
  std::uint64_t size_ = 0;
  std::vector<std::pair<WatchKey, Nanos>> standing_watches_;
};

}  // namespace apf
