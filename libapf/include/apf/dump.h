// Dumps: what kube-apiserver's debug endpoints of API Priority and Fairness show at one instant, as they write it and
// as values: /debug/api_priority_and_fairness/dump_priority_levels, dump_queues and dump_requests (with
// ?includeRequestDetails=1 or without).
//
//   const std::string text = "...";  // what the endpoint answered
//   apf::ServerDump dump;
//   const std::vector<std::string> faults = apf::read_dump(text, "dump_queues.txt", dump);
//   for (const apf::QueueDump& queue : dump.queues)
//     if (queue.waiting > 0) std::printf("requests wait in a queue of %s\n", queue.level.c_str());
//
// Columns are found by their titles, so dumps of all releases since 1.20 can be read; a column that a release does not
// have leaves its member as it is. Times are nanoseconds since 1970 UTC, seats and requests whole numbers, work is in
// units of 10 nanoseconds of one seat. Results are values; functions may be called from several threads at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/time.h>
#include <apf/version.h>

namespace apf {

struct LevelDump {
  std::string name;
  std::int64_t active_queues = 0;  // with requests that wait
  bool idle = false, quiescing = false;
  std::int64_t waiting = 0, executing = 0;  // requests
  // Since the level came into being; since 1.26. Requests that waited too long count as rejected and as cancelled.
  std::optional<std::int64_t> dispatched, rejected, timed_out, cancelled;
};

struct QueueDump {
  std::string level;
  std::int64_t index = 0;
  std::int64_t waiting = 0, executing = 0, seats = 0;  // requests; seats in use
  std::uint64_t next_dispatch_r = 0;                   // virtual time, in units of work
  // Of the requests that wait: their seats, the most that each takes, and their work, 3 ms being assumed of each.
  std::int64_t initial_seats = 0, max_seats = 0;
  std::uint64_t total_work = 0;
};

struct RequestDump {
  std::string level, flow_schema, distinguisher;
  std::int64_t queue = -1;  // -1: of a level without queues
  std::int64_t index = -1;  // in its queue; -1: it runs
  Nanos arrived = 0;
  std::int64_t initial_seats = 1, final_seats = 0;
  Nanos additional_latency = 0;
  std::optional<Nanos> started;  // nothing: it waits
  bool runs() const { return started.has_value(); }
  // With details.
  std::string user, verb, path, ns, name, api_version, resource, subresource;
};

struct ServerDump {
  bool has_levels = false, has_queues = false, has_requests = false, has_details = false;
  std::vector<LevelDump> levels;
  std::vector<QueueDump> queues;
  std::vector<RequestDump> requests;
  Nanos time = 0;  // of a replay; the server does not write it
};

// Adds what `text` holds: answers of the endpoints, one after the other, or the JSON of render_json(). All rows are
// taken but those at fault, of which it returns a sentence each, with file, line and cure ("dump.txt:7: …"). Lines of
// dots alone, which pages have where they leave out rows, are skipped. Throws Error: it is no dump, or a second one of
// a kind that `dump` has already.
APF_API std::vector<std::string> read_dump(std::string_view text, const std::string& name, ServerDump& dump);

}  // namespace apf
