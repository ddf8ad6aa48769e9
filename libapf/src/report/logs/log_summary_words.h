// Words of the report on a log.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <apf/document.h>
#include <apf/log_summary.h>
#include <apf/time.h>

namespace apf {

inline constexpr auto kOfQueue = static_cast<std::size_t>(LatencyPart::queue);
inline constexpr auto kWhole = static_cast<std::size_t>(LatencyPart::total);

std::string minute_of(Nanos time);  // "10:02"
// "from 09:08 to 09:20", "from 09:08:31 to 09:08:40", "at 09:08:31"; of several days with these.
std::string when(Nanos from, Nanos to);
std::string part_of(std::uint64_t part, std::uint64_t whole);  // "7 of 24"
// With two digits that say something: "1,203", "12.4", "0.31", "0.004".
std::string seat_seconds(double sum);

// Where the time of slow requests went, in few words.
struct Spent {
  const char* what;
  Nanos sum;
};
// Whether the sum of a part is known: annotations tell every part but storage, traces those alone that they name.
bool knows(const SlowRequests& slow, LatencyPart part);
std::vector<Spent> spent(const SlowRequests& slow);
// "20 requests took half a second or longer, 2m26s in all: mutating webhooks 1m37s, etcd 46.1s; …"
std::string slow_sentence(const LogSummary& summary);
std::string waits_sentence(const LogSummary& summary);
Passage time_passage(const LogSummary& summary);

// So many answers are not in the log that shares are of the requests that have theirs.
bool lacks_answers(const LogTally& tally);
// "12 requests", or "12 requests whose answers are in the log".
std::string answered_requests(const LogTally& tally);
std::uint64_t answers_by(const LogSummary& summary, AnswerCause cause);
// Who held requests back, by what clients say; and which log to take of a server that did.
std::vector<std::string> client_sentences(const ClientThrottling& clients);
// "Answered 500: 13,329 failed calls of an admission webhook, deny.example (12 % of requests), 09:08 to 09:20.", of
// causes that are one in a hundred requests or more, but for refusals.
std::vector<std::string> failure_sentences(const LogSummary& summary);
// "What rose: sa:fleet/importer, update clusters: 3,570 requests a minute from 09:06 to 09:25, 12 at other times."
struct SaidChange {
  const WhyChange* change;
  std::string sentence;
};
std::vector<SaidChange> said_changes(const LogSummary& summary);
// Refusals, errors and requests by client as charts, with these changes.
Passage course_of_clients(const LogSummary& summary);
// "2.6 a second", "20 a minute"; empty: there are too few to say it.
std::string rate_in_words(std::uint64_t requests, Nanos span);
// "node:* (16 nodes)", "sa:NAMESPACE/NAME for 40 users"; not of a user agent.
std::string client_in_words(const LogRow& client);
// "Most of them were from NAME: 236 of its 1,073 requests.", of what was refused; empty without any.
std::string most_refused_sentence(const LogSummary& summary);
// "Busiest client: NAME, 1,560 of 1,760 requests (89 %), 2.6 a second, most of them …; 75 % of the seat-seconds."
std::string busiest_sentence(const LogSummary& summary);
// Who acts for others, where the sentence above does not say it.
std::string acting_sentence(const LogSummary& summary);
std::string share_in_words(double share);
// Seats in use on average, minute by minute, as a line of blocks for each level.
void show_seat_course(const LogSummary& summary, Passage& out);

// The first rows of `--by`, at most `most`; by minute in the order of time. `brief`: nodes are one.
std::vector<LogRow> rows_by(const LogSummary& summary, std::size_t most, bool brief = false);

// By code, most first, beside answers 429: "600 × 403, 20 × 409". Empty: there are none.
std::string other_errors(const LogSummary& summary);

// By what numbers a client is accused.
std::string evidence(const ClientFinding& finding);

}  // namespace apf
