// The requests of logs, for what counts them and reads no logs itself: lint, tests that are generated, the language
// server. log_traffic() of <apf/logs.h> makes one of these.
//
//   const auto count = [](apf::TrafficReader& traffic, const std::string& log) {
//     const auto take = [](const apf::RequestInfo* request, const apf::User& user) {
//       if (request) std::printf("%s %s\n", request->verb.c_str(), user.name.c_str());
//     };
//     return traffic.read(log, take).requests;
//   };
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <apf/classify.h>
#include <apf/remarks.h>
#include <apf/time.h>

namespace apf {

// Of the logs of one server: a request that stands in several of them counts once.
class TrafficReader {
 public:
  virtual ~TrafficReader() = default;

  struct Counts {
    std::uint64_t requests = 0, unusable = 0;  // unusable: of them, those that cannot be classified
    std::uint64_t repeated = 0;                // that an earlier log has
    std::vector<Remark> damaged;               // RemarkKind::log_damaged
  };
  // Null: the request cannot be classified.
  using Sink = std::function<void(const RequestInfo* request, const User& user)>;
  // Calls `sink` for each request of the log ("-" = standard input), in the order of the text. Throws Error: a log that
  // cannot be opened or has nothing like a request.
  virtual Counts read(const std::string& log, const Sink& sink) = 0;

  using TimedSink = std::function<void(const RequestInfo& request, const User& user, Nanos arrival, Nanos end)>;
  // Calls `sink` for each request whose end the log tells, in order of arrival. Where lines are found to be out of
  // order, it calls `begin_again`, and then `sink` from the first request on. Throws Error as trace_logs() does.
  virtual void read_in_order(const std::string& log, const TimedSink& sink,
                             const std::function<void()>& begin_again) = 0;
};
using MakeTrafficReader = std::function<std::unique_ptr<TrafficReader>()>;

}  // namespace apf
