// Questions that take many replays of one log: how configurations compare on its traffic (<apf/compare.h>), how many
// times its load a configuration bears, what to change so that its requests meet goals, and why requests were refused
// (explain_by_replay()).
//
//   apf::HeadroomOptions load;
//   load.replay.logs = {"audit.log"};
//   load.replay.config = apf::bootstrap_config(apf::kNewestKubeVersion);
//   const apf::HeadroomReport report = apf::find_headroom(load);
//   for (const apf::HeadroomLevel& level : report.levels)
//     if (level.refuses_at.value) std::printf("%s: %g\n", level.name.c_str(), *level.refuses_at.value);
//
//   apf::SuggestOptions wanted;
//   wanted.replay.logs = {"audit.log"};
//   wanted.replay.config = apf::bootstrap_config(apf::kNewestKubeVersion);
//   wanted.protect = {"system:serviceaccount:shop:checkout"};
//   const apf::SuggestReport found = apf::suggest(wanted);
//   for (const apf::SuggestChange& change : found.changes)
//     std::printf("%s: %d\n", change.level.c_str(), change.to);
//
// The log is read once and scheduled for each configuration and each multiple of the load, on all processors; the
// answer is the same for any number of them. A log shows one configuration: ReplayOptions::recorded of OLD says which;
// without it OLD is what the server ran when the log was written. Multiples of the load are those of LoadScale. Errors
// and threads: as replay().
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <apf/compare.h>
#include <apf/replay.h>
#include <apf/why.h>

