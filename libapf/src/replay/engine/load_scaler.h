// The requests of a log more often, or less often, than it has them: see LoadScale. The requests of a client come in
// streams: those of the log, and copies of the whole, each moved by a time of its own. Of the last stream only a part
// comes. A part of a smaller factor is a part of the part of a larger one, so that load grows with the factor request
// by request.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedule/end_queue.h"

#include "replay/books/run_context.h"
#include "replay/clients/retry_chains.h"

namespace apf {

// Throws Error if the options have what a copy of a request would not bear.
void check_can_be_scaled(const ReplayOptions& options);
// Which of these options cannot be combined with a scaled load, and why. Null: none of those that are set.
const char* why_not_scalable(bool quotas, bool client_limits, bool client_models);

// Of the scales that fit a user the one with the largest number counts: a name before any part of it.
std::size_t closeness(const LoadScale& scale);
// A pattern is a name, or with a `*` at its end how names begin.
bool matches_name(std::string_view pattern, std::string_view name);

class LoadScaler {
 public:
  explicit LoadScaler(const RunContext& context);

  // How often a watch comes that began before the log, of which nobody knows whose it is.
  std::size_t times_standing();

  using Sink = std::function<void(Nanos now, const JoinedEvent& joined, std::string&& id_text)>;
  // An event of the log, in order of time, and what is due before it.
  void take(Nanos now, const JoinedEvent& joined, std::string&& id_text, const Sink& sink);
  void finish(const Sink& sink);
  void fill(ReplayReport& report) const;

 private:
  struct Client {
    bool known = false, copies_are_clients = false;
    double factor = 1;
    std::uint64_t key = 0;       // of its name
    std::uint64_t requests = 0;  // so far
  };
  // An event of the log, as long as copies of it are due: a copy is made when its time has come.
  struct Source {
    JoinedEvent joined;
    std::string id_text;
    std::uint32_t copies = 0;
  };
  struct Copy {
    std::uint32_t source = 0;  // index into sources_
    std::uint32_t number = 0, flow = 0, attributes = 0;
    Nanos shift = 0;
  };
  struct OpenWatch {
    std::uint32_t copy = 0;
    Nanos shift = 0;
  };

  Client& client_of(const PreparedEvent& event);
  // `request`: its number among those of its client; further attempts at one have that of the first.
  bool comes(const Client& client, std::uint64_t request, std::uint32_t copy) const;
  std::uint64_t number_of(Client& client, const JoinedEvent& joined);
  Nanos shift_of(const Client& client, std::uint32_t copy) const;
  void copy_request(const Client& client, std::uint32_t number, Nanos now, const JoinedEvent& joined,
                    std::uint32_t source);
  void copy_watch_end(Nanos now, const JoinedEvent& joined);
  void pass_until(Nanos now, const Sink& sink);
  std::uint32_t add_source(const JoinedEvent& joined, const std::string& id_text);
  void add_due(Nanos now, const Copy& copy);

  const RunContext& context_;
  std::optional<RetryChains> retries_;         // nothing: each request is one of its own
  std::vector<std::uint64_t> first_of_chain_;  // number of its first request
  std::vector<Client> clients_;                // by number of the requester
  Client nobody_;                              // requests that the log does not hold
  EndQueue due_;                               // of places in copies_
  std::vector<Copy> copies_;
  std::vector<Source> sources_;
  std::vector<std::uint32_t> free_copies_, free_sources_;
  std::uint64_t order_ = 0, standing_ = 0;
  std::unordered_map<std::uint64_t, std::vector<OpenWatch>> open_;  // copies of watches whose end is an event
  std::uint64_t copied_ = 0, thinned_ = 0;
};

}  // namespace apf
