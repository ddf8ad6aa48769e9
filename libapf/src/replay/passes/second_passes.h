// A log that was written under another configuration, replayed under those in question: the requests as a first pass,
// under the recorded configuration, has found them, as often as it takes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <apf/output.h>
#include <apf/replay.h>

#include "replay/books/subjects.h"
#include "replay/clients/client_links.h"
#include "replay/clients/retry_chains.h"
#include "replay/engine/engine.h"
#include "replay/engine/event_sink.h"
#include "replay/engine/request_source.h"
#include "replay/engine/run_options.h"
#include "replay/observers/first_pass.h"
#include "replay/passes/pass_beside.h"
#include "replay/passes/second_pass.h"

namespace apf {

// Throws Error if the flags and the server's own log do not agree.
void check_recorded_seats(const RunContext& recorded);

class SecondPasses {
 public:
  // `options`: with ReplayOptions::recorded.
  SecondPasses(const ReplayOptions& options, RequestSource& reader)
      : options_(options),
        reader_(reader),
        first_pass_(options.service_floor, options.refused_execution, reader.attributes()),
        links_(options.client_models, reader.numbers().requesters) {
    first_pass_.keep(reader.prepared_for().keep_text_ids, options.retries || options.clients_need_first_replay());
  }

  FirstPass& first_pass() { return first_pass_; }
  // The next event of the log, which gets its number, before the engine of the first pass takes it.
  void keep(Nanos now, JoinedEvent& joined, std::string_view id_text, const RunContext& recorded);
  // The first pass is over. Throws Error if the server's own log contradicts what the server is said to have run.
  void begin(const RunContext& recorded, Engine& first);

  // The pass that answers the question is the only one, and may begin while the log is still being read: if it needs
  // nothing that the first pass does not find out as it goes on. See PassBeside.
  void allow_early();
  // Null: not allowed, or over.
  const std::shared_ptr<PassBeside>& beside() const { return beside_.queue; }
  // `seats`: of the recorded server.
  void begin_early(const EngineStart& first, int seats, OutputFile& decisions, OutputFile& timeline);

  // A server that they are scheduled for.
  struct Side {
    const ReplayOptions& options;
    std::size_t configuration = 0;  // number of its first one
    OutputFile* decisions = nullptr;
    OutputFile* timeline = nullptr;
    int threads = 0;  // that replay the side; 0: as the options say
  };
  // How they are, and who writes down what beside the report.
  struct Pass {
    bool by_log = false;  // clients behave as the log shows
    Nanos arrival_jitter = 0, execution_jitter = 0;
    std::uint64_t seed = 0;
    int replays = 1;      // of which it is the one in the middle
    bool writes = false;  // decisions, timeline and what goes on over time
    const OldConfigurations* compared_with = nullptr;
  };
  struct Result {
    ReplayReport report;  // with all flows
    Subjects subjects;    // with Pass::compared_with
    std::vector<MovedFlow> moved;
  };
  // One replay. Several threads may call it at once.
  Result schedule(const Side& side, const Pass& pass) const;
  // Of replays of a side that differ by chance alone, the one in the middle; side by side. `reports` gets those of all
  // but the first.
  Pass median_pass(const Side& side, const Pass& pass, std::vector<ReplayReport>* reports = nullptr) const;
  // A further replay of a side, moved by chance.
  struct Further {
    const Side* side = nullptr;
    int number = 1, of = 1;
    bool sweeps = true;  // its clock is in another phase
    bool by_log = false;
  };
  // All of them, side by side, in their order; of flows, those that lists may name. Empty: interrupted.
  std::vector<Result> schedule_all(const std::vector<Further>& replays, const OldConfigurations* compared_with) const;
  // The whole report of a side, further replays included. Several threads may call it at once, unless allow_early().
  void replay(ReplayReport& report, const Side& side);
  // Nothing is replayed: the requests go to `sink` as an engine would get them.
  void hand_over(EventSink& sink, EventSink::Log& log, ReplayReport& report);

  // Whether replays differ in whether clients wait.
  bool clients_may_wait() const;
  // What the report of a pass says of the first one.
  void fill(ReplayReport& report, const ReplayOptions& options) const;

 private:
  // Which of the clients wait, as the log shows, in loops whose workers nobody has counted.
  std::vector<bool> uncounted_loops() const;
  std::unique_ptr<SecondPass> make_pass(const Side& side, const RunOutputs& outputs, bool by_log, Flows* flows) const;
  // What was begun while the log was read; nothing: it was not.
  std::optional<ReplayReport> finish_early();
  ReplayReport schedule_median(const Side& side, const Pass& pass, std::vector<ReplayReport>& others) const;
  void add_ranges(ReplayReport& report, const Side& side, std::vector<ReplayReport>&& others) const;
  void fill_recorded(WhatIfReport& what_if) const;
  bool is_interrupted() const { return apf::is_interrupted(options_); }

  const ReplayOptions& options_;
  RequestSource& reader_;
  FirstPass first_pass_;
  ClientLinks links_;
  RetryChains retries_;
  EngineStart start_;  // of the first pass
  int recorded_seats_ = 0;
  RecordedReport recorded_;
  OwnedSideQueue<PassBeside> beside_;
};

}  // namespace apf
