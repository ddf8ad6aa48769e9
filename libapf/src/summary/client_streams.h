// What each client sends again and again: requests of one user and agent with one verb on one path, and whether that is
// a misuse of the API. Thresholds are stated beside the rules (client_faults.cc): a false accusation is worse than
// none.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <apf/log_summary.h>

#include "base/large_pages.h"
#include "summary/herds.h"
#include "summary/request_facts.h"

namespace apf {

// Durations by half powers of two: enough for bounds of a median within a factor of 1.5, and exact where all are alike.
class DurationCounts {
 public:
  void add(Nanos duration);
  void add(const DurationCounts& others);
  // Half of them, or more, took that long or longer, and that long or less; nothing: there are none.
  std::optional<Nanos> half_at_least() const;
  std::optional<Nanos> half_at_most() const;

 private:
  static constexpr std::size_t kBins = 48;  // from a tenth of a millisecond on
  std::size_t median_bin() const;
  using Bins = std::array<std::uint32_t, kBins>;
  static std::size_t bin_of(Nanos duration);
  Bins& bins();
  std::unique_ptr<Bins> bins_;  // where there are two or more
  std::uint32_t count_ = 0;
  Nanos shortest_ = INT64_MAX, longest_ = 0;
};

// Bounds that the rules ask for.
inline constexpr Nanos kGapBounds[] = {1500 * kMillisecond, 5 * kSecond, 10 * kSecond, 30 * kSecond};
inline constexpr Nanos kShortLife = 10 * kSecond, kLong = 500 * kMillisecond;

// What one address sends of a stream: one instance of the client, as far as a log tells.
struct StreamSource {
  std::uint32_t address = 0;
  Nanos stream = 0;  // begin of the stream, to tell it from an earlier one that was dropped
  Nanos last = INT64_MIN;
  Nanos last_fresh = INT64_MIN;
  Nanos busy_until = INT64_MIN;    // the latest end so far
  Nanos last_refusal = INT64_MIN;  // when the one before was refused, if it was
  std::uint64_t refused_uri = 0;
  std::vector<Nanos> refusals;  // ends of those that no client may have come back from yet, in order
  std::uint32_t owed = 0;       // refusals that one may come back from now, as Retry-After says
  // Watches whose end is not known yet, and later ones from there that may have overlapped with them.
  std::uint32_t open = 0;
  std::vector<Nanos> beside_open;
};

// Requests of one user and agent with one verb on one path, with the same selectors. What each request changes stands
// first, in few lines of the processor's cache.
struct ClientStream {
  std::uint64_t key = 0;
  std::uint32_t requests = 0;
  std::uint32_t overlapping = 0;                                // that arrived before the one before had ended
  std::uint32_t user = 0, agent = 0, request = 0, address = 0;  // the address of the first one
  double seat_seconds = 0;
  Nanos first = 0, last = 0;
  std::uint32_t served = 0, unpaged = 0, whole = 0, refused = 0, early = 0;
  // Requests that cannot be retries of refused ones by a client that waits as long as Retry-After says; and those of
  // them that came within 30 s of the one before.
  std::uint32_t fresh = 0, fresh_gaps = 0;
  std::uint32_t addresses = 1;  // where it came from
  StreamSource source;          // of the last request
  // Between arrivals from one address: those of at most so long.
  std::array<std::uint32_t, std::size(kGapBounds)> gaps{};
  // With an end, and how long they took, or watches lived; of these, short watches and long requests.
  std::uint32_t timed = 0, short_lives = 0, long_durations = 0;
  DurationCounts times;
  std::array<std::uint32_t, 8> answered{};  // by the causes that the rules ask for: number_of_cause()
  Nanos second = 0;
  std::vector<Nanos> early_gaps;  // from refusals to the same request, those that are shorter than Retry-After
  int first_code = 0, second_code = 0;
  bool is_resource = false, named = false, whole_resource = false, watch = false;
  std::string_view verb, resource;  // of the log's names
  std::string uri;                  // of the first one
};

// A client with one verb on one resource: user, agent, verb and resource.
using ClientKind = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
inline ClientKind kind_of(const ClientStream& s) { return {s.user, s.agent, s.request}; }

// In sum of streams that are no longer kept.
struct DroppedStreams {
  std::uint64_t requests = 0, forbidden = 0, refused = 0, early = 0, overlapping = 0;
};

// The path of its URL.
std::string_view path_of(const ClientStream& stream);

// Of a cause that a rule asks for, its place in ClientStream::answered; -1: none does.
int number_of_cause(AnswerCause cause);

class ClientStreams {
 public:
  // `names`: of the facts.
  explicit ClientStreams(const LogNames& names) : names_(names) {}
  // In order of arrival.
  void add(const RequestFacts& facts, const TraceRequest& course, std::string_view uri);
  // A watch that was added without its end.
  void end_watch(const RequestFacts& facts, Nanos end);
  using Streams = std::vector<ClientStream, LargePages<ClientStream>>;
  const Streams& all() const { return streams_; }

  DroppedStreams dropped(const ClientKind& kind) const;
  const Herds& herds() const { return herds_; }

 private:
  static constexpr std::size_t kMostStreams = 1u << 17;
  static constexpr std::size_t kMostSources = 1u << 17;
  static std::uint64_t key_of(const RequestFacts& facts);
  std::uint32_t& place_of(std::uint64_t key);  // where the number of that stream is, or is to be
  void index(std::size_t places);
  ClientStream& begin(const RequestFacts& facts, const TraceRequest& course, std::string_view uri);
  static void add_duration(ClientStream& stream, Nanos duration);
  void drop_rare();
  void change_source(ClientStream& stream, std::uint32_t address);

  const LogNames& names_;
  Streams streams_;
  std::vector<std::uint32_t> places_ = std::vector<std::uint32_t>(1024);  // by key: 1 + number of the stream; 0: free
  std::map<ClientKind, DroppedStreams> dropped_;
  std::unordered_map<std::uint64_t, StreamSource> sources_;  // of streams from several addresses
  Herds herds_{names_};
};

// The findings, most requests first. `total`: of the log.
std::vector<ClientFinding> find_client_faults(const ClientStreams& streams, const LogNames& names,
                                              const LogTally& total, const std::vector<ClientFault>& ignored);

}  // namespace apf
