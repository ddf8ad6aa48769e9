#include "admission/quota_writes.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace apf {

namespace {

constexpr int kRetries = 3;
constexpr Nanos kPatience = 10 * kSecond;
constexpr std::uint32_t kController = std::numeric_limits<std::uint32_t>::max();

Nanos after(Nanos time, Nanos delay) {
  return time > std::numeric_limits<Nanos>::max() - delay ? std::numeric_limits<Nanos>::max() : time + delay;
}

template <class List>
bool has_number(const List& list, std::uint32_t number) {
  return std::find(list.begin(), list.end(), number) != list.end();
}

}  // namespace

void QuotaWriters::Versions::add(Nanos time, std::uint32_t writer) {
  lately_.push_back({++last_, time});
  own_[writer] = last_;
}

std::uint64_t QuotaWriters::Versions::seen_by(std::uint32_t server, Nanos now, Nanos lag) {
  while (!lately_.empty() && after(lately_.front().time, lag) <= now) {
    everywhere_ = lately_.front().number;
    lately_.pop_front();
  }
  const auto own = own_.find(server);
  return own == own_.end() ? everywhere_ : std::max(everywhere_, own->second);
}

bool QuotaWriters::Event::operator<(const Event& other) const {
  return std::tie(time, server, deadline, of) > std::tie(other.time, other.server, other.deadline, other.of);
}

QuotaWriters::QuotaWriters(std::size_t servers, std::size_t quotas, QuotaWriteRules rules, QuotaWriteListener& listener)
    : rules_(rules), listener_(listener), versions_(quotas), servers_(servers) {
  for (Server& server : servers_) server.counts.conflicts_of.resize(quotas);
}

void QuotaWriters::run_before(Nanos time, std::uint32_t server) {
  while (!events_.empty() && std::tie(events_.top().time, events_.top().server) < std::tie(time, server)) {
    const Event event = events_.top();
    events_.pop();
    run(event);
  }
}

void QuotaWriters::drain() {
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    run(event);
  }
}

void QuotaWriters::run(const Event& event) {
  listener_.before(event.time);
  if (event.deadline) time_out(event.server, event.of, event.time);
  else end_update(event.server, static_cast<std::uint32_t>(event.of), event.time);
}

void QuotaWriters::write_of_controller(std::uint32_t quota, Nanos time) { versions_[quota].add(time, kController); }

void QuotaWriters::want(std::uint32_t number, QuotaWrite write) {
  Server& server = servers_[number];
  server.counts.requests += write.counted;
  const std::uint32_t ns = write.ns;
  const Nanos now = write.time;
  const std::uint64_t id = next_id_++;
  server.open.emplace(id, Open{std::move(write)});
  events_.push({after(now, kPatience), number, true, id});
  Namespace& of = server.namespaces[ns];
  of.waiting.push_back(id);
  if (!of.in_queue && !of.in_work) {
    of.in_queue = true;
    server.queue.push_back(ns);
  }
  work(number, now);
}

void QuotaWriters::work(std::uint32_t number, Nanos now) {
  Server& server = servers_[number];
  while (server.free_workers > 0 && !server.queue.empty()) {
    const std::uint32_t ns = server.queue.front();
    server.queue.pop_front();
    --server.free_workers;
    Namespace& of = server.namespaces[ns];
    of.in_queue = false;
    of.in_work = true;
    of.evaluated = std::exchange(of.waiting, {});
    of.retries_left = kRetries;
    of.met_conflict = false;
    of.quotas.clear();
    for (const std::uint64_t id : of.evaluated)
      for (const std::uint32_t quota : server.open.at(id).write.quotas)
        if (!has_number(of.quotas, quota)) of.quotas.push_back(quota);
    begin_updates(number, ns, now);
  }
}

void QuotaWriters::begin_updates(std::uint32_t number, std::uint32_t ns, Nanos now) {
  Namespace& of = servers_[number].namespaces[ns];
  of.read.clear();
  for (const std::uint32_t quota : of.quotas) of.read.push_back(versions_[quota].seen_by(number, now, rules_.lag));
  of.failed.clear();
  of.next = 0;
  events_.push({after(now, rules_.write), number, false, ns});
}

void QuotaWriters::end_update(std::uint32_t number, std::uint32_t ns, Nanos now) {
  Server& server = servers_[number];
  Namespace& of = server.namespaces[ns];
  const std::uint32_t quota = of.quotas[of.next];
  ++server.counts.updates;
  if (versions_[quota].last() == of.read[of.next]) {
    versions_[quota].add(now, number);
  } else {
    ++server.counts.conflicts;
    ++server.counts.conflicts_of[quota];
    of.met_conflict = true;
    of.failed.push_back(quota);
  }
  if (++of.next < of.quotas.size()) {
    events_.push({after(now, rules_.write), number, false, ns});
  } else if (!of.failed.empty() && of.retries_left > 0) {
    --of.retries_left;
    of.quotas = of.failed;
    begin_updates(number, ns, now);
  } else {
    end_batch(number, ns, now);
  }
}

void QuotaWriters::time_out(std::uint32_t number, std::uint64_t id, Nanos now) {
  Server& server = servers_[number];
  const auto at = server.open.find(id);
  if (at == server.open.end()) return;
  Open& open = at->second;
  open.answered = true;
  if (open.write.counted) ++server.counts.timed_out;
  listener_.on_end(number, open.write, now, QuotaWriteEnd::timed_out, {});
}

void QuotaWriters::end_batch(std::uint32_t number, std::uint32_t ns, Nanos now) {
  Server& server = servers_[number];
  Namespace& of = server.namespaces[ns];
  for (const std::uint64_t id : std::exchange(of.evaluated, {})) {
    const auto at = server.open.find(id);
    const auto [write, answered] = std::move(at->second);
    server.open.erase(at);
    const bool lost = std::any_of(write.quotas.begin(), write.quotas.end(),
                                  [&](std::uint32_t quota) { return has_number(of.failed, quota); });
    const bool counts = write.counted && !answered;
    if (counts && lost) ++server.counts.refused;
    else if (counts && of.met_conflict) ++server.counts.retried;
    listener_.on_end(number, write, now, lost ? QuotaWriteEnd::conflict : QuotaWriteEnd::written, of.failed);
  }
  of.in_work = false;
  ++server.free_workers;
  if (!of.waiting.empty()) {
    of.in_queue = true;
    server.queue.push_back(ns);
  }
  work(number, now);
}

}  // namespace apf