namespace apf {

// --- headroom: until requests wait, until they are refused, and what gives way first ---

// What is multiplied: how many requests there are; how long they run. Or the seats of the server are tried.
enum class HeadroomOf : std::uint8_t { load, slowness, seats };

struct HeadroomOptions {
  // The log, the configuration and the server. `spread`: how many replays besides make the ranges. `scales` hold at a
  // multiple of 1.
  ReplayOptions replay;
  // Whose load is multiplied, as LoadScale::user; empty: that of all clients.
  std::vector<std::string> clients;
  HeadroomOf of = HeadroomOf::load;
  int least_seats = 0, most_seats = 0;    // that are tried, 1 or more; of == seats
  double most = 10, least = 0.1;          // multiples that are tried; least ≤ 1 ≤ most ≤ 1,000
  Nanos wait_bound = 100 * kMillisecond;  // a level waits if the p99 of its waits is above that
  std::function<void(const struct HeadroomProgress&)> progress;  // from any thread, one at a time
};

struct HeadroomProgress {
  std::uint64_t replays = 0, about_all = 0;  // that have ended; that there will be, about; 0: not known yet
  double multiple = 1;                       // of the one that has just ended
  double borne = 0;                          // the largest one so far up to which no level waits or refuses; 0: none
};

// The least multiple of the load at which something happens: in the replay of the log, in any of its spread, in all.
// Nothing: not up to the largest multiple.
struct HeadroomFigure {
  std::optional<double> value, low, high;
};

// What may give way. Each is tried alone, at the multiple at which the level begins to suffer: does it suffer still?
enum class HeadroomLimit : std::uint8_t { shares, seats, borrowing, queue_length, queues };
struct HeadroomTrial {
  HeadroomLimit limit = HeadroomLimit::shares;
  int from = 0, to = 0;  // shares, seats, percent (to: -1, no limit), requests, queues
  bool helps = false;
};

struct HeadroomLevel {
  std::string name;
  std::uint64_t requests = 0;  // at a multiple of 1
  HeadroomFigure waits_at, refuses_at;
  // Of the flow that suffers most where the level begins to suffer; empty: it does not.
  std::string flow_schema, distinguisher;
  int nominal_seats = 0, most_seats = 0;  // its limits without and with borrowing
  bool refuses_first = false;             // the trials are about refusals
  std::vector<HeadroomTrial> trials;      // of levels that suffer at some multiple
  // Of slowness: from where on at least one request waits for half of the time or longer; and where a tenth more at
  // most makes the refusals twice as many, the largest such step.
  HeadroomFigure full_at;
  struct Cliff {
    double from = 0, to = 0;  // multiples
    std::uint64_t refused = 0, refused_then = 0;
  };
  std::optional<Cliff> cliff;
  // Of seats: the least number with which it does not wait, and with which it refuses nothing.
  HeadroomFigure seats_for_waits, seats_for_refusals;
};

// The results of the levels at one multiple, or with that many seats.
struct HeadroomPoint {
  double multiple = 1;
  int seats = 0;  // of seats
  struct Level {
    std::uint64_t requests = 0;
    std::uint64_t rejected = 0, rejected_low = 0, rejected_high = 0;
    Nanos p99 = 0, p99_low = 0, p99_high = 0;
  };
  std::vector<Level> levels;  // as HeadroomReport::levels
};

struct HeadroomReport {
  ReplayReport log;                  // what was read, and the assumptions of the replay at a multiple of 1
  std::vector<std::string> clients;  // as in the options
  HeadroomOf of = HeadroomOf::load;
  int least_seats = 0, most_seats = 0;
  double most = 10, least = 0.1;
  Nanos wait_bound = 0;
  std::vector<HeadroomLevel> levels;  // limited ones with requests, by name
  std::vector<HeadroomPoint> points;  // those that were tried, by multiple
  std::uint64_t replays = 0;
  int variants = 1;  // replays of each multiple
  bool interrupted = false;
};

// Throws Error as replay() does.
APF_API HeadroomReport find_headroom(const HeadroomOptions& options);

// --- suggestions: the smallest change that meets the goals for the requests of a log ---

struct SuggestGoal {
  std::string text;     // as written
  std::string subject;  // a level, "FlowSchema/NAME", or "total"
  // How far a replay is from it: 0 where it is met, else more the farther it is. And what is there: "it is 12".
  std::function<double(const ReplayReport&)> miss;
  // The same with the margin that a change has to keep, where there is one; and what it is: "below 900ms".
  std::function<double(const ReplayReport&)> miss_with_margin;
  std::string margin;
  std::function<std::string(const ReplayReport&)> found;
  // What is there in several replays: "it is 12 to 15". Without it, what is there in the first.
  std::function<std::string(const std::vector<ReplayReport>&)> found_in_all;
  // What it says of all requests of the subject, for a proof by counting: none is refused, none waits longer.
  bool all_served = false;
  std::optional<Nanos> longest_wait;
};

enum class SuggestField : std::uint8_t {
  shares,
  borrowing,     // borrowingLimitPercent; to -1: without
  lendable,      // lendablePercent
  queue_length,  // queueLengthLimit
  queues,
  hand,   // handSize
  level,  // a level for one client, and FlowSchemas that lead there: a new one, or some of the user's own
  seats,  // of the server
};

struct SuggestChange {
  SuggestField field = SuggestField::shares;
  std::string level;                           // the level of the field, or the name of the new FlowSchema and level
  int from = 0;                                // level: the shares of all others
  int to = 0;                                  // level: its shares
  std::string user;                            // level: whose requests go there
  int precedence = 0;                          // level: of its new FlowSchema; 0: there is none
  bool keeps_seats = false;                    // level: it protects its client, rather than the others from it
  std::vector<std::string> flow_schemas = {};  // level: of the user's own, those that lead there from now on
  bool operator==(const SuggestChange&) const = default;
};

struct SuggestOptions {
  // The log, the configuration (complete, in the API's own dialect) and the server. In all replays of `spread` the
  // goals are to be met.
  ReplayOptions replay;
  std::vector<ConfigText> texts;  // the user's own files, of which the configuration is made
  // Texts that are not files, by name: standard input, a cluster's objects. Their changed objects are written whole.
  std::set<std::string> no_files;
  std::vector<SuggestGoal> goals;
  // Users that get a level of their own: it bounds what they take from others, or keeps seats for them. With `:*`
  // at the end all service accounts of a namespace, "system:node:*" all nodes.
  std::vector<std::string> isolate, protect;
  bool isolate_culprits = false;          // also isolate the users that cause the refusals
  Nanos wait_bound = 100 * kMillisecond;  // p99 of the waits of protected users; none of their requests is refused
  bool allow_harm = false;                // an answer may refuse requests of protected clients that were served
  int most_seats = 0;                     // server_concurrency_limit may be raised up to that; 0: it stays
  std::uint64_t budget = 300;             // replays
  std::function<bool()> stop;             // set: asked between replays; true ends the search as the budget does
  // One at a time. `best`: the smallest change so far that meets the goals; null: none does.
  std::function<void(std::uint64_t replays, const std::vector<SuggestChange>* best)> progress;
};

struct SuggestLevel {
  std::string name;
  struct Figures {
    std::uint64_t requests = 0, rejected = 0, rejected_low = 0, rejected_high = 0;
    Nanos p99 = 0, p99_low = 0, p99_high = 0;
    int seats = 0;  // nominal
  };
  std::optional<Figures> before, after;
};

// Requests that are worse off than before, by more than the replays differ.
struct SuggestLoser {
  std::string flow;  // its user, namespace or FlowSchema
  SuggestLevel::Figures before, after;
  bool more_refused = false, longer_waits = false;
  bool is_protected = false;  // of the control plane, nodes or leader election
};

struct SuggestTried {
  std::vector<SuggestChange> changes;
  double miss = 0;  // the farthest goal; 0: all are met
  double cost = 0;
  std::string goal, found;  // the goal that is missed farthest: "shop.rejected == 0", "it is 12"
  std::string finding;      // all goals are met, but "lint would find APF305 in PriorityLevelConfiguration/shop"
  std::string worse;        // no larger change, but: "30 requests of shop wait or are refused instead of 12"
};

// What shows that there is no such configuration.
struct SuggestProof {
  // With this number of seats and these changes, the goals are met; with one seat less they are not.
  std::optional<int> seats;
  std::vector<SuggestChange> with;
  std::string goal, found;  // what is missed with one seat less; without a goal, what else is against it
  // By counting: what arrives in [from, to] and may not end up waiting longer than the goals allow takes `seat_seconds`
  // of work within [from, to], at one seat each; no order of requests needs fewer than `seats_by_counting`.
  std::string subject;
  Nanos from = 0, to = 0;
  double seat_seconds = 0;
  std::uint64_t requests = 0;
  int seats_by_counting = 0;  // 0: the goals are not of the kind that can be counted, or the log does not allow it
};

struct SuggestReport {
  ReplayReport log;  // what was read, and the assumptions of the replay without changes
  // The goals, and what is there before and, where a change meets them, after: "it is 12".
  std::vector<std::string> goals, found, found_after;
  bool met_before = false, met = false;
  std::vector<SuggestChange> changes;  // empty: none is needed, or none meets the goals
  // How large they are: 1 a field, and 1 more for each doubling, halving or 50 points of a percentage; 2 a limit that
  // goes; 4 a level, and up to 1 more for the part of all shares that it keeps for its client; three times as much as a
  // field for the server's seats.
  double cost = 0;
  std::vector<ConfigText> texts;     // the user's files with the changes; new ones last
  std::vector<std::string> objects;  // changed and new objects, as YAML with the arithmetic as comments
  int seats_before = 0, seats_after = 0;
  std::vector<SuggestLevel> levels;  // by name
  std::vector<SuggestLoser> losers;  // all of them, in the order of harm
  // The changes refuse requests of protected clients that were served before, and no other changes meet the goals.
  bool harms = false;
  std::vector<SuggestTried> rejected;  // different ideas, those that come nearest first, five at most
  // Configurations that meet the goals and must not be suggested; why not, where that is one and the same.
  std::uint64_t objected = 0;
  std::string objection;
  SuggestProof proof;  // not met
  std::uint64_t replays = 0, configurations = 0;
  int variants = 1;  // replays of a configuration
  bool interrupted = false, out_of_budget = false;
};

// Throws Error as replay() does, and without anything to reach. Never touches mandatory objects, and suggests nothing
// of which lint() finds more than before.
APF_API SuggestReport suggest(const SuggestOptions& options);

// --- why: what the replay of a log does without each suspect, and with each cure ---

// The experiments take a few dozen replays of the log, of its worst part where it has more than `most_requests`.
struct WhyOptions {
  ReplayOptions replay;
  std::uint64_t most_requests = 100'000;
};

// `report`: replay() of these options. Nothing is tried, and the verdict is `undecided`, where the log contradicts it.
// No report where stages or clients of the replay allow no experiment (quotas, max-in-flight, clients that come back),
// and where the log can be read only once. Throws Error as replay() does.
APF_API std::optional<WhyReport> explain_by_replay(const WhyOptions& options, const ReplayReport& report);
// The same with a replay of its own. The verdict is `undecided`, too, where the log has refusals and the replay none.
APF_API std::optional<WhyReport> explain_by_replay(const WhyOptions& options);

}  // namespace apf
