// The table of what may be set of a replay.
#include "replay/passes/flag_values.h"

#include <algorithm>

#include <apf/error.h>
#include <fmt/format.h>

#include "base/joined.h"
#include "config/closest.h"

namespace apf {

namespace {

using Form = SettingForm;
using View = std::string_view;

constexpr View kAll = "replay compare headroom suggest sweep",
               kAllAndSides = "replay compare headroom suggest sweep sides",
               kAllReplays = "replay compare headroom suggest", kNotHeadroom = "replay compare suggest sweep",
               kSides = "replay compare", kSidesAndPlans = "replay compare sweep";
constexpr View kDuration = "a duration such as 60s";
constexpr double kTenYears = 10.0 * 365 * 24 * 3600;  // s
constexpr double kMostRate = 1e9, kLargestFactor = 10'000, kLargestWidth = 1e12;

// Within its row's bounds, which ReplaySetting::set() holds it to.
std::int64_t whole(View text) { return parse_whole_number(text, INT64_MIN, INT64_MAX); }

Nanos positive(View text) {
  const Nanos value = parse_duration(text);
  if (value == 0) throw Error(fmt::format("{} must be greater than 0", text));
  return value;
}

// LAG[/WRITE]
QuotaConflicts quota_conflicts_of(View text) {
  QuotaConflicts out;
  const std::size_t slash = text.find('/');
  out.lag = parse_duration(text.substr(0, slash));
  if (slash != View::npos) out.write = parse_duration(text.substr(slash + 1));
  if (out.write == 0) throw Error("an update cannot take 0s");
  return out;
}

// Where only some user agents have limits, the others have none.
ClientLimits& limits_of(ReplayOptions& options, bool of_all) {
  if (options.client_limits) return *options.client_limits;
  options.client_limits.emplace();
  if (!of_all) options.client_limits->of_all.qps = -1;
  return *options.client_limits;
}

std::vector<ReplaySetting> log_settings() {
  return {
      {.name = "watch-init",
       .commands = kAllReplays,
       .group = "Log",
       .metavar = "DURATION",
       .text = "How long a watch takes to initialize if the log does not say (default 0s).",
       .expected = kDuration,
       .apply = [](ReplayOptions& o, View v) { o.watch_init = parse_duration(v); }},
      {.name = "refused-execution",
       .commands = kAllReplays,
       .group = "Log",
       .metavar = "DURATION",
       .text = "Execution time of requests that the log shows as refused (default: the mean of similar requests so "
               "far).",
       .expected = kDuration,
       .apply = [](ReplayOptions& o, View v) { o.refused_execution = parse_duration(v); }},
      {.name = "from",
       .commands = kSides,
       .group = "Log",
       .metavar = "TIME",
       .text = "Report only requests that arrive from this time on. All requests are replayed.",
       .apply = [](ReplayOptions& o, View v) { o.from = parse_replay_time(v); }},
      {.name = "to",
       .commands = kSides,
       .group = "Log",
       .metavar = "TIME",
       .text =
           "Report only requests that arrive before this time. TIME: RFC 3339, an integer (ns), or a duration after "
           "the first arrival (90s).",
       .apply = [](ReplayOptions& o, View v) { o.to = parse_replay_time(v); }},
      {.name = "retries",
       .commands = kAll,
       .group = "Log",
       .metavar = "",
       .text = "Retry requests that the replay refuses but the log does not, after Retry-After.",
       .form = Form::yes,
       .words = {"false", "true"},
       .apply = [](ReplayOptions& o, View v) { o.retries = v == "true"; }},
  };
}

std::vector<ReplaySetting> server_settings() {
  return {
      {.name = "request-timeout",
       .commands = kAll,
       .group = "Server",
       .metavar = "DURATION",
       .text = "Value of kube-apiserver's flag (default 60s). A request may queue for a quarter of it.",
       .expected = kDuration,
       .apply = [](ReplayOptions& o, View v) { o.request_timeout = positive(v); }},
      {.name = "min-request-timeout",
       .commands = kAllReplays,
       .group = "Server",
       .metavar = "SECONDS",
       .text = "Value of kube-apiserver's flag (default 1800). A watch without an end in the log ends after its "
               "timeoutSeconds, or after twice this time.",
       .form = Form::whole_number,
       .most = kTenYears,
       .apply = [](ReplayOptions& o, View v) { o.min_request_timeout = whole(v) * kSecond; }},
      {.name = "borrowing",
       .commands = kAll,
       .group = "Server",
       .metavar = "HOW",
       .text = "How seats move between levels: server (as in kube-apiserver, default), kep (as in KEP-1040) or off.",
       .form = Form::word,
       .words = {"server", "kep", "off"},
       .apply =
           [](ReplayOptions& o, View v) {
             o.borrowing = v == "off" ? Borrowing::off : v == "kep" ? Borrowing::kep : Borrowing::server;
           }},
      {.name = "consistent-list-from-cache",
       .commands = kAllReplays,
       .group = "Server",
       .metavar = "WHEN",
       .text = "Whether the watch cache serves consistent lists: auto (by release, default), on or off.",
       .form = Form::word,
       .words = {"auto", "on", "off"},
       .apply = [](ReplayOptions& o,
                   View v) { o.consistent_list_from_cache = v == "auto" ? std::nullopt : std::optional(v == "on"); }},
      {.name = "start",
       .commands = kAllReplays,
       .group = "Server",
       .metavar = "TIME",
       .text = "When the server started. It adjusts borrowing then and every 10 s. By default apfctl finds it in the "
               "logs, or uses the first arrival.",
       .apply = [](ReplayOptions& o, View v) { o.start = parse_replay_time(v); }},
  };
}

std::vector<ReplaySetting> client_settings() {
  return {
      {.name = "client-model",
       .commands = kNotHeadroom,
       .group = "What if",
       .metavar = "AGENT=MODEL",
       .text = "How clients behave whose user agent or user name starts with AGENT (*: every client): open (they send "
               "at the recorded times, default), workers[:N] (at most N requests in flight, the rest wait in the "
               "client) or loop[:N] (the next request follows an answer). Without N, as the log shows. Or auto: all "
               "clients as the log shows, where the evidence is strong. Repeatable.",
       .form = Form::texts,
       .expected = "AGENT=MODEL, or auto",
       .pattern = "^(auto|.+=(open|(workers|loop)(:([1-9][0-9]*|auto))?))$",
       .apply =
           [](ReplayOptions& o, View v) {
             if (v == "auto") o.client_models_by_log = true;
             else o.client_models.push_back(parse_client_model(v));
           }},
      {.name = "client-timeout",
       .commands = kAll,
       .group = "What if",
       .metavar = "AGENT=DURATION",
       .text = "Clients whose user agent or user name starts with AGENT (*: every client) hang up if a request is not "
               "answered after DURATION, such as kubectl/=30s. Repeatable.",
       .form = Form::texts,
       .expected = "AGENT=DURATION",
       .pattern = "^.+=.+$",
       .apply = [](ReplayOptions& o, View v) { o.client_timeouts.push_back(parse_client_timeout(v)); }},
  };
}

std::vector<ReplaySetting> load_settings() {
  return {
      {.name = "scale",
       .commands = kAll,
       .group = "Load",
       .metavar = "[CLIENT=]X",
       .text =
           "Replay X times the load. Copies of each client's requests, each copy moved by up to 1s; below 1, a part "
           "of them. With CLIENT, for these clients alone: sa:NS/NAME, sa:NS/*, node:NAME, user:NAME, or how a "
           "name begins, followed by *. Repeatable.",
       .form = Form::texts,
       .expected = "a factor such as 2, or CLIENT=2",
       .most = kLargestFactor,
       .also = "number",
       .apply = [](ReplayOptions& o, View v) { o.scales.push_back(parse_scale(v)); }},
      {.name = "execution-scale",
       .commands = kAll,
       .group = "Load",
       .metavar = "[WHAT=]X",
       .text = "Requests run X times as long as in the log: what if etcd, a webhook or a disk is slower? With WHAT, "
               "those of a client (as in --scale), a priority level or a resource (pods, deployments.apps) alone. "
               "Repeatable.",
       .form = Form::texts,
       .expected = "a factor such as 2, or pods=2",
       .most = kLargestFactor,
       .also = "number",
       .apply = [](ReplayOptions& o, View v) { o.execution_scales.push_back(parse_execution_scale(v)); }},
      {.name = "width-cap",
       .commands = kAllAndSides,
       .group = "Load",
       .metavar = "SEATS",
       .text = "No list takes more seats than that, in place of the release's limit (100 since 1.34, 10 before): what "
               "if it were another one? Levels still allow no more than they do.",
       .form = Form::whole_number,
       .least = 1,
       .most = kMostListSeats,
       .apply = [](ReplayOptions& o, View v) { o.list_widths.most = static_cast<int>(whole(v)); }},
      {.name = "width-bytes",
       .commands = kAllAndSides,
       .group = "Load",
       .metavar = "BYTES",
       .text = "A list takes a seat for each so many bytes that it returns, such as 100k: what if its seats followed "
               "from that? By object counts with sizes (--objects); other lists take what the release estimates, and "
               "are counted.",
       .expected = "a quantity such as 100k",
       .least = 1,
       .most = kLargestWidth,
       .also = "integer",
       .apply = [](ReplayOptions& o, View v) { o.list_widths.bytes = parse_bytes(v); }},
      {.name = "nodes",
       .commands = kAll,
       .group = "Load",
       .metavar = "X|+N",
       .text =
           "Replay X times as many nodes; above 10 with an x, as 500x. As a flag also +N: N more. Copies of what users "
           "system:node:* send, each as a node of its own.",
       .expected = "a factor such as 2",
       .most = kLargestFactor,
       .also = "number",
       .apply = [](ReplayOptions& o, View v) { o.scales.push_back(parse_nodes(v)); }},
  };
}

std::vector<ReplaySetting> limiter_settings() {
  return {
      {.name = "apf",
       .commands = kSidesAndPlans,
       .group = "Stages",
       .metavar = "WHEN",
       .text = "on (default), or off: requests pass the max-in-flight filter instead, with the limits "
               "--max-requests-inflight and --max-mutating-requests-inflight (0 = no limit).",
       .form = Form::on_off,
       .words = {"on", "off"},
       // The limits are the caller's.
       .apply =
           [](ReplayOptions& o, View v) {
             if (v == "off") o.in_flight.emplace();
             else o.in_flight.reset();
           }},
      {.name = "client-burst",
       .commands = kSidesAndPlans,
       .group = "Stages",
       .metavar = "N",
       .text = "Number of requests that a client may send at once (0: client-go's default of 10).",
       .form = Form::whole_number,
       .most = kMostRate,
       .apply = [](ReplayOptions& o, View v) { limits_of(o, true).of_all.burst = parse_client_burst(v); }},
      {.name = "client-qps",
       .commands = kSidesAndPlans,
       .group = "Stages",
       .metavar = "N|AGENT=N/BURST",
       .text = "Limit each client to N requests per second, as client-go's rate limiter does (0: its default of 5; "
               "negative: no limit). With AGENT, clients whose user agent starts with it, such as kubectl/=50/300; "
               "without N, the others have no limit. Repeatable.",
       .form = Form::texts,
       .expected = "a number, or AGENT=N/BURST",
       .least = -kMostRate,
       .most = kMostRate,
       .pattern = "^.+=[^/]+/[0-9]+$",
       .also = "number",
       .apply =
           [](ReplayOptions& o, View v) {
             if (v.find('=') == View::npos) limits_of(o, true).of_all.qps = parse_client_qps(v);
             else limits_of(o, false).by_user_agent.push_back(parse_client_limit(v));
           }},
  };
}

std::vector<ReplaySetting> admission_settings() {
  return {
      {.name = "event-rate-limit",
       .commands = kSidesAndPlans,
       .group = "Stages",
       .metavar = "FILE",
       .text = "Limit events as the EventRateLimit admission plugin does. FILE: its Configuration, or an "
               "AdmissionConfiguration that contains or names it.",
       .form = Form::file},
      {.name = "event-sender",
       .commands = kSidesAndPlans,
       .group = "Stages",
       .metavar = "HOW",
       .text = "What senders do when EventRateLimit refuses an event: server (default: as Kubernetes does, drop it and "
               "send the next), abandon[:DURATION] (send no events for this time, 1s), retry[:DURATION] (send it again "
               "after this time, 10s, up to 11 times).",
       .expected = "server, abandon or retry",
       .pattern = "^(server|(abandon|retry)(:.+)?)$",
       .needs = "event-rate-limit",
       .usual = "server",
       .apply = [](ReplayOptions& o, View v) { o.event_sending = parse_event_sending(v); }},
      {.name = "quota",
       .commands = kSidesAndPlans,
       .group = "Stages",
       .metavar = "FILE",
       .text = "Enforce the ResourceQuotas of namespaces. FILE: the quotas, or the configuration of the admission "
               "plugin. Repeatable.",
       .form = Form::files},
      {.name = "quota-used",
       .commands = kSidesAndPlans,
       .group = "Stages",
       .metavar = "auto|status|zero",
       .text =
           "Usage to start with: status (from the quota's status), zero, or auto (default): the status if the quota "
           "has one.",
       .form = Form::word,
       .words = {"auto", "status", "zero"},
       .needs = "quota",
       .usual = "auto",
       .apply =
           [](ReplayOptions& o, View v) {
             o.quota_start = v == "zero"     ? QuotaStart::zero
                             : v == "status" ? QuotaStart::status
                                             : QuotaStart::automatic;
           }},
      {.name = "quota-resync",
       .commands = kSidesAndPlans,
       .group = "Stages",
       .metavar = "DURATION|off",
       .text = "Interval at which the quota controller recounts usage, such as 5m; until then deleted objects still "
               "count (default off: they stop counting at once).",
       .expected = "a duration such as 5m, or off",
       .also = "off",
       .needs = "quota",
       .usual = "off",
       .apply = [](ReplayOptions& o, View v) { o.quota_resync = v == "off" ? 0 : parse_duration(v); }},
      {.name = "quota-conflicts",
       .commands = kSides,
       .group = "Stages",
       .metavar = "LAG[/WRITE]|off",
       .text =
           "Simulate conflicting updates of a quota's status by several servers and the quota controller. The loser "
           "retries and finally gets 409 or 500. LAG: how far a server's cache is behind, such as 20ms; WRITE: how "
           "long an update takes (5ms). Default off.",
       .needs = "quota",
       .usual = "off",
       .apply =
           [](ReplayOptions& o, View v) {
             if (v != "off") o.quota_conflicts = quota_conflicts_of(v);
           }},
  };
}

std::vector<ReplaySetting> all_settings() {
  std::vector<ReplaySetting> out;
  for (auto* const some :
       {log_settings, server_settings, client_settings, load_settings, limiter_settings, admission_settings})
    for (ReplaySetting& setting : some()) out.push_back(std::move(setting));
  return out;
}

}  // namespace

std::span<const ReplaySetting> replay_settings() {
  static const std::vector<ReplaySetting> settings = all_settings();
  return settings;
}

const ReplaySetting& replay_setting(std::string_view name) {
  for (const ReplaySetting& setting : replay_settings())
    if (setting.name == name) return setting;
  throw Error(fmt::format("there is no setting '{}'", name));
}

bool ReplaySetting::is_of(std::string_view command) const {
  return fmt::format(" {} ", commands).find(fmt::format(" {} ", command)) != std::string::npos;
}

void ReplaySetting::set(ReplayOptions& options, std::string_view value) const {
  if (!words.empty() && std::find(words.begin(), words.end(), value) == words.end()) {
    const std::string_view near = closest(value, words);
    throw Error(near.empty() ? fmt::format("unknown value '{}'; expected one of {}", value, joined(words, ", "))
                             : fmt::format("unknown value '{}'; did you mean '{}'?", value, near));
  }
  if (form == SettingForm::whole_number)
    parse_whole_number(value, static_cast<std::int64_t>(least), static_cast<std::int64_t>(most));
  if (apply) apply(options, value);
}

}  // namespace apf
