// Who holds the seats of each priority level while requests are refused there, by flow and by user agent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <apf/replay.h>

#include "replay/books/live_request.h"

namespace apf {

// Each refusal is divided among the seats in use at its level at that moment: a level adds up 1 / seats in use, and a
// holder multiplies what was added with the seats that it had meanwhile. So a request costs the same however many hold
// seats.
class CulpritBook {
 public:
  explicit CulpritBook(Nanos request_timeout) : request_timeout_(request_timeout) {}
  void on_dispatch(const LiveRequest& request);
  // `seat_seconds`: that it held.
  void on_release(Nanos now, const LiveRequest& request, double seat_seconds);
  void on_refuse(const LiveRequest& request, Outcome outcome);

  // `agents`: by number. Of each level up to `most`, for finish_lists().
  void fill(ReplayReport& report, const std::vector<FlowReport>& flows, const std::vector<std::string>& agents,
            int most) const;

 private:
  struct Holder {
    std::uint32_t level = 0;
    int seats = 0;
    double seen = 0;  // of Level::refusals_per_seat
    double refusals = 0, own_refusals = 0, seat_seconds = 0;
    std::uint64_t refused = 0, timed_out_waiting = 0;
    // Requests that reached the request timeout while they ran.
    std::uint64_t timed_out_running = 0;
    Nanos first_of_those = 0, last_of_those = 0;  // when the first was dispatched, when the last ended
    bool used = false;

    void add_timed_out(Nanos dispatch, Nanos end);
  };
  struct Level {
    int seats = 0;
    double refusals_per_seat = 0, seat_seconds = 0;
    std::uint64_t refused = 0, timed_out_waiting = 0;
    std::vector<Holder> agents;  // by number
  };

  // Its level, its flow and its user agent.
  struct Parties {
    Level& level;
    Holder& flow;
    Holder& agent;
  };
  Parties parties(const LiveRequest& request);
  Parties parties_of_dispatched(const LiveRequest& request);
  static void settle(Holder& holder, const Level& level);
  // Seats begin or end to be held.
  static void hold(Holder& holder, const Level& level, int seats);

  Nanos request_timeout_;
  std::vector<Level> levels_;  // by id
  std::vector<Holder> flows_;  // by index into Flows::reports()
};

inline CulpritBook::Parties CulpritBook::parties(const LiveRequest& request) {
  if (levels_.size() <= request.level) levels_.resize(request.level + 1);
  if (flows_.size() <= request.report) flows_.resize(request.report + 1);
  Level& level = levels_[request.level];
  if (level.agents.size() <= request.event.agent) level.agents.resize(request.event.agent + 1);
  Parties out{level, flows_[request.report], level.agents[request.event.agent]};
  out.flow.level = out.agent.level = request.level;
  out.flow.used = out.agent.used = true;
  return out;
}

// Its parties are there since it was dispatched.
inline CulpritBook::Parties CulpritBook::parties_of_dispatched(const LiveRequest& request) {
  Level& level = levels_[request.level];
  return {level, flows_[request.report], level.agents[request.event.agent]};
}

inline void CulpritBook::settle(Holder& holder, const Level& level) {
  if (holder.seen == level.refusals_per_seat) return;
  holder.refusals += holder.seats * (level.refusals_per_seat - holder.seen);
  holder.seen = level.refusals_per_seat;
}

inline void CulpritBook::hold(Holder& holder, const Level& level, int seats) {
  settle(holder, level);
  holder.seats += seats;
}

inline void CulpritBook::on_dispatch(const LiveRequest& request) {
  const Parties of = parties(request);
  hold(of.flow, of.level, request.seats);
  hold(of.agent, of.level, request.seats);
  of.level.seats += request.seats;
}

inline void CulpritBook::on_release(Nanos now, const LiveRequest& request, double seat_seconds) {
  const Parties of = parties_of_dispatched(request);
  hold(of.flow, of.level, -request.seats);
  hold(of.agent, of.level, -request.seats);
  of.level.seats -= request.seats;
  if (!request.in_report) return;
  for (double* sum : {&of.flow.seat_seconds, &of.agent.seat_seconds, &of.level.seat_seconds}) *sum += seat_seconds;
  const Nanos end = now - request.work.additional_latency;
  if (request.event.watch || end - request.arrival < request_timeout_) return;
  of.flow.add_timed_out(request.dispatch, end);
  of.agent.add_timed_out(request.dispatch, end);
}

}  // namespace apf
