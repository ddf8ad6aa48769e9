// Who wins when several write the status of a quota: the servers of a cluster, each for the requests that it admits,
// and the quota controller. An update names the version that it was made from (compare and swap); if another one came
// between, it fails. After the evaluator of k8s.io/apiserver/pkg/admission/plugin/resourcequota (controller.go,
// resource_access.go, v1.36).
//
// A server evaluates the requests of a namespace in batches, one batch at a time; five workers take the namespaces in
// turn. A batch updates each quota that it changes, one after the other. What failed is read again from the server's
// cache and tried again at once, three times; then those requests of the batch that the failed quota concerns get the
// conflict, a 409. Who waits for more than 10 s gets a 500; the batch goes on. The cache is behind by a lag, but has
// what the server itself wrote last: within one server nothing conflicts.
#pragma once

#include <cstdint>
#include <deque>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include <apf/time.h>

namespace apf {

struct QuotaWriteRules {
  Nanos lag = 0;    // from an update until the caches of other servers have it, >= 0
  Nanos write = 0;  // how long an update takes, > 0
};

// A request that changes the status of quotas of one namespace.
struct QuotaWrite {
  Nanos time = 0;
  std::uint32_t ns = 0;
  std::vector<std::uint32_t> quotas;  // in the order of their updates, not empty
  std::uint64_t tag = 0;              // of the caller
  bool counted = true;                // false: it is written, but in no count of requests
};

struct QuotaWriteCounts {
  std::uint64_t requests = 0;               // writes that were wanted
  std::uint64_t updates = 0;                // that were tried, for one request or many
  std::uint64_t conflicts = 0;              // of them
  std::uint64_t retried = 0;                // requests whose batch met a conflict, and that were admitted
  std::uint64_t refused = 0;                // requests answered with 409
  std::uint64_t timed_out = 0;              // requests answered with 500
  std::vector<std::uint64_t> conflicts_of;  // by quota
};

enum class QuotaWriteEnd : std::uint8_t { written, conflict, timed_out };

class QuotaWriteListener {
 public:
  virtual ~QuotaWriteListener() = default;
  // Something happens at `now`: the controller's writes until then, at `now` included, have to be reported first.
  virtual void before(Nanos now) = 0;
  // A request has its answer. `failed`: quotas whose updates failed at last; of others they are written. A request that
  // is timed out comes twice: with its answer, and as written or conflict when its batch is over.
  virtual void on_end(std::uint32_t server, const QuotaWrite& write, Nanos now, QuotaWriteEnd end,
                      std::span<const std::uint32_t> failed) = 0;
};

// Everything comes in order of time; at one instant in order of the servers, wants before ends of updates.
class QuotaWriters {
 public:
  QuotaWriters(std::size_t servers, std::size_t quotas, QuotaWriteRules rules, QuotaWriteListener& listener);

  // All that is due before `time`, or at `time` of servers before `server`.
  void run_before(Nanos time, std::uint32_t server);
  void drain();
  void want(std::uint32_t server, QuotaWrite write);
  // The quota controller's updates always succeed.
  void write_of_controller(std::uint32_t quota, Nanos time);
  const QuotaWriteCounts& counts(std::uint32_t server) const { return servers_[server].counts; }

 private:
  // The versions of one quota: the first is 0, each update makes the next.
  class Versions {
   public:
    void add(Nanos time, std::uint32_t writer);
    std::uint64_t last() const { return last_; }
    // The newest that the server has in its cache, or wrote itself. Times come in order.
    std::uint64_t seen_by(std::uint32_t server, Nanos now, Nanos lag);

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
    std::vector<std::uint64_t> waiting, evaluated;  // writes, by id
    bool in_queue = false, in_work = false;
    // Of the batch that is evaluated:
    std::vector<std::uint32_t> quotas, failed;
    std::vector<std::uint64_t> read;  // versions, by place in `quotas`
    std::size_t next = 0;             // of quotas, whose update is on its way
    int retries_left = 0;
    bool met_conflict = false;
  };
  struct Open {
    QuotaWrite write;
    bool answered = false;  // too late; it is written all the same
  };
  struct Server {
    std::unordered_map<std::uint32_t, Namespace> namespaces;
    std::unordered_map<std::uint64_t, Open> open;  // writes, by id
    std::deque<std::uint32_t> queue;               // of namespaces that wait for a worker
    int free_workers = 5;
    QuotaWriteCounts counts;
  };
  struct Event {
    Nanos time;
    std::uint32_t server;
    bool deadline;                             // of a write; else an update ends
    std::uint64_t of;                          // a write, or a namespace
    bool operator<(const Event& other) const;  // the queue gives the greatest first
  };

  void run(const Event& event);
  void work(std::uint32_t number, Nanos now);
  void begin_updates(std::uint32_t number, std::uint32_t ns, Nanos now);
  void end_update(std::uint32_t number, std::uint32_t ns, Nanos now);
  void end_batch(std::uint32_t number, std::uint32_t ns, Nanos now);
  void time_out(std::uint32_t number, std::uint64_t id, Nanos now);

  const QuotaWriteRules rules_;
  QuotaWriteListener& listener_;
  std::vector<Versions> versions_;  // by quota
  std::vector<Server> servers_;
  std::priority_queue<Event> events_;
  std::uint64_t next_id_ = 0;
};

}  // namespace apf
