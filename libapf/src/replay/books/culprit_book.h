// Who holds the seats of each priority level while requests are refused there, by flow, by user agent, and by verb and
// resource.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <apf/replay.h>

#include "base/flat_map.h"
#include "replay/books/live_request.h"
#include "replay/prepare/run_numbers.h"

namespace apf {

// Each refusal is divided among the seats in use at its level at that moment: a level adds up 1 / seats in use, and a
// holder multiplies what was added with the seats that it had meanwhile. So a request costs the same however many hold
// seats.
class CulpritBook {
 public:
  explicit CulpritBook(Nanos request_timeout) : request_timeout_(request_timeout) {}
  void on_dispatch(const LiveRequest& request);
  // `seat_seconds`: that it held.
  void on_release(Nanos now, const LiveRequest& request, HeldSeats seat_seconds);
  void on_refuse(const LiveRequest& request, Outcome outcome);

  // Of each level up to `most`, for finish_lists().
  void fill(ReplayReport& report, const std::vector<FlowReport>& flows, const NumberTables& numbers, int most) const;

 private:
  struct Holder {
    std::uint32_t level = 0;
    int seats = 0;
    double seen = 0;  // of Level::refusals_per_seat
    double refusals = 0, own_refusals = 0;
    HeldSeats seat_seconds;
    std::uint64_t refused = 0, timed_out_waiting = 0;
    // Requests that reached the request timeout while they ran.
    std::uint64_t timed_out_running = 0;
    Nanos first_of_those = 0, last_of_those = 0;  // when the first was dispatched, when the last ended
    bool used = false;

    void add_timed_out(Nanos dispatch, Nanos end);
  };
  struct Level {
    int seats = 0;
    double refusals_per_seat = 0;
    HeldSeats seat_seconds;
    std::uint64_t refused = 0, timed_out_waiting = 0;
    std::vector<Holder> agents;    // by number
    std::vector<Holder> services;  // by number: see services_
  };

  // Its level, and what holds its seats: its flow, its user agent, its verb and resource.
  struct Parties {
    Level& level;
    std::array<Holder*, 3> holders;
  };
  Parties parties(const LiveRequest& request);
  Parties parties_of_dispatched(const LiveRequest& request);
  static void settle(Holder& holder, const Level& level);
  // Seats begin or end to be held.
  static void hold(Holder& holder, const Level& level, int seats);

  Nanos request_timeout_;
  std::vector<Level> levels_;        // by id
  std::vector<Holder> flows_;        // by index into Flows::reports()
  FlatMap<std::uint32_t> services_;  // 1 + the number of each PreparedEvent::service that was seen
  std::vector<std::uint32_t> service_keys_;
};

inline CulpritBook::Parties CulpritBook::parties(const LiveRequest& request) {
  const auto reserve = [](auto& all, std::size_t number) {
    if (all.size() <= number) all.resize(number + 1);
  };
  reserve(levels_, request.level);
  reserve(flows_, request.report);
  reserve(levels_[request.level].agents, request.event.agent);
  std::uint32_t& service = services_[request.event.service];
  if (service == 0) {
    service_keys_.push_back(request.event.service);
    service = static_cast<std::uint32_t>(service_keys_.size());
  }
  reserve(levels_[request.level].services, service - 1);
  const Parties out = parties_of_dispatched(request);
  for (Holder* holder : out.holders) {
    holder->level = request.level;
    holder->used = true;
  }
  return out;
}

// Its parties are there since it was dispatched.
inline CulpritBook::Parties CulpritBook::parties_of_dispatched(const LiveRequest& request) {
  Level& level = levels_[request.level];
  Holder& service = level.services[*services_.find(request.event.service) - 1];
  return {level, {&flows_[request.report], &level.agents[request.event.agent], &service}};
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
  for (Holder* holder : of.holders) hold(*holder, of.level, request.seats);
  of.level.seats += request.seats;
}

inline void CulpritBook::on_release(Nanos now, const LiveRequest& request, HeldSeats seat_seconds) {
  const Parties of = parties_of_dispatched(request);
  for (Holder* holder : of.holders) hold(*holder, of.level, -request.seats);
  of.level.seats -= request.seats;
  if (!request.in_report) return;
  of.level.seat_seconds += seat_seconds;
  for (Holder* holder : of.holders) holder->seat_seconds += seat_seconds;
  const Nanos end = now - request.work.additional_latency;
  if (request.event.watch || end - request.arrival < request_timeout_) return;
  for (Holder* holder : of.holders) holder->add_timed_out(request.dispatch, end);
}

}  // namespace apf
