// What a log betrays of the requests that it does not hold, from the requests that it does: cheap enough to be asked of
// every log. Each sign has its evidence, and none comes from a log that is whole.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <apf/remarks.h>
#include <apf/time.h>

#include "classify/request_view.h"
#include "logs/write_counters.h"

namespace apf {

// What a request says of the traffic that it is from.
enum TrafficTrait : std::uint8_t {
  kOfNode = 1,       // from a kubelet
  kLeaseUpdate = 2,  // renews a lease, or what came before leases
  kBinding = 4,      // binds a pod to a node
  kWatching = 8,
  kReading = 16,          // get or list
  kChanging = 32,         // update or patch of something else than a lease
  kControllerWrite = 64,  // of a leader-elected controller
  kComponent = 128,       // from a part of the cluster
};
struct TrafficClient {
  bool node = false, controller = false, component = false;
  static TrafficClient of(std::string_view user, const std::vector<std::string>& groups);
};
std::uint8_t traffic_traits(const RequestView& view, const TrafficClient& client);

class Completeness {
 public:
  // In order of arrival, as far as the log is. `client`: a small number for a user.
  void add(Nanos arrival, std::uint8_t traits, std::uint32_t client);
  // A write that the server made. `revision`: of the storage as a renewed lease shows it; 0: not known.
  void note_write(std::int64_t revision);
  void note(const WriteCounters& write) {
    note_write(write.revision);
    if (write.event_count > 0 && write.object != 0) note_event(write.object, write.event_count);
  }
  // An event of core/v1 or events.k8s.io was written with that count; `object`: its hash.
  void note_event(std::uint64_t object, std::int64_t count);
  // `name_of`: the user's name.
  std::vector<Remark> remarks(const std::function<std::string(std::uint32_t client)>& name_of) const;

 private:
  struct Client {
    std::uint64_t reads = 0, changes = 0, leases = 0;
    Nanos first_change = 0, last_lease = 0;
    bool component = false, node = false;
    std::vector<Nanos> renewals;  // times between lease updates, the first ones
  };
  void add_time(Nanos arrival);
  void add_revisions(std::vector<Remark>& out) const;
  void add_gaps(std::vector<Remark>& out) const;
  void add_sampling(std::vector<Remark>& out) const;
  void add_sampling_of_nodes(std::vector<Remark>& out) const;
  void add_writers(const std::function<std::string(std::uint32_t)>& name_of, std::vector<Remark>& out) const;

  std::uint64_t requests_ = 0, of_nodes_ = 0, lease_updates_ = 0, bindings_ = 0, watches_ = 0, reads_ = 0, changes_ = 0,
                controller_writes_ = 0;
  Nanos first_ = 0, last_ = 0, first_binding_ = 0;
  std::vector<Client> clients_;
  Nanos width_;  // of a bin
  std::vector<std::uint32_t> bins_;
  // Between the first and the last revision that is known; writes since the last one.
  std::int64_t first_revision_ = 0, last_revision_ = 0;
  std::uint64_t writes_ = 0, later_writes_ = 0;
  std::unordered_map<std::uint64_t, std::int64_t> event_counts_;  // by object
  std::uint64_t event_updates_ = 0, event_occurrences_ = 0;

 public:
  Completeness();
};

}  // namespace apf
