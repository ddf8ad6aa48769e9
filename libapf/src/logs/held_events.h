// Events that wait for their turn stay where the thread that read them has put them, in the memory of their batch: a
// batch that is used up leaves it here, and gets another one's, of whose events none is needed any more.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/large_pages.h"
#include "logs/event_list.h"
#include "logs/joined.h"

namespace apf {

template <class Event>
class HeldEvents {
 public:
  using Events = EventList<Event>;

  // For the events of a batch. Each is dropped once, after it was given its page.
  std::uint32_t open(std::size_t events) {
    if (free_pages_.empty()) {
      pages_.emplace_back();
      free_pages_.push_back(static_cast<std::uint32_t>(pages_.size()));
    }
    const std::uint32_t number = free_pages_.back();
    free_pages_.pop_back();
    page(number).needed = events + 1;  // the batch itself counts for one
    return number;
  }
  // The batch is used up.
  void close(std::uint32_t number, Events& events) {
    std::swap(page(number).events, events);
    events.clear();
    drop_one(number);
  }

  // An event that is in no batch.
  Joined<Event>& copy(const Event& event) {
    if (free_.empty()) add_loose();
    Joined<Event>& place = *free_.back();  // what was used last is still near
    free_.pop_back();
    place.event = event;
    place.page = kLoose;
    return place;
  }

  void drop(Joined<Event>& joined) {
    if (joined.page == kLoose) free_.push_back(&joined);
    else drop_one(joined.page);
  }

 private:
  static constexpr std::uint32_t kLoose = 0;
  static constexpr std::size_t kLooseAtOnce = 8192;
  struct Page {
    Events events;
    std::size_t needed = 0;
  };

  Page& page(std::uint32_t number) { return pages_[number - 1]; }
  void drop_one(std::uint32_t number) {
    if (--page(number).needed == 0) free_pages_.push_back(number);
  }

  void add_loose() {
    auto& more = loose_.emplace_back(kLooseAtOnce);
    for (std::size_t i = kLooseAtOnce; i > 0; --i) free_.push_back(&more[i - 1]);
  }

  std::vector<Page> pages_;
  std::vector<std::uint32_t> free_pages_;
  std::vector<std::vector<Joined<Event>, LargePages<Joined<Event>>>> loose_;
  std::vector<Joined<Event>*> free_;
};

}  // namespace apf
