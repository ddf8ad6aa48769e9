// Who may have sent a request that only the HTTP log has: users seen at the same address with the same user
// agent.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "replay/prepare/prepare.h"
#include "replay/prepare/run_numbers.h"

namespace apf {

class Clients {
 public:
  // `flows` and `numbers` are the run's; `worker` is a number of its own.
  Clients(const PrepareContext& context, GlobalNumbers& numbers, const Flows& flows, std::uint32_t worker);

  // An audit event tells who a client is. `worker`: whose number of the user the sender has.
  void see(const Sender& sender, std::uint32_t worker);
  // A request whose user is known: does it go here where the log says it went?
  void observe(const PreparedEvent& event);
  // Gives the event, an HTTP line without its audit event, the user that it may be of: one of the last seen, whom the
  // configuration sends where the log says the request went; under a configuration that sends known users elsewhere,
  // too, the last one seen. False: nobody is known, and the request stays where the log says it went.
  bool find(PreparedEvent& event, const Sender& sender);

  std::uint64_t found() const { return found_; }

 private:
  static constexpr int kKept = 4;
  struct Seen {
    std::uint32_t users[kKept] = {};  // 1 + number, the last one first
  };
  bool goes_as_logged(const PreparedEvent& event, std::uint32_t place) const;
  PreparedEvent classify(const std::string& request, const std::string& user_json, const std::string& user_agent);

  GlobalNumbers& numbers_;
  const Flows& flows_;
  const bool tells_clients_;
  Preparer preparer_;
  PreparedBatch batch_;
  std::unordered_map<std::uint64_t, Seen> clients_;
  std::uint64_t found_ = 0, observed_ = 0, as_logged_ = 0;
};

}  // namespace apf
