// Who sent the requests that one worker prepares: users, user agents, and clients whose users the log does not name.
// Each has a number of the worker; what is new is in its batch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <apf/classify.h>

#include "base/interner.h"
#include "logs/completeness.h"
#include "logs/event_view.h"
#include "replay/prepare/prepared.h"
#include "replay/prepare/recorded_schema.h"

namespace apf {

struct PrepareContext;

struct KnownUser {
  std::uint32_t number = 0;
  User user;
  bool masters = false;
  TrafficClient client;
  std::vector<std::shared_ptr<const Classifier::Candidates>> candidates;  // by configuration
  // By configuration, for a client of the HTTP log, whose name is not known but where its requests went. Empty: the
  // user is known.
  std::vector<RecordedSchema> fixed;
  std::string logged_schema;  // with these
};

class LocalUsers {
 public:
  explicit LocalUsers(const PrepareContext& context) : context_(context) {}

  // Those of a user that the log names.
  const KnownUser& user_of(const LogEvent& event, PreparedBatch& batch) {
    if (event.user_memo != nullptr && *event.user_memo != 0) return *users_[*event.user_memo - 1];
    const KnownUser& user = find(event.user_json, batch);
    if (event.user_memo != nullptr) *event.user_memo = user.number + 1;
    return user;
  }
  // A client of the HTTP log: what it has instead of a name is its address and its user agent.
  const KnownUser& client_of(const LogEvent& event, PreparedBatch& batch);
  std::uint32_t agent_of(const LogEvent& event, const KnownUser& user, PreparedBatch& batch);
  // After agent_of() of the same request. By users alone the numbers are those of users, which are reported when they
  // are seen first.
  std::uint32_t requester_of(const LogEvent& event, const KnownUser& user, PreparedBatch& batch);

 private:
  const KnownUser& find(std::string_view user_json, PreparedBatch& batch);
  const KnownUser& add(std::unique_ptr<KnownUser> known, std::string_view user_json, PreparedBatch& batch);

  const PrepareContext& context_;
  std::vector<std::unique_ptr<KnownUser>> users_;  // by number
  Interner user_texts_;
  std::vector<std::uint32_t> user_by_text_;  // raw user text -> user
  std::unordered_map<std::string, std::uint32_t> users_by_identity_;
  Interner clients_;                         // of the HTTP log
  std::vector<std::uint32_t> client_users_;  // -> user
  Interner agents_, requesters_;
  std::vector<std::uint32_t> agent_of_user_;  // of the last request, by number of user
  // By number of user: the requester of its last request, and with which user agent that was.
  struct LastRequester {
    std::uint32_t agent = UINT32_MAX, requester = 0;
  };
  std::vector<LastRequester> last_requesters_;
  std::string key_;
};

}  // namespace apf
