// A request as kube-apiserver's HTTP log records it (httplog.go, at -v=3 and above): the fields of the structured
// form, from text or JSON, and the older forms.
#pragma once

#include <string_view>

#include "logs/formats/json_walk.h"
#include "logs/log_event.h"

namespace apf {

class HttpFields {
 public:
  void clear();
  // Takes the value of a key, its escapes resolved. What is not known or not needed is passed over.
  void take(std::string_view key, std::string_view value);
  // Takes the pairs of a text. False: it ends within a value.
  bool take_pairs(std::string_view text, JsonScratch& scratch);
  // kCount: event() is sound. `time`: when the line was written.
  Unusable finish(Nanos time);
  LogEvent& event() { return event_; }

 private:
  void duration(std::string_view text, Nanos& out);
  void number(std::string_view text, int& out);

  LogEvent event_;  // members that HTTP lines do not have stay as they are
  Nanos latency_ = kNoTime;
  bool bad_ = false, out_of_range_ = false;
};

// `"HTTP" verb="GET" URI="…" latency="…" …` or, from 1.18 on, without its first word and with latency and code bare.
bool is_http_message(std::string_view message);
Unusable read_http_message(std::string_view message, Nanos time, JsonScratch& scratch, HttpFields& out);

// `GET /api/v1/x: (1.2ms) 200 [agent address:port]` (httplog_old.cc): how it was written up to 1.17.
bool is_old_http_message(std::string_view message);
Unusable read_old_http_message(std::string_view message, Nanos time, LogEvent& out);

// A duration as Go prints it, also where the µ was mangled on the way (its bytes read in another character set).
Nanos read_logged_duration(std::string_view text);

// "10.0.0.1:1234" and "[::1]:1234" without brackets and port.
std::string_view without_port(std::string_view source);

}  // namespace apf
