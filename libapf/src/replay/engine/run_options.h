// What the options of a replay mean for its parts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <apf/replay.h>

#include "replay/prepare/prepare.h"

namespace apf {

class RetryChains;

// The sides of a comparison beside the first NEW.
struct OtherSides {
  std::span<const ReplayOptions> others = {};  // the last is OLD
  // In place of all these: systems that share the options' configurations, and differ in what limits requests. The
  // options are those of one of them.
  std::span<const ReplayOptions> systems = {};
};

inline bool is_interrupted(const ReplayOptions& options) { return options.interrupted && *options.interrupted; }

// Whether requesters are users with a certain user agent.
bool is_about_clients(const ReplayOptions& options);
// Whether a request must have a FlowSchema to be replayed.
bool classifies(const ReplayOptions& options);

// Throws Error where a release is to be replayed that queued by rules that are not known here.
void check_releases(const ReplayOptions& options);
// Whether the replay alone says nothing of the server that wrote the log, and no recorded server is replayed first:
// requests come more or less often than in the log, or run for another time, or API Priority and Fairness is off.
bool differs_from_log(const ReplayOptions& options);
// Whether the replayed server is the recorded one, with as many requests as there were. The seats of both are as given.
bool is_recorded_server(const ReplayOptions& options, int recorded_seats, int seats);
// Where who retries shows as the log goes on: nobody is known from the beginning.
const RetryChains& unknown_retries();
// Of a log of so many events that was read whole: a long one may be replayed while it is read, and nobody is known
// then. Null: nobody was refused.
const RetryChains* retries_in(const RetryChains& seen, std::uint64_t events);
// Throws Error where a client has two models, time-outs or scales: nothing says which of them counts.
void check_named_once(const ReplayOptions& options);

// What is replayed first, when the log was written under another configuration: that one, and nothing but the server.
std::optional<ReplayOptions> first_options(const ReplayOptions& options);

// Number of the first one of the recorded configurations: see context_of().
inline std::size_t recorded_configuration(const ReplayOptions& options) { return 1 + options.config_changes.size(); }

// No client, no limit inside the handler and no scaled load: requests come as the log says, and the server decides.
bool nothing_but_the_server_decides(const ReplayOptions& options);

// The same replay for its report alone: it writes nothing, shows no progress, and no further replays follow.
ReplayOptions without_outputs(ReplayOptions options);

// The server that is replayed, as the one that wrote the log.
RecordedConfig as_recorded(const ReplayOptions& options);

// Whether the log may leave open how long requests run.
bool may_be_undecided(const ReplayOptions& options);
// Whether all of the logs can be.
bool can_be_read_again(const ReplayOptions& options);
// Every request until its recorded end; nothing but the report is made.
ReplayOptions with_recorded_ends(const ReplayOptions& options);

// What becomes of log text, for this server and others that are replayed from the same reading. Their configurations
// are numbered in this order: the server's own and its changes, the recorded one and its changes, those of the others.
// Throws Error when the configurations do not fit together.
PrepareContext context_of(const ReplayOptions& options, const OtherSides& sides = {});

}  // namespace apf
