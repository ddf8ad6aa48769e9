// The requests of logs for what reads none itself.
#include <apf/logs.h>

#include "logs/repeated_requests.h"
#include "logs/traced_info.h"

namespace apf {

namespace {

// When the response was complete; nothing where the log does not say.
std::optional<Nanos> response_end(const TraceRequest& logged) {
  if (logged.recorded_end) return logged.recorded_end;
  if (!logged.execution) return std::nullopt;
  return logged.time + logged.recorded.queue_wait.value_or(0) + *logged.execution;
}

class LogTraffic : public TrafficReader {
 public:
  Counts read(const std::string& log, const Sink& sink) override {
    Counts out;
    const std::uint64_t before = repeated_.count();
    out.damaged = read_requests(
        log,
        [&](const LoggedRequest& logged) {
          const bool usable = logged.error.empty();
          ++out.requests;
          out.unusable += usable ? 0 : 1;
          sink(usable ? &logged.request.info : nullptr, logged.user);
        },
        repeated_);
    out.repeated = repeated_.count() - before;
    return out;
  }

  void read_in_order(const std::string& log, const TimedSink& sink, const std::function<void()>& begin_again) override {
    LogOptions options;
    options.logs = {log};
    ParsedRequest parsed;
    const auto take = [&](const TraceRequest& logged) {
      const std::optional<Nanos> end = response_end(logged);
      if (!end) return;
      const RequestInfo& info = info_of(logged, parsed);
      if (logged.request_info || parsed.error().empty()) sink(info, logged.user, logged.time, *end);
    };
    trace_logs(options, take, begin_again);
  }

 private:
  RepeatedRequests repeated_;
};

}  // namespace

std::unique_ptr<TrafficReader> log_traffic() { return std::make_unique<LogTraffic>(); }

}  // namespace apf
