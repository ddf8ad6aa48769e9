// kube-apiserver's own log as klog writes it: text lines or, with --logging-format=json, JSON. Lines of the HTTP log
// become events, what the flow controller says of itself becomes notes, all others are counted.
#pragma once

#include <string_view>

#include "logs/formats/any_line.h"
#include "logs/formats/httplog.h"
#include "logs/formats/json_walk.h"
#include "logs/formats/klog_line.h"
#include "logs/log_event.h"

namespace apf {

// Reads one line of klog text.
class KlogRecord {
 public:
  void begin(const KlogCalendar& calendar) { lines_.begin(calendar); }
  // The same of a line whose header went into the time of its record.
  bool read_message(std::string_view message, const LineContext& context, LogEventSink& sink);
  enum class Result { none, taken, json };  // none: it has no klog header; json: the message is JSON and not taken
  Result read(std::string_view text, const LineContext& context, std::uint64_t line, LogEventSink& sink);
  std::string_view message() const { return message_; }  // until the next call

 private:
  // False: the message is no line of the HTTP log.
  bool take_http(const KlogLine& parts, std::uint32_t origin, std::uint64_t line, LogEventSink& sink);

  KlogLineReader lines_;
  std::string_view message_;
  HttpFields http_;
  LogEvent old_;
  JsonScratch scratch_;
};

// Reads one line of klog's JSON.
class KlogJsonRecord {
 public:
  // Takes the JSON object at the token. Null: it is not JSON.
  JsonToken read(JsonText json, JsonToken object);
  bool is_klog() const { return has_time_ && has_message_; }
  // Of a klog line.
  void emit(std::uint64_t line, std::uint32_t origin, LogEventSink& sink);

 private:
  JsonToken member(JsonText json, std::string_view key, JsonToken value);

  std::string_view time_, message_, place_, level_, current_cl_;
  bool has_time_ = false, has_message_ = false;
  bool has_verbosity_ = false;  // errors have none
  HttpFields fields_;
  JsonScratch scratch_;
};

}  // namespace apf
