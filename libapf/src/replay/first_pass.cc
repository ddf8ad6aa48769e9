#include "replay/first_pass.h"

#include <algorithm>

#include "base/scatter.h"

namespace apf {

namespace {

// Of a request that runs, or would: watches start, and what never reaches the filter does not run.
bool is_run(const JoinedEvent& joined) {
  return joined.kind == JoinedEvent::Kind::request && joined.event.left_out == LeftOut::no && !joined.event.watch;
}

}  // namespace

void FirstPass::add(Nanos now, JoinedEvent& joined, std::string_view id_text) {
  if (empty() && pending_.empty()) first_arrival_ = now;
  if (joined.kind == JoinedEvent::Kind::request && joined.event.left_out == LeftOut::no) last_arrival_ = now;
  joined.event.place = spool_.size() + pending_.size();
  Pending& added = pending_.emplace_back();
  added.record = spool_.keep(now, joined, id_text);
  attributes_.drop(joined.event.attributes);  // the first pass does not look at them
  joined.event.attributes = 0;
  if (joined.kind != JoinedEvent::Kind::request || joined.event.left_out != LeftOut::no) {
    added.settled = true;
    write_settled();
  }
}

template <class Change>
void FirstPass::change(std::uint64_t place, Change change) {
  if (place >= spool_.size()) return change(pending_[place - spool_.size()].links);
  Links links = this->links(place);
  change(links);
  links_.overwrite(place * sizeof links, &links, sizeof links);
}

void FirstPass::follow(std::uint64_t before, Nanos think) {
  const std::uint64_t place = spool_.size() + pending_.size() - 1;
  std::uint64_t first = before;
  change(before, [&](Links& links) {
    links.next = place;
    links.think = think;
    if (links.first != kNone) first = links.first;
  });
  pending_.back().links.follows = true;
  pending_.back().links.first = first;
}

void FirstPass::repeat(std::uint64_t refused) {
  const std::uint64_t place = spool_.size() + pending_.size() - 1;
  std::uint64_t first = refused;
  change(refused, [&](Links& links) {
    links.retry = place;
    if (links.first != kNone) first = links.first;
  });
  pending_.back().links.repeats = true;
  pending_.back().links.first = first;
}

FirstPass::Pending* FirstPass::find(const LiveRequest& request) {
  const std::uint64_t place = request.event.place;
  return place < spool_.size() ? nullptr : &pending_[place - spool_.size()];
}

void FirstPass::on_arrive(const LiveRequest& request, int cap) {
  if (Pending* pending = find(request)) pending->cap = cap;
}

void FirstPass::on_dispatch(const LiveRequest& request, Nanos overhead) {
  Pending* pending = find(request);
  if (!pending) return;
  settle(*pending, request.dispatch - request.arrival, overhead);
  write_settled();
}

void FirstPass::on_refuse(const LiveRequest& request) {
  Pending* pending = find(request);
  if (!pending) return;
  settle_refused(*pending);
  write_settled();
}

// A request that the log saw served, and the replay refuses: nothing is known of its wait.
void FirstPass::settle_refused(Pending& pending) { settle(pending, 0, 0); }

void FirstPass::settle(Pending& pending, Nanos wait, Nanos overhead) {
  pending.settled = true;
  PreparedEvent& e = pending.record.joined.event;
  if (!is_run(pending.record.joined)) return;
  if (e.filled) {
    e.learned = true;
    return;
  }
  e.at_cap = e.has_fixed_seats && e.seat_kind == SeatKind::list && e.fixed.initial_seats >= pending.cap;
  if (e.recorded_refusal || pending.record.joined.unfinished) return;  // similar_to() when everything is known
  if (e.execution != kNoTime) {
    e.execution += e.http ? overhead : 0;
  } else if (e.stage_time == kNoTime) {
    return;
  } else {
    const Nanos total = e.stage_time - e.received;
    if (e.queue_wait == kNoTime) ++found_by_replay_;
    const Nanos waited = e.queue_wait != kNoTime ? e.queue_wait : wait;
    e.execution = std::max(std::min(service_floor_, total), total - waited);
  }
  e.learned = true;
  similar_.add(e.requester, e.service_key, e.execution);
}

Nanos FirstPass::similar_to(const PreparedEvent& event) {
  return refused_execution_ ? *refused_execution_ : similar_.next(event.requester, event.service_key, service_floor_);
}

void FirstPass::write_settled() {
  while (!pending_.empty() && pending_.front().settled) {
    spool_.append(pending_.front().record);
    links_.append(&pending_.front().links, sizeof(Links));
    pending_.pop_front();
  }
}

void FirstPass::finish() {
  for (Pending& pending : pending_)
    if (!pending.settled) settle_refused(pending);
  write_settled();
}

bool FirstPass::next(Item& item) {
  if (!spool_.next(item)) return false;
  links_.read(read_++ * sizeof(Links), &item.links, sizeof(Links));
  shake(item.joined.event);
  return true;
}

void FirstPass::shake(PreparedEvent& event) const {
  if (jitter_ == 0 || !event.learned || event.execution == kNoTime) return;
  const std::uint64_t by = scattered(seed_, event.place);
  const auto width = static_cast<std::uint64_t>(2 * jitter_ + 1);
  event.execution = std::max<Nanos>(0, event.execution + static_cast<Nanos>(by % width) - jitter_);
}

FirstPass::Links FirstPass::links(std::uint64_t place) {
  Links links;
  links_.read_apart(place * sizeof links, &links, sizeof links);
  return links;
}

FirstPass::Item FirstPass::at(std::uint64_t place) {
  Item item;
  spool_.at(place, item);
  item.links = links(place);
  shake(item.joined.event);
  return item;
}

FirstPass::Item FirstPass::at_again(std::uint64_t place) {
  Item item = at(place);
  attributes_.drop(item.joined.event.attributes);
  item.joined.event.attributes = 0;
  item.joined.event.repeated = true;
  return item;
}

void FirstPass::complete(JoinedEvent& joined, const JoinedEvent* other) {
  PreparedEvent& event = joined.event;
  if (!is_run(joined) || event.learned) return;
  const bool known = other && other->event.learned;
  event.execution = known ? other->event.execution : similar_to(event);
  event.learned = true;
  given_similar_ += known ? 0 : 1;
}

}  // namespace apf
