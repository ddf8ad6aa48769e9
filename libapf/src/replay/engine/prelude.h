// The first part of a log, held back until what it says of the server is known: when the 10 s clock ticks, what a
// request costs beside its handler, how long requests run.
#pragma once

#include <string>
#include <vector>

#include "replay/engine/engine.h"

namespace apf {

class Prelude {
 public:
  Prelude(const RunContext& context, Engine& engine) : context_(context), engine_(engine) {}

  // The next event in order of time; it goes on to the engine at once or later.
  void take(Nanos now, const JoinedEvent& joined, std::string&& id_text) {
    if (over_) engine_.take(now, joined, std::move(id_text));
    else hold(now, joined, std::move(id_text));
  }
  // There is no more.
  void finish();
  // The engine has begun.
  bool over() const { return over_; }

 private:
  struct Held {
    Nanos now = 0;
    JoinedEvent joined;
    std::string id_text;
  };
  void hold(Nanos now, const JoinedEvent& joined, std::string&& id_text);
  void release();
  Nanos overhead() const;
  EngineStart find_start(Nanos first_arrival) const;
  bool can_fit(std::uint64_t& waits) const;
  Nanos best_phase(Nanos first_arrival) const;
  double misfit(Nanos first_arrival, Nanos start, Nanos overhead) const;

  const RunContext& context_;
  Engine& engine_;
  std::vector<Held> held_;
  bool over_ = false;
};

}  // namespace apf
