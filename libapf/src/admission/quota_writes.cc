#include "admission/quota_writes.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace apf {

namespace {

constexpr int kWorkers = 5;
constexpr int kRetries = 3;
constexpr Nanos kPatience = 10 * kSecond;
constexpr std::uint32_t kController = std::numeric_limits<std::uint32_t>::max();

Nanos after(Nanos time, Nanos delay) {
  return time > std::numeric_limits<Nanos>::max() - delay ? std::numeric_limits<Nanos>::max() : time + delay;
}

// The versions of one quota: the first is 0, each update makes the next.
class Versions {
 public:
  void add(Nanos time, std::uint32_t writer) {
    lately_.push_back({++last_, time});
    own_[writer] = last_;
  }
  std::uint64_t last() const { return last_; }
  // The newest that the server has in its cache, or wrote itself. Times come in order.
  std::uint64_t seen_by(std::uint32_t server, Nanos now, Nanos lag) {
    while (!lately_.empty() && after(lately_.front().time, lag) <= now) {
      everywhere_ = lately_.front().number;
      lately_.pop_front();
    }
    const auto own = own_.find(server);
    return own == own_.end() ? everywhere_ : std::max(everywhere_, own->second);
  }

 private:
  struct Version {
    std::uint64_t number;
    Nanos time;
  };
  std::uint64_t last_ = 0, everywhere_ = 0;
  std::deque<Version> lately_;                            // that not all caches have
  std::unordered_map<std::uint32_t, std::uint64_t> own_;  // by writer
};

// What a server's evaluator does with one namespace.
struct Namespace {
  std::vector<QuotaWrite> waiting, evaluated;
  bool in_queue = false, in_work = false;
  // Of the batch that is evaluated:
  std::vector<std::uint32_t> quotas, failed;
  std::vector<std::uint64_t> read;  // versions, by place in `quotas`
  std::size_t next = 0;             // of quotas, whose update is on its way
  int retries_left = 0;
  bool met_conflict = false;
};

struct Server {
  std::unordered_map<std::uint32_t, Namespace> namespaces;
  std::deque<std::uint32_t> queue;  // of namespaces that wait for a worker
  int free_workers = kWorkers;
  std::size_t next_write = 0;
  QuotaWriteCounts counts;
};

class Cluster {
 public:
  Cluster(std::span<const std::vector<QuotaWrite>> writes, std::span<const QuotaWrite> controller,
          std::span<const QuotaSet> sets, std::size_t quotas, QuotaWriteRules rules)
      : writes_(writes),
        controller_(controller),
        sets_(sets),
        rules_(rules),
        versions_(quotas),
        servers_(writes.size()) {
    for (Server& server : servers_) server.counts.conflicts_of.resize(quotas);
  }

  std::vector<QuotaWriteCounts> run() {
    for (std::uint32_t i = 0; i < servers_.size(); ++i) expect_write(i);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      write_of_controller(event.time);
      if (event.update) end_update(event.server, event.ns, event.time);
      else take_write(event.server, event.time);
    }
    std::vector<QuotaWriteCounts> out;
    for (Server& server : servers_) out.push_back(std::move(server.counts));
    return out;
  }

 private:
  struct Event {
    Nanos time;
    std::uint32_t server;
    bool update;  // ends; else a write is wanted
    std::uint32_t ns;
    // The queue gives the greatest first.
    bool operator<(const Event& other) const {
      return std::tie(time, server, update, ns) > std::tie(other.time, other.server, other.update, other.ns);
    }
  };

  void expect_write(std::uint32_t server) {
    const std::vector<QuotaWrite>& writes = writes_[server];
    const std::size_t next = servers_[server].next_write;
    if (next < writes.size()) events_.push({writes[next].time, server, false, 0});
  }

  void write_of_controller(Nanos until) {
    for (; next_of_controller_ < controller_.size() && controller_[next_of_controller_].time <= until;
         ++next_of_controller_) {
      const QuotaWrite& write = controller_[next_of_controller_];
      for (const std::uint32_t quota : sets_[write.quotas].quotas) versions_[quota].add(write.time, kController);
    }
  }

