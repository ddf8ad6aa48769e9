// Where the requests of a replay come from: logs that are read (RequestReader), or what was kept of a reading
// (KeptReading).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <apf/replay.h>

#include "base/parallel.h"
#include "replay/books/run_context.h"
#include "replay/prepare/prepare.h"

namespace apf {

class RequestSource {
 public:
  // Who takes what is read.
  class Sink {
   public:
    virtual ~Sink() = default;
    // A watch that began before the log, before the first request is taken.
    virtual void add_standing_watch(WatchKey key, Nanos end) = 0;
    // A line of the server's own log that the clock has taken in, unless the survey has read it.
    virtual void take_note(const KeptNote& note) = 0;
    // A request arrives, or a watch ends. `id_text`: of an id that is not a UUID.
    virtual void take(Nanos now, JoinedEvent& joined, std::string&& id_text) = 0;
    // How many of the requests it was given it has finished with; it still reads the others in place. As a rule it has
    // finished with a request when take() returns.
    static constexpr std::uint64_t kAll = UINT64_MAX;
    virtual std::uint64_t done() const { return kAll; }
    // The tables that numbers in requests refer to are about to grow: no other thread reads them before resume().
    virtual void pause() {}
    virtual void resume() {}
    // What threads that read do meanwhile: see OrderedWork.
    virtual SideWorks side_work() { return {}; }
    // How far the replay is.
    virtual Nanos now() const = 0;
  };

  virtual ~RequestSource() = default;

  // What must be known before the first line.
  virtual void survey() = 0;
  // Hands out everything but what Fill adds after the last line: finish() does.
  virtual void read(Sink& sink) = 0;
  virtual void finish() = 0;
  // What the log and its reading say.
  virtual void fill(ReplayReport& report) = 0;

  // Requests came out of order, because some ran for longer than the window: a reader with this one finds their places.
  virtual std::optional<Nanos> longer_window() const = 0;
  // All that is known of the server's clock, and of what numbers mean, comes with the requests themselves.
  virtual bool has_requests_alone() const = 0;
  // Another source can hand out the same requests, however they were read.
  virtual bool is_kept() const = 0;

  // Of a server that the requests are replayed for; it belongs to this source. `flows`: this source's, or frozen ones.
  RunContext context(const ReplayOptions& options, ServerClock& clock, Flows& flows,
                     Pool<AdmissionAttributes>& attributes) const;
  RunContext context(const ReplayOptions& options, ServerClock& clock) {
    return context(options, clock, flows(), attributes());
  }
  virtual const PrepareContext& prepared_for() const = 0;
  virtual Flows& flows() = 0;
  // By flow, with PrepareContext::keeps_shapes.
  using Shapes = std::vector<std::shared_ptr<const RequestShape>>;
  virtual const Shapes& shapes() const = 0;
  virtual const NumberTables& numbers() const = 0;
  virtual ServerClock& clock() = 0;
  virtual Pool<AdmissionAttributes>& attributes() = 0;
};

}  // namespace apf
