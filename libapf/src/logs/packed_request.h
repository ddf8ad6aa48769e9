// What one event says of its request in the normal form, in one piece of memory: a request is held for seconds until
// it is joined with its other events, and comes out once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <apf/logs.h>

#include "base/prefetch.h"
#include "classify/request_view.h"
#include "logs/log_event.h"

namespace apf {

class PackedRequest {
 public:
  // Users by number; 0: the event has none.
  struct Users {
    std::uint32_t user = 0, impersonator = 0;
  };
  // `view`: of the event's request, to be kept as well; null: it is not wanted, or its texts are not the event's.
  void pack(const LogEvent& event, Users users, const RequestView* view = nullptr);
  // All that the event says but the user and where the log says the request went. `out` may hold another request, whose
  // memory is used again.
  void unpack(TraceRequest& out) const;
  // The same without its texts.
  void unpack_course(TraceRequest& out) const;

  void set_time(Nanos time) { time_ = time; }

  std::string_view uri() const { return part(kUri); }
  std::string_view user_agent() const { return part(kUserAgent); }
  std::string_view source_ip() const { return part(kSourceIp); }

  std::uint32_t user() const { return users_.user; }
  std::uint32_t impersonator() const { return users_.impersonator; }
  void set_users(Users users) { users_ = users; }
  // Of a user without a number, as parse_user_json() reads it; empty: there is none.
  std::string_view user_json() const { return part(kUser); }
  std::string_view request_info() const { return part(kInfo); }
  std::string_view latencies() const { return part(kTimes); }
  std::string_view webhook() const { return part(kWebhook); }

  // Of the request, into memory of this one. Null: it was not kept.
  const RequestView::Fields* view() const { return has_view_ ? &view_ : nullptr; }

  // It will be unpacked soon.
  [[gnu::always_inline]] void fetch_text() const { prefetch_text(text_); }

 private:
  enum Part {
    kId,
    kVerb,
    kMethod,
    kUri,
    kUserAgent,
    kSourceIp,
    kUser,
    kObject,
    kInfo,
    kTimes,
    kWebhook,
    kScratch,
    kParts
  };

  std::string_view part(Part number) const {
    const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
    return {text_.data() + begin, ends_[number] - begin};
  }

  Nanos time_ = 0;
  Users users_;
  std::array<std::size_t, kParts> ends_{};  // in text_
  std::string text_;
  // What a trace line says; kNoTime: nothing.
  struct Course {
    Nanos init = kNoTime, execution = kNoTime, wait_limit = kNoTime, recorded_end = kNoTime, watch_end = kNoTime;
  } course_;
  bool has_view_ = false;
  RequestView::Fields view_;
};

}  // namespace apf
