// Whether a level refuses requests, or keeps them waiting, by the configuration or by too much load: what decides are
// the server's seats that are idle meanwhile.
#pragma once

#include <cstdint>

namespace apf {

struct SeatBalance {
  double seats = 0;         // of the server
  double idle = 0;          // of these, on average while the level refused requests or kept them waiting
  double refused_load = 0;  // that what it refused would have taken

  enum class Verdict : std::uint8_t {
    configuration,  // the idle seats would do
    both,           // seats are withheld, but all of them would hardly do
    overload,       // none are idle, but those between two requests
    undecided
  };
  double load() const { return seats - idle + refused_load; }  // of all of the server
  Verdict verdict() const {
    // Of the server's seats: from the first part on they are withheld, up to the second they are those between two
    // requests; a load from the third on leaves none to lend.
    constexpr double kWithheld = 0.25, kBusy = 0.1, kExceeds = 0.9;
    const bool exceeds = load() > kExceeds * seats;
    if (seats <= 0) return Verdict::undecided;
    if (idle >= kWithheld * seats || (exceeds && idle > kBusy * seats))
      return exceeds ? Verdict::both : Verdict::configuration;
    return idle > kBusy * seats ? Verdict::undecided : Verdict::overload;
  }
};

// Seats that the requests that a level refused would have held, had they run as long as the others, over the time in
// which requests waited there (without queues: over the whole time).
inline double refused_load(std::uint64_t refused, std::uint64_t ran, double seat_seconds, double seconds) {
  if (refused == 0 || ran == 0 || seconds <= 0) return 0;
  return static_cast<double>(refused) * (seat_seconds / static_cast<double>(ran)) / seconds;
}

// Seats that were idle when requests were refused, or while they waited. A time-out is due to the whole of its wait,
// not to the moment of its end alone: others may have gone by then.
template <class Idle>
Idle idle_for(std::uint64_t refused, std::uint64_t timed_out, const Idle& at_refusals, const Idle& while_waiting,
              double Idle::*server) {
  if (refused == 0) return while_waiting;
  return timed_out * 2 > refused && while_waiting.*server < at_refusals.*server ? while_waiting : at_refusals;
}

}  // namespace apf
