// Why requests were refused or waited, found by experiments: the log is replayed without each suspect, with executions
// as they were before they grew, and with each change that may cure it. explain_by_replay() of <apf/advise.h> makes it;
// ReplayReport::why has it. Of a log that is not replayed, LogSummary::why has what follows from the log alone.
//
//   const auto first_of = [](const apf::WhyReport& why) {
//     return why.culprits.empty() ? std::string(apf::to_string(why.verdict)) : why.culprits.front().name;
//   };
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <apf/time.h>
#include <apf/version.h>

namespace apf {

enum class WhyVerdict : std::uint8_t {
  client,          // one client
  fleet,           // many clients that do the same
  configuration,   // with the same seats, another configuration refuses nothing
  overload,        // more than the server has seats for
  server,          // all executions take longer from some time on: etcd, webhooks, disk
  watches,         // initial events of watches
  herd,            // clients that come at the same seconds of the minute
  client_limiter,  // the limiter of a client
  max_in_flight,
  none,       // nothing was refused, and nothing waited long
  undecided,  // no experiment stands out: see WhyReport::open
};
enum class WhyBasis : std::uint8_t { replay, log };  // tried, read
// Whose requests: those of a user, of a user agent, …; of a kind, as "list pods".
enum class WhyBy : std::uint8_t { user, user_agent, fleet, group, ns, flow_schema, request, answer };
enum class WhyCureKind : std::uint8_t { client, level, flow_schema, server };

APF_API const char* to_string(WhyVerdict verdict);  // "client-limiter"
APF_API const char* to_string(WhyBasis basis);      // "replay"
APF_API const char* to_string(WhyBy by);            // "userAgent"
APF_API const char* to_string(WhyCureKind kind);    // "flowSchema"

// In the replay, and the least and the most of it and further ones that differ by chance.
struct WhyFigure {
  std::uint64_t value = 0, low = 0, high = 0;
};

// Requests without which less is refused, or waits are shorter.
struct WhyCulprit {
  WhyBy by = WhyBy::user;
  std::string name;  // whole: system:serviceaccount:NAMESPACE:NAME; of a fleet with `*` at the end
  std::uint64_t requests = 0;
  double seat_seconds = 0;
  std::string does;  // "lists nodes, 10 seats each"; empty: nothing stands out
  WhyFigure refused_without;
  double wait_without = 0;  // ns, the sum of all waits
};

struct WhyVictim {
  WhyBy by = WhyBy::user;
  std::string name;
  std::uint64_t refused = 0;
  double wait = 0;  // ns, the sum
  Nanos longest = 0;
};

// A change with which less is refused, or waits are shorter.
struct WhyCure {
  WhyCureKind kind = WhyCureKind::level;
  // "leader-election", "spec.limited.nominalConcurrencyShares", "5", "10"; of several fields with commas between them.
  std::string object, field, from, to;
  std::string yaml = {};   // the object with the change; empty: it is not one of the configuration
  std::string patch = {};  // the change as a JSON merge patch; empty likewise
  WhyFigure refused_with = {};
  std::optional<std::uint64_t> others_refused = {};  // of these, of other clients than the first culprit
  double wait_with = 0;                              // ns, the sum
  std::vector<std::string> worse = {};               // levels that refuse more than before
};

// Requests, or the seconds that they took, of which there were far more for some minutes than at other times.
struct WhyChange {
  WhyBy by = WhyBy::user;
  std::string name;      // as above; of an answer "503"
  std::string request;   // "create pods": of these alone; empty: of all
  bool seconds = false;  // what rose are the seconds of the server that they took
  Nanos from = 0, to = 0;
  double before = 0, then = 0;  // a minute: at other times, and from `from` to `to`
  double share = 0;             // what there was more, of all requests, or seconds, of that time
};

struct WhyReport {
  WhyVerdict verdict = WhyVerdict::none;
  WhyBasis basis = WhyBasis::replay;
  std::uint64_t refused = 0;           // in the replay of the log as it is
  double wait = 0;                     // ns, the sum
  std::vector<WhyCulprit> culprits;    // in order of effect
  std::vector<WhyVictim> victims;      // those of the server itself first, then the most refused ones
  std::vector<WhyCure> cures;          // the smallest first
  std::string open;                    // undecided: why, and what would decide it
  std::optional<Nanos> from, to;       // the part of a long log that was replayed; server: when executions were slow
  double slower = 0;                   // server: how many times as long executions took
  double seats_needed = 0, seats = 0;  // overload: on average over time, and those that there are
  std::vector<WhyChange> changes;      // what rose in the log, the largest share first
  std::uint64_t replays = 0;
};

}  // namespace apf
