#include "replay/store/kept_log.h"

#include <algorithm>

#include "base/scatter.h"

namespace apf {

void KeptLog::append(const EventBlock& block, std::span<const RequestLinks> links, bool kept) {
  if (kept) spool_.append(block);
  else spool_.pass_over(block);
  links_.append(links.data(), links.size_bytes());
}

RequestLinks KeptLog::links(std::uint64_t place) const {
  RequestLinks links;
  if (has_links_) links_.read_apart(place * sizeof links, &links, sizeof links);
  return links;
}

void KeptLog::set_links(std::uint64_t place, const RequestLinks& links) {
  if (has_links_) links_.overwrite(place * sizeof links, &links, sizeof links);
}

// Watches start, and what never reaches the filter does not run.
bool KeptLog::is_complete(const JoinedEvent& joined) {
  return joined.event.learned || joined.kind != JoinedEvent::Kind::request || joined.event.left_out != LeftOut::no ||
         joined.event.watch;
}

void KeptLog::Reader::begin(Nanos jitter, std::uint64_t seed, std::uint64_t from) {
  events_.rewind(from);
  similar_.emplace(log_.similar_, jitter == 0 ? 0 : seed);
  links_.clear();
  links_at_ = read_ = from;
  given_similar_ = 0;
  jitter_ = jitter;
  seed_ = seed;
}

bool KeptLog::Reader::next(Item& item) {
  if (!events_.next(item)) return false;
  if (log_.has_links_) {
    if (read_ - links_at_ >= links_.size()) {
      links_at_ = read_;
      links_.resize(std::min<std::uint64_t>(EventBlock::kEvents, log_.size() - read_));
      log_.links_.read_apart(read_ * sizeof(RequestLinks), links_.data(), links_.size() * sizeof(RequestLinks));
    }
    item.links = links_[read_ - links_at_];
  }
  ++read_;
  shake(item.joined.event);
  return true;
}

void KeptLog::Reader::shake(PreparedEvent& event) const {
  if (jitter_ == 0 || !event.learned || event.execution == kNoTime) return;
  const std::uint64_t by = scattered(seed_, event.place);
  const auto width = static_cast<std::uint64_t>(2 * jitter_ + 1);
  event.execution = std::max<Nanos>(0, event.execution + static_cast<Nanos>(by % width) - jitter_);
}

KeptLog::Item KeptLog::Reader::at(std::uint64_t place) {
  Item item;
  events_.at(place, item);
  item.links = log_.links(place);
  shake(item.joined.event);
  return item;
}

KeptLog::Item KeptLog::Reader::repeated(std::uint64_t place) {
  Item item = at(place);
  attributes_.drop(item.joined.event.attributes);
  item.joined.event.attributes = 0;
  item.joined.event.repeated = true;
  return item;
}

void KeptLog::Reader::complete(JoinedEvent& joined, const JoinedEvent* other) {
  if (is_complete(joined)) return;
  PreparedEvent& event = joined.event;
  event.learned = true;
  if (other && other->event.learned) {
    event.execution = other->event.execution;
    return;
  }
  ++given_similar_;
  event.execution = log_.refused_execution_
                        ? *log_.refused_execution_
                        : similar_->next(event.requester, event.service, event.received, log_.service_floor_);
}

}  // namespace apf
