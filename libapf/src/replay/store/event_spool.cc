#include "replay/store/event_spool.h"

#include <cassert>

namespace apf {

void EventSpool::append(Nanos now, const JoinedEvent& joined, std::string_view id_text) {
  if (!filling_) filling_ = std::make_unique<EventBlock>(size_);
  const std::uint32_t attributes = joined.event.attributes;
  filling_->add(now, joined, id_text, true, attributes != 0 ? &attributes_.at(attributes) : nullptr);
  if (!filling_->full()) return;
  append(*filling_);
  filling_.reset();
}

void EventSpool::keep(const EventBlock& block) {
  blocks_[block.first() / EventBlock::kEvents] = file_.size();
  block.append_to(file_);
}

// `held`: a block that was read before.
const EventBlock& EventSpool::block_of(std::uint64_t place, std::unique_ptr<EventBlock>& held) const {
  if (place >= size_) return *filling_;
  const std::uint64_t number = place / EventBlock::kEvents, first = number * EventBlock::kEvents;
  if (!held || held->first() != first) {
    assert(blocks_[number] != kNowhere);
    if (!held) held = std::make_unique<EventBlock>(first);
    held->read_from(file_, blocks_[number], first);
  }
  return *held;
}

const EventBlock& EventSpool::Reader::block_apart(std::uint64_t place) {
  return spool_.block_of(place, apart_[place / EventBlock::kEvents % kHeld]);
}

bool EventSpool::Reader::next(SpooledEvent& item) {
  if (at_ == spool_.size()) return false;
  spool_.block_of(at_, block_).get(at_ % EventBlock::kEvents, item, attributes_);
  ++at_;
  return true;
}

void EventSpool::Reader::at(std::uint64_t place, SpooledEvent& item) {
  block_apart(place).get(place % EventBlock::kEvents, item, attributes_);
}

JoinedEvent EventSpool::Reader::event_at(std::uint64_t place) {
  JoinedEvent joined;
  block_apart(place).get(place % EventBlock::kEvents, joined);
  return joined;
}

}  // namespace apf
