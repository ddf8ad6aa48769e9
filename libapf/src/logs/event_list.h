// Events of a batch, in pages of a size: who hands on the events of many batches one by one keeps the pages meanwhile.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "base/large_pages.h"
#include "logs/joined.h"

namespace apf {

// Where the threads that read have the pages from. They are used again and again, and returned at the end.
template <class Event>
class EventMemory {
 public:
  static constexpr std::size_t kPage = 128;  // events
  // On as few lines of the processor's cache as can be.
  struct alignas(64) Place {
    Joined<Event> joined;
  };

  Place* add_page() {
    const std::lock_guard lock(mutex_);
    if (chunks_.empty() || used_ == kChunk) {
      chunks_.emplace_back(kChunk * kPage);
      used_ = 0;
    }
    return chunks_.back().data() + kPage * used_++;
  }

 private:
  static constexpr std::size_t kChunk = kLargePage / (kPage * sizeof(Place));  // pages

  std::mutex mutex_;
  std::vector<std::vector<Place, LargePages<Place>>> chunks_;
  std::size_t used_ = 0;  // of the last one
};

template <class Event>
class EventList {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  Joined<Event>& operator[](std::size_t i) { return pages_[i / kPage][i % kPage].joined; }
  const Joined<Event>& operator[](std::size_t i) const { return pages_[i / kPage][i % kPage].joined; }

  void clear() { size_ = 0; }
  // What events hold views into, if their maker has put it there: it goes with them.
  std::vector<char>& texts() { return texts_; }
  Joined<Event>& add(EventMemory<Event>& memory) {
    if (size_ == pages_.size() * kPage) pages_.push_back(memory.add_page());
    Joined<Event>& place = (*this)[size_++];
    place = Joined<Event>();
    return place;
  }

 private:
  static constexpr std::size_t kPage = EventMemory<Event>::kPage;

  std::vector<typename EventMemory<Event>::Place*> pages_;
  std::size_t size_ = 0;
  std::vector<char> texts_;
};

}  // namespace apf
