// --dump-at: what the server's debug endpoints would show at some instants of the replay (k8s.io/apiserver,
// pkg/util/flowcontrol/apf_controller_debug.go, v1.36).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <apf/replay.h>
#include <apf/server.h>

#include "replay/books/run_context.h"
#include "replay/books/run_observer.h"

namespace apf {

class DumpBook final : public RunObserver {
 public:
  explicit DumpBook(const RunContext& context) : context_(context) {}

  void on_begin(Controller& controller, Nanos first_arrival) override;
  void on_text(const LiveRequest& request, const std::string& id_text) override;
  void on_dispatch(Nanos now, const LiveRequest& request) override;
  void on_release(Nanos now, const LiveRequest& request) override;
  void on_refuse(Nanos now, const LiveRequest& request, Outcome outcome) override;
  void on_round(const Round& round) override;

  // The next instant of which a dump is wanted, kNever when all are made.
  Nanos next() const { return made_ < times_.size() ? times_[made_].first : kNever; }
  // Makes it of what is so. `request`: of a tag; `config`: in force.
  void take(const std::function<const LiveRequest&(std::uint64_t)>& request, const Config& config);
  void fill(ReplayReport& report) const { report.dumps = dumps_; }

 private:
  // Its place in the log and its arrival: attempts, copies and repetitions come at times of their own.
  using Key = std::pair<std::uint64_t, Nanos>;
  static Key key_of(const LiveRequest& request) { return {request.seq, request.arrival}; }
  void add_level(LevelId id, const std::function<const LiveRequest&(std::uint64_t)>& request, const Config& config,
                 ServerDump& dump) const;
  RequestDump describe(const LiveRequest& request, bool flows) const;

  struct Counts {
    std::int64_t dispatched = 0, rejected = 0, cancelled = 0;
  };
  const RunContext& context_;
  Controller* controller_ = nullptr;
  std::vector<std::pair<Nanos, std::size_t>> times_;  // in order; the place in the options
  std::size_t made_ = 0;
  std::vector<LevelId> levels_;  // that are there, by name
  std::vector<Counts> counts_;   // by level
  std::map<Key, std::string> texts_;
  std::vector<ServerDump> dumps_;  // in the order of the options
};

}  // namespace apf
