#include "replay/observers/first_pass.h"

#include <algorithm>
#include <utility>

namespace apf {

void FirstPass::keep(bool ids, bool links) {
  keeps_ids_ = ids;
  log_.has_links_ = links;
}

void FirstPass::add(Nanos now, JoinedEvent& joined, std::string_view id_text) {
  PreparedEvent& event = joined.event;
  const bool comes = joined.kind == JoinedEvent::Kind::request && event.left_out == LeftOut::no;
  if (added_ == 0) log_.first_arrival_ = now;
  if (comes) log_.last_arrival_ = now;
  event.place = added_++;
  if (open_.empty() || open_.back().block->full()) {
    write_settled(false);
    open_.emplace_back().block = std::make_shared<EventBlock>(event.place);
    open_.back().states.reserve(EventBlock::kEvents);
  }
  Open& open = open_.back();
  open.block->add(now, joined, id_text, keeps_ids_,
                  event.attributes != 0 ? &attributes_.at(event.attributes) : nullptr);
  open.states.push_back({0, !comes});
  if (log_.has_links_) open.links.emplace_back();
  open.unsettled += comes ? 1 : 0;
  attributes_.drop(event.attributes);  // the first pass does not look at them
  event.attributes = 0;
}

template <class Change>
void FirstPass::change(std::uint64_t place, Change change) {
  if (Open* open = open_of(place)) return change(open->links[place - open->block->first()]);
  RequestLinks links = log_.links(place);
  change(links);
  log_.links_.overwrite(place * sizeof links, &links, sizeof links);
}

void FirstPass::follow(std::uint64_t before, Nanos think) {
  std::uint64_t first = before;
  change(before, [&](RequestLinks& links) {
    links.next = added_ - 1;
    links.think = think;
    if (links.first != RequestLinks::kNone) first = links.first;
  });
  change(added_ - 1, [&](RequestLinks& links) {
    links.follows = true;
    links.first = first;
  });
}

void FirstPass::repeat(std::uint64_t refused) {
  std::uint64_t first = refused;
  change(refused, [&](RequestLinks& links) {
    links.retry = added_ - 1;
    if (links.first != RequestLinks::kNone) first = links.first;
  });
  change(added_ - 1, [&](RequestLinks& links) {
    links.repeats = true;
    links.first = first;
  });
}

void FirstPass::on_arrive(const LiveRequest& request, int cap) {
  const std::uint64_t place = request.event.place;
  if (Open* open = open_of(place)) open->states[place - open->block->first()].cap = cap;
}

void FirstPass::on_dispatch(const LiveRequest& request, Nanos overhead) {
  settle(request, request.dispatch - request.arrival, overhead);
}

// A request that the log saw served, and the replay refuses: nothing is known of its wait.
void FirstPass::on_refuse(const LiveRequest& request) { settle(request, 0, 0); }

void FirstPass::settle(const LiveRequest& request, Nanos wait, Nanos overhead) {
  if (Open* open = open_of(request.event.place)) settle(*open, request.event, request.unfinished, wait, overhead);
}

void FirstPass::settle(Open& open, const PreparedEvent& e, bool unfinished, Nanos wait, Nanos overhead) {
  const std::size_t number = e.place - open.block->first();
  Open::State& state = open.states[number];
  if (!state.settled) --open.unsettled;
  state.settled = true;
  if (e.watch) return;
  if (e.filled) return open.block->learn(number, e.execution);
  if (e.has_fixed_seats && e.seat_kind == SeatKind::list && e.fixed.initial_seats >= state.cap)
    open.block->mark_at_cap(number);
  if (e.recorded_refusal || unfinished) return;  // KeptLog::complete() when everything is known
  Nanos execution = e.execution;
  if (execution != kNoTime) {
    execution += e.http ? overhead : 0;
  } else if (e.stage_time == kNoTime) {
    return;
  } else {
    const Nanos total = e.stage_time - e.received;
    if (e.queue_wait == kNoTime) ++found_by_replay_;
    const Nanos waited = e.queue_wait != kNoTime ? e.queue_wait : wait;
    execution = std::max(std::min(log_.service_floor_, total), total - waited);
  }
  open.block->learn(number, execution);
  log_.similar_.add(e.requester, e.service, execution, e.received);
}

void FirstPass::write_settled(bool all) {
  while (!open_.empty() && (all || open_.front().unsettled == 0)) {
    Open& open = open_.front();
    log_.append(*open.block, open.links, !taker_);
    written_ += open.block->size();
    if (taker_)
      for (const Block& block : taker_(open.block)) log_.keep(*block);
    open_.pop_front();
  }
}

void FirstPass::finish() {
  for (Open& open : open_) {
    for (std::size_t number = 0; number < open.states.size(); ++number) {
      if (open.states[number].settled) continue;
      JoinedEvent joined;
      open.block->get(number, joined);
      settle(open, joined.event, joined.unfinished, 0, 0);
    }
  }
  write_settled(true);
  log_.similar_.finish();
}

}  // namespace apf
