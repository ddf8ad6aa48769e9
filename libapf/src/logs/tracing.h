// Requests of logs for who counts them: most of what they say is a number by then.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <apf/logs.h>

#include "classify/request_view.h"

namespace apf {

struct RecordedPlace;

// Numbers are the same for the same value, 0 where it has none; values may have several.
struct TracedRequest {
  const TraceRequest& course;            // of the request, without its texts
  const RequestView::Fields& view;       // of it, or of one that differs by the name of its object alone
  std::uint32_t asked = 0;               // a number for such requests of a user
  const User* user = nullptr;            // null: nobody knows
  const User* impersonator = nullptr;    // who acts for the user; null: nobody does
  const RecordedPlace* place = nullptr;  // null: the log names none
  std::uint32_t user_number = 0, impersonator_number = 0, place_number = 0, agent_number = 0, address_number = 0;
  std::string_view uri = {}, agent = {}, address = {}, webhook = {}, latencies = {};
  std::uint64_t id = 0;                          // a hash; 0: has none
  std::uint64_t path = 0;                        // a hash, with the verb
  std::optional<Nanos> answered = std::nullopt;  // of a refused request: when, if the log says it
  bool decided = false;                          // authorization let it in; of those served, known of some
};

// What becomes of the requests of logs that are counted.
class TracedRequests {
 public:
  virtual ~TracedRequests() = default;
  virtual void take(const TracedRequest& traced) = 0;
  // A watch of which nobody knew, when it was given, how long it lives.
  virtual void end(std::uint64_t id, Nanos time) = 0;
  virtual void begin_again() = 0;
};

// Gives each request of the logs to `sink`, in order of time, and counts what they hold. `release`: see stat_logs().
LogStat count_logs(const LogOptions& options, std::optional<KubeVersion> release, TracedRequests& sink);

}  // namespace apf
