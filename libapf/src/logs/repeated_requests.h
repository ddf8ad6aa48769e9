// read_requests() of several logs of one server, where a request counts once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/logs.h>

#include "base/hash.h"
#include "logs/log_event.h"
#include "logs/recent_ends.h"

namespace apf {

// Which requests have been read.
class RepeatedRequests {
 public:
  // Whether a request of this ID was read already at this stage: the same event again, as where logs overlap; or what
  // an aggregated API server, which ends a request first, was sent: kube-apiserver received it before. `what`: a hash
  // of verb and URI.
  bool has(std::string_view id, Stage stage, Nanos received, std::uint64_t what);
  // Of an event that was written before one that has been read: whether a later stage of its request has.
  bool has_later_stage(std::string_view id, Stage stage, Nanos received, std::uint64_t what);
  std::uint64_t count() const { return count_; }  // of them

 private:
  struct Ended {
    std::uint64_t id = 0, what = 0;
    Nanos received = 0;
  };
  static std::uint64_t id_of(std::string_view id, Stage stage) {
    return hash_bytes(id, static_cast<std::uint64_t>(stage));
  }
  static std::uint64_t end_of(std::uint64_t id, Nanos received, std::uint64_t what);
  bool is_known(std::uint64_t id, Nanos received, std::uint64_t what);

  RecentEnds ends_;
  std::vector<Ended> latest_ = std::vector<Ended>(1u << 12);  // by their IDs
  std::uint64_t count_ = 0;
};

std::vector<Remark> read_requests(const std::string& path, const std::function<void(const LoggedRequest&)>& sink,
                                  RepeatedRequests& repeated);

}  // namespace apf
