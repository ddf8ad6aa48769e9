// An engine that runs on one of the threads that read the log, while the thread that owns it puts the next events in
// order: see SideQueue. The result is the same as of an engine that takes each event at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/side_queue.h"
#include "replay/prepare/prepared.h"

namespace apf {

// Some events in the order in which an engine takes them.
struct TakenEvents {
  static constexpr std::size_t kEvents = 256;  // at most: they fit a processor's cache
  static constexpr std::size_t kAhead = 4;     // events that are on their way from the memory of another processor

  struct Item {
    Nanos now = 0;
    JoinedEvent* joined = nullptr;
  };
  std::vector<Item> items;
  std::vector<std::pair<std::size_t, std::string>> texts;  // by number of the item: ids that are no UUIDs
};

class EngineBeside final : public SideQueue<std::unique_ptr<TakenEvents>> {
 public:
  using Taker = std::function<void(Nanos now, JoinedEvent& joined, std::string&& id_text)>;
  // `taker`: calls the engine.
  explicit EngineBeside(Taker taker);

  // The event stays where it is until done() counts it.
  void take(Nanos now, JoinedEvent& joined, std::string&& id_text) {
    now_ = now;
    if (!id_text.empty()) filling_->texts.emplace_back(filling_->items.size(), std::move(id_text));
    filling_->items.push_back({now, &joined});
    if (filling_->items.size() == TakenEvents::kEvents) hand_over();
  }
  // Of the last event.
  Nanos now() const { return now_; }
  // How many events the engine has taken.
  std::uint64_t done() const { return done_.load(std::memory_order_acquire); }
  // The engine has taken all. Rethrows what it threw.
  void finish();

 private:
  void hand_over();
  void run(TakenEvents& events);

  const Taker taker_;
  Nanos now_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
  std::unique_ptr<TakenEvents> filling_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<TakenEvents>> used_;  // to be filled again
};

}  // namespace apf