  void take_write(std::uint32_t number, Nanos now) {
    Server& server = servers_[number];
    const QuotaWrite& write = writes_[number][server.next_write++];
    server.counts.requests += write.counted;
    const std::uint32_t ns = sets_[write.quotas].ns;
    Namespace& of = server.namespaces[ns];
    of.waiting.push_back(write);
    if (!of.in_queue && !of.in_work) {
      of.in_queue = true;
      server.queue.push_back(ns);
    }
    expect_write(number);
    work(number, now);
  }

  void work(std::uint32_t number, Nanos now) {
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
      for (const QuotaWrite& write : of.evaluated)
        for (const std::uint32_t quota : sets_[write.quotas].quotas)
          if (std::find(of.quotas.begin(), of.quotas.end(), quota) == of.quotas.end()) of.quotas.push_back(quota);
      begin_updates(number, ns, now);
    }
  }

  void begin_updates(std::uint32_t number, std::uint32_t ns, Nanos now) {
    Namespace& of = servers_[number].namespaces[ns];
    of.read.clear();
    for (const std::uint32_t quota : of.quotas) of.read.push_back(versions_[quota].seen_by(number, now, rules_.lag));
    of.failed.clear();
    of.next = 0;
    events_.push({after(now, rules_.write), number, true, ns});
  }

  void end_update(std::uint32_t number, std::uint32_t ns, Nanos now) {
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
      events_.push({after(now, rules_.write), number, true, ns});
    } else if (!of.failed.empty() && of.retries_left > 0) {
      --of.retries_left;
      of.quotas = of.failed;
      begin_updates(number, ns, now);
    } else {
      end_batch(number, ns, now);
    }
  }

  void end_batch(std::uint32_t number, std::uint32_t ns, Nanos now) {
    Server& server = servers_[number];
    Namespace& of = server.namespaces[ns];
    for (const QuotaWrite& write : of.evaluated) {
      const std::vector<std::uint32_t>& quotas = sets_[write.quotas].quotas;
      const bool lost = std::any_of(quotas.begin(), quotas.end(), [&](std::uint32_t quota) {
        return std::find(of.failed.begin(), of.failed.end(), quota) != of.failed.end();
      });
      if (!write.counted) continue;
      if (now - write.time > kPatience) ++server.counts.timed_out;
      else if (lost) ++server.counts.refused;
      else if (of.met_conflict) ++server.counts.retried;
    }
    of.evaluated.clear();
    of.in_work = false;
    ++server.free_workers;
    if (!of.waiting.empty()) {
      of.in_queue = true;
      server.queue.push_back(ns);
    }
    work(number, now);
  }

  const std::span<const std::vector<QuotaWrite>> writes_;
  const std::span<const QuotaWrite> controller_;
  const std::span<const QuotaSet> sets_;
  const QuotaWriteRules rules_;
  std::vector<Versions> versions_;  // by quota
  std::vector<Server> servers_;
  std::priority_queue<Event> events_;
  std::size_t next_of_controller_ = 0;
};

}  // namespace

QuotaWriteCounts& QuotaWriteCounts::operator+=(const QuotaWriteCounts& other) {
  requests += other.requests;
  updates += other.updates;
  conflicts += other.conflicts;
  retried += other.retried;
  refused += other.refused;
  timed_out += other.timed_out;
  conflicts_of.resize(std::max(conflicts_of.size(), other.conflicts_of.size()));
  for (std::size_t i = 0; i < other.conflicts_of.size(); ++i) conflicts_of[i] += other.conflicts_of[i];
  return *this;
}

std::vector<QuotaWriteCounts> count_quota_conflicts(std::span<const std::vector<QuotaWrite>> servers,
                                                    std::span<const QuotaWrite> controller,
                                                    std::span<const QuotaSet> sets, std::size_t quotas,
                                                    QuotaWriteRules rules) {
  return Cluster(servers, controller, sets, quotas, rules).run();
}

}  // namespace apf
