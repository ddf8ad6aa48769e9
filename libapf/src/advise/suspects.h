// Which requests of a log may be the cause: those of its busiest and widest clients, exempt ones too, of fleets, of one
// FlowSchema, of one kind, the watches, and those that come at the same seconds of the minute.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <apf/why.h>

#include "replay/passes/prepared_log.h"

namespace apf {

struct Suspect {
  WhyBy by = WhyBy::user;
  std::string name;
  std::vector<bool> flows;                  // by PreparedEvent::flow
  std::optional<std::uint32_t> agent = {};  // of these, those of this user agent
  std::optional<int> second = {};           // of these, those within two seconds of the minute from this one on
  bool watches = false;                     // of these, the watches
  std::size_t users = 1;
  std::uint64_t requests = 0, refused = 0;  // in the replay of the log as it is; refused: about
  double seat_seconds = 0;
  bool takes(const PreparedEvent& event) const;
};

// A user in the replay of the log as it is.
struct UserFigures {
  std::uint64_t requests = 0, refused = 0;
  double seat_seconds = 0, wait = 0;  // wait: ns, the sum
  Nanos longest = 0;
  std::string level;  // of one of its requests; of a protected level if it has one
};
// `report`: with all_flows, by FlowBooks::of_users.
std::map<std::string, UserFigures> users_in(const ReplayReport& report);

// All of the nodes, or the service accounts of the user's namespace, as "system:serviceaccount:shop:*"; empty: of none.
std::string fleet_of(const std::string& user);

// `covers`: whether an event is within the part of the log that counts.
std::vector<Suspect> find_suspects(const PreparedLog& log, const ReplayOptions& options, const ReplayReport& report,
                                   const PreparedLog::Experiment& covers);

// What a suspect does, in words: "13 lists of nodes, 10 seats each". `early`: how many of its requests come within a
// second of a refusal, as further attempts.
struct Doings {
  std::string words;
  std::uint64_t early = 0;
  int list_seats = 0;  // the widest list, as its level has it
  double watches = 0;  // their part of its requests
};
// `report`: of the log as it is, with `options`.
Doings doings_of(const Suspect& suspect, const PreparedLog& log, const ReplayOptions& options,
                 const ReplayReport& report, const PreparedLog::Experiment& covers);

// "create pods", "update replicasets.apps/status"
std::string request_words(const RequestShape& shape);

template <class Take>
void each_request(const PreparedLog& log, const PreparedLog::Experiment& covers, const Take& take) {
  Nanos now = 0;
  JoinedEvent joined;
  for (CompactEvents::Reader events(log.events()); events.next(now, joined);)
    if (joined.kind == JoinedEvent::Kind::request && joined.event.left_out == LeftOut::no &&
        (!covers || covers(joined)))
      take(joined.event);
}

}  // namespace apf
