#include "replay/first_pass.h"

#include <algorithm>
#include <type_traits>

#include "base/hash.h"

namespace apf {

namespace {

// Of a request that runs, or would: watches start, and what never reaches the filter does not run.
bool is_run(const JoinedEvent& joined) {
  return joined.kind == JoinedEvent::Kind::request && joined.event.left_out == LeftOut::no && !joined.event.watch;
}

std::uint64_t kin_of(const PreparedEvent& event) { return mix64(event.requester + 1, event.service_key); }

}  // namespace

void FirstPass::add(Nanos now, JoinedEvent& joined, std::string_view id_text) {
  static_assert(std::is_trivially_copyable_v<Record>);
  if (settled_ + pending_.size() == 0) first_arrival_ = now;
  joined.event.place = settled_ + pending_.size();
  Pending& added = pending_.emplace_back();
  added.record.now = now;
  added.record.joined = joined;
  if (!id_text.empty()) {
    added.record.text_at = texts_.size();
    added.record.text_size = static_cast<std::uint32_t>(id_text.size());
    texts_.append(id_text.data(), id_text.size());
  }
  if (joined.kind != JoinedEvent::Kind::request || joined.event.left_out != LeftOut::no) {
    added.settled = true;
    write_settled();
  }
}

FirstPass::Pending* FirstPass::find(const LiveRequest& request) {
  const std::uint64_t place = request.event.place;
  return place < settled_ ? nullptr : &pending_[place - settled_];
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
  if (e.recorded_refusal || pending.record.joined.unfinished) return;  // typical() when everything is known
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
  learn(e);
}

void FirstPass::learn(const PreparedEvent& event) {
  for (Mean* mean : {&by_user_[kin_of(event)], &by_verb_[event.service_key], &all_}) {
    mean->sum += static_cast<double>(event.execution);
    ++mean->count;
  }
}

Nanos FirstPass::typical(const PreparedEvent& event) const {
  if (refused_execution_) return *refused_execution_;
  const auto of_user = by_user_.find(kin_of(event));
  const auto of_verb = by_verb_.find(event.service_key);
  const Mean& mean = of_user != by_user_.end() ? of_user->second : of_verb != by_verb_.end() ? of_verb->second : all_;
  return mean.count == 0 ? service_floor_ : static_cast<Nanos>(mean.sum / static_cast<double>(mean.count));
}

void FirstPass::write_settled() {
  while (!pending_.empty() && pending_.front().settled) {
    records_.append(&pending_.front().record, sizeof(Record));
    pending_.pop_front();
    ++settled_;
  }
}

void FirstPass::finish() {
  for (Pending& pending : pending_)
    if (!pending.settled) settle_refused(pending);
  write_settled();
}

bool FirstPass::next(Item& item) {
  if (read_ == settled_) return false;
  Record record;
  records_.read(read_++ * sizeof(Record), &record, sizeof(Record));
  item.now = record.now;
  item.joined = record.joined;
  item.id_text.resize(record.text_size);
  if (record.text_size > 0) texts_.read(record.text_at, item.id_text.data(), record.text_size);
  PreparedEvent& e = item.joined.event;
  if (is_run(item.joined) && !e.learned) {
    e.execution = typical(e);
    e.learned = true;
    ++given_mean_;
  }
  return true;
}

}  // namespace apf
