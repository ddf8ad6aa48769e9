#include "schedule/seat_balance.h"

#include <cmath>

namespace apf {

double refused_load(std::uint64_t refused, std::uint64_t ran, double seat_seconds, double seconds) {
  if (refused == 0 || ran == 0 || seconds <= 0) return 0;
  return static_cast<double>(refused) * (seat_seconds / static_cast<double>(ran)) / seconds;
}

bool is_by_waits(std::uint64_t refused, std::uint64_t timed_out, double idle_at_refusals, double idle_while_waiting) {
  return refused == 0 || (timed_out * 2 > refused && idle_while_waiting < idle_at_refusals);
}

std::optional<Remark> cause_of(const SeatBalance& balance, bool refused, const FullTime& full) {
  // Of the server's seats: from the first part on they are withheld, up to the second they are those between two
  // requests; a load from the third on leaves none to lend.
  constexpr double kWithheld = 0.25, kBusy = 0.1, kExceeds = 0.9;
  const double busy = kBusy * balance.seats, load = balance.seats - balance.idle + balance.refused_load;
  if (balance.seats <= 0) return std::nullopt;
  const bool exceeds = load > kExceeds * balance.seats;
  Remark out;
  out.count = static_cast<std::uint64_t>(std::llround(balance.idle));
  out.total = static_cast<std::uint64_t>(balance.seats);
  if (balance.idle >= kWithheld * balance.seats || (exceeds && balance.idle > busy)) {
    out.kind = exceeds   ? RemarkKind::load_exceeds_seats
               : refused ? RemarkKind::configuration_refuses
                         : RemarkKind::configuration_delays;
    out.other = static_cast<std::uint64_t>(std::llround(load));
    return out;
  }
  if (balance.idle > busy) return std::nullopt;
  out.kind = RemarkKind::server_is_full;
  out.detail = refused ? "refused" : "delayed";
  out.duration = static_cast<Nanos>(full.all);
  out.time = static_cast<Nanos>(full.longest);
  return out;
}

}  // namespace apf
