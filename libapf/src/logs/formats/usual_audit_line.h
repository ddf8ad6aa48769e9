// Audit events exactly as kube-apiserver writes them: one a line, members in its order, no blanks, hardly more than
// ASCII, no objects of requests. They are most lines of most logs, and need no index of their tokens: what is between
// the members is compared with what it must be, and users, whose texts are long and come again and again, with those
// seen before.
//
// Any other line is left to the index. What is read here has been checked as thoroughly as there, so that it does not
// matter for an event which of the two reads it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "logs/formats/audit_event.h"

namespace apf {

class UsualAuditLines {
 public:
  // Reads the line at `p`. The text ends at `end`, behind which 64 bytes may be read, the first of them NUL. Returns
  // the line's end (a newline, or `end`); null: it is another line. `user_memo`: see LogEvent.
  // `sink`: is told of the event's start.
  const char* read(const char* p, const char* end, RawAuditEvent& event, std::uint32_t*& user_memo, LogEventSink& sink);

 private:
  // Texts as written, each up to and with the bracket that closes it.
  struct User {
    std::string name, groups;
    std::string annotations;  // of the last event with any, none of them a latency
    bool decided = false;     // whether authorization's is one of them
    std::uint32_t memo = 0;
  };
  const char* read_user(const char* p, const char* end, RawAuditEvent& event, AuditField field, User*& user);
  const char* skip_extra(const char* p, const char* end, std::uint64_t seed);
  static const char* read_annotations(const char* p, const char* end, RawAuditEvent& event, User& user);

  const char* read_time(const char* p, RawAuditEvent& event, AuditField field, Nanos& out);
  const char* read_other_time(const char* p, RawAuditEvent& event, AuditField field, Nanos& out);

  static constexpr std::size_t kUsers = 1u << 11, kExtras = 1u << 11;
  std::vector<User> users_;          // by their names' hashes
  User nobody_;                      // of requests that are not authenticated
  std::vector<std::string> extras_;  // what a user's token says of itself
  LogTimeReader time_;
};

}  // namespace apf
