// Whether a level refuses requests, or keeps them waiting, by the configuration or by too much load: what decides are
// the server's seats that are idle meanwhile.
#pragma once

#include <cstdint>
#include <optional>

#include <apf/remarks.h>

namespace apf {

struct SeatBalance {
  double seats = 0;         // of the server
  double idle = 0;          // of these, on average while the level refused requests or kept them waiting
  double refused_load = 0;  // that what it refused would have taken
};

// How long all of the server's seats were in use: in all, and at a stretch.
struct FullTime {
  double all = 0, longest = 0;  // ns
};

// The configuration where the idle seats would do; both where they are withheld, but all of them would hardly do; a
// full server where none are idle but those between two requests; otherwise nothing. Without the level's name, and
// without what holds it back. `refused`: it did more than keep requests waiting.
std::optional<Remark> cause_of(const SeatBalance& balance, bool refused, const FullTime& full);

// Seats that the requests that a level refused would have held, had they run as long as the others, over the time in
// which requests waited there (without queues: over the whole time).
double refused_load(std::uint64_t refused, std::uint64_t ran, double seat_seconds, double seconds);

// Whether the seats count that were idle while requests waited, not those at refusals. A time-out is due to the whole
// of its wait, not to the moment of its end alone: others may have gone by then.
bool is_by_waits(std::uint64_t refused, std::uint64_t timed_out, double idle_at_refusals, double idle_while_waiting);

}  // namespace apf
