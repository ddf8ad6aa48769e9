#include "replay/engine/engine_beside.h"

#include "base/prefetch.h"

namespace apf {

namespace {

constexpr std::size_t kBlocksAhead = 16;

}  // namespace

EngineBeside::EngineBeside(Taker taker) : SideQueue(kBlocksAhead), taker_(std::move(taker)) {
  filling_ = std::make_unique<TakenEvents>();
  filling_->items.reserve(TakenEvents::kEvents);
  start_work([this](std::unique_ptr<TakenEvents>& events) {
    run(*events);
    const std::lock_guard lock(mutex_);
    used_.push_back(std::move(events));
    return true;
  });
}

void EngineBeside::run(TakenEvents& events) {
  auto text = events.texts.begin();
  for (std::size_t i = 0; i < events.items.size(); ++i) {
    if (i + TakenEvents::kAhead < events.items.size()) prefetch(*events.items[i + TakenEvents::kAhead].joined);
    std::string id_text;
    if (text != events.texts.end() && text->first == i) id_text = std::move((text++)->second);
    TakenEvents::Item& item = events.items[i];
    taker_(item.now, *item.joined, std::move(id_text));
  }
  done_.fetch_add(events.items.size(), std::memory_order_release);
  events.items.clear();
  events.texts.clear();
}

void EngineBeside::hand_over() {
  if (!add(std::move(filling_)).empty()) finish_work();  // it has thrown
  {
    const std::lock_guard lock(mutex_);
    if (!used_.empty()) {
      filling_ = std::move(used_.back());
      used_.pop_back();
    }
  }
  if (filling_) return;
  filling_ = std::make_unique<TakenEvents>();
  filling_->items.reserve(TakenEvents::kEvents);
}

void EngineBeside::finish() {
  add(std::move(filling_));
  finish_work();
}

}  // namespace apf
