// The input side of a replay: files sorted by what they hold into tracks, each read and prepared in parallel, and the
// tracks' events handed out in the order in which the server wrote them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <apf/replay.h>

#include "base/parallel.h"
#include "logs/clock_steps.h"
#include "logs/origins.h"
#include "logs/prepare.h"
#include "replay/flows.h"

namespace apf {

// Parses the --log-format value; throws Error naming the formats there are.
LogFormat parse_log_format(const std::string& name);

// 0: as many as there are processors.
int thread_count(int threads);

// Can the file be read twice, with the same outcome?
bool is_regular_file(const std::string& path);

// Logs of one kind, one after the other: the parts of a rotated file.
struct LogTrack {
  std::vector<std::string> logs;
  LogFormat format = LogFormat::automatic;  // what they were seen to hold; automatic: it cannot be told beforehand
  bool regular = true;
  // As far as their beginnings show, or may be: events of the audit log, lines of the HTTP log.
  bool may_hold_audit = true, may_hold_http = true;
};

// Sorts files by their content, audit logs first; the parts of a rotated log by the time they begin at. A pipe, which
// can be read but once, is a track of its own.
std::vector<LogTrack> sort_into_tracks(const std::vector<std::string>& logs, const std::string& format,
                                       int log_year = 0);

// Do the tracks tell of the same requests in two ways?
bool are_joined(const std::vector<LogTrack>& tracks);

class Input {
 public:
  // `tracks`: of the options' logs. Throws Error for logs that cannot be opened or no such format. Workers are numbered
  // from `first_worker` on.
  Input(const std::vector<LogTrack>& tracks, const ReplayOptions& options, const PrepareContext& context,
        std::uint32_t first_worker = 0);
  ~Input();

  // Events of one batch, [from, to), that were written before the next ones of any other track (of one instant the
  // first track's come first). `is_new`: the batch was not handed out before.
  struct Run {
    PreparedBatch* batch = nullptr;
    std::size_t from = 0, to = 0;
    bool is_new = false;
  };
  // Valid until the next call; false at the end. Adds to the report's counts.
  bool next(Run& run, ReplayReport& report);
  // As of what was handed out last.
  ChunkSourceStats stats() const;
  // Whether the clock of any log was set back so far.
  bool stepped_back() const { return stepped_back_; }
  // Names, notes, bytes.
  void fill(ReplayReport& report);
  std::uint32_t next_worker() const { return workers_; }

 private:
  struct Track {
    explicit Track(Nanos window) : clock(window) {}
    std::unique_ptr<ChunkSource> source;
    ChunkSourceStats stats;
    PreparedBatch* batch = nullptr;
    std::size_t at = 0;
    Nanos written = INT64_MIN;  // of the event at `at`, or before it: never decreases
    bool is_new = false;
    Origins origins;
    ClockSteps clock;
    std::unique_ptr<OrderedWork<PrepareJob, Preparer>> work;
  };
  bool fetch(Track& track, ReplayReport& report);

  std::vector<Track> tracks_;
  Track* current_ = nullptr;
  bool begun_ = false, stepped_back_ = false;
  std::uint32_t workers_ = 0;
  std::uint64_t implied_groups_ = 0;
};

// Workers number flows and the like on their own; here those numbers meet.
class GlobalNumbers {
 public:
  explicit GlobalNumbers(Flows& flows, bool several_lists) : flows_(flows), several_lists_(several_lists) {}

  void extend(const PreparedBatch& batch);
  // Puts the run's numbers into an event in place of the worker's.
  void adopt(PreparedEvent& event, std::uint32_t worker) const {
    const Worker& of = workers_[worker];
    event.flow = event.flow < of.flows.size() ? of.flows[event.flow] : 0;
    if (event.recorded != 0) event.recorded = 1 + of.places[event.recorded - 1];
    event.requester = event.requester < of.requesters.size() ? of.requesters[event.requester] : 0;
    if (several_lists_ && event.seat_kind == SeatKind::list && !of.lists.empty())
      event.list_seats = static_cast<int>(of.lists[static_cast<std::size_t>(event.list_seats)]);
  }
  // The run's number of a worker's user.
  std::uint32_t user(std::uint32_t worker, std::uint32_t number) const { return workers_[worker].users[number]; }
  const std::vector<RecordedPlace>& places() const { return places_; }
  const std::vector<std::vector<int>>& lists() const { return lists_; }
  const std::vector<Requester>& requesters() const { return requesters_; }
  const std::string& user_text(std::uint32_t number) const { return users_[number]; }  // raw, as the log has it

 private:
  struct Worker {
    std::vector<FlowId> flows;
    std::vector<std::uint32_t> places, lists, users, requesters;
  };
  Flows& flows_;
  const bool several_lists_;
  std::vector<Worker> workers_;
  Interner place_names_, list_keys_, user_names_, requester_keys_;
  std::vector<RecordedPlace> places_;
  std::vector<std::vector<int>> lists_;
  std::vector<std::string> users_;
  std::vector<Requester> requesters_;
};

// Senders of HTTP lines that wait for their audit events; 0 = none.
class HeldSenders {
 public:
  std::uint32_t copy(const Sender& sender);
  const Sender& at(std::uint32_t id) const { return senders_[id - 1]; }
  void drop(std::uint32_t id) {
    if (id != 0) free_.push_back(id);
  }

 private:
  std::vector<Sender> senders_;
  std::vector<std::uint32_t> free_;
};

// Texts on their way from the batch to where they are needed; 0 = none.
class HeldTexts {
 public:
  std::uint32_t put(std::string&& text);
  std::string take(std::uint32_t id);

 private:
  std::vector<std::string> texts_;
  std::vector<std::uint32_t> free_;
};

}  // namespace apf
