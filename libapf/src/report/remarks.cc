// The words of each remark.
#include "report/remarks.h"

#include <cstdlib>
#include <iterator>

#include <apf/report.h>
#include <fmt/core.h>

#include "report/units.h"

namespace apf {

namespace {

using R = const Remark&;
using Kind = RemarkKind;

std::string count_of(R r, const char* one, const char* many) { return counted(r.count.value_or(0), one, many); }
std::string time_of(R r) { return format_rfc3339(r.time.value_or(0)); }
std::string duration_of(R r) { return human_duration(r.duration.value_or(0)); }
const char* by_count(R r, const char* one, const char* many) { return r.count == 1 ? one : many; }

constexpr const char* kFromThenOn =
    "levels have no demand then, and seats move between levels every 10 s from then on.";

// What the log recorded comes first: it is what happened.
std::string contradiction_in_words(R r) {
  const std::uint64_t logged = r.count.value_or(0), replayed = r.other.value_or(0), all = r.total.value_or(0);
  const bool is_of_recorded = r.kind == Kind::log_contradicts_recorded;
  std::string out =
      is_of_recorded ? "The log contradicts the replay of the recorded server: " : "The log contradicts this replay: ";
  if (r.duration) {
    out += fmt::format("in it requests waited {} on average, in the replay {}", human_duration(*r.duration),
                       human_duration(r.time.value_or(0)));
  } else if (logged == 0) {
    out += fmt::format("in it none of {} was refused, and the replay refuses {}", counted(all, "request", "requests"),
                       grouped(replayed));
  } else {
    out += fmt::format("in it {} of {} {} refused ({}), {}{}{}; the replay refuses {}", grouped(logged),
                       counted(all, "request", "requests"), logged == 1 ? "was" : "were", human_percent(logged, all),
                       r.name, r.detail.empty() ? "" : "; ", r.detail, replayed == 0 ? "none" : grouped(replayed));
  }
  return out + (is_of_recorded ? ". The server that wrote the log was another one than is said."
                               : ". The server that wrote the log was another one than is replayed.");
}

// What kept a level from seats that were idle.
std::string held_back_by(R r) {
  if (r.detail == "reject") return "it has no queues (limitResponse Reject)";
  if (r.detail == "queues")
    return "its own limit was not reached either: its queues held requests back (queues, handSize, queueLengthLimit, "
           "or "
           "requests that are very wide)";
  if (r.detail == "maximum") return "it had all that its shares give it and that it may borrow";
  if (r.detail == "shares") return "its shares give it too little, and other levels keep theirs back (lendablePercent)";
  return "a replay says what keeps it from them";  // a log alone does not
}

std::string idle_in_words(R r, const char* what) {
  return fmt::format("While {} {}, {} of {} were idle on average", r.name, what, grouped(r.count.value_or(0)),
                     seats_in_words(static_cast<int>(r.total.value_or(0))));
}

std::string configuration_in_words(R r, const char* what) {
  return fmt::format("Why: the configuration, not overload. {}; {}.", idle_in_words(r, what), held_back_by(r));
}

struct Words {
  Kind kind;
  const char* name;  // in JSON; never changes
  std::string (*sentence)(R);
};

constexpr Words kWords[] = {
    {Kind::clock_from_log, "clock-from-log",
     [](R r) {
       return "The server started before its log begins. Seats move between levels every 10 s as at " + time_of(r) +
              ", which fits the moves that the log records; levels have no demand before that.";
     }},
    {Kind::clock_fitted, "clock-fitted",
     [](R r) {
       return fmt::format(
           "The log doesn't say when the server started. {} is assumed: of the 10 s before the first arrival, it fits "
           "best with the waits of {} in the log; {}",
           time_of(r), count_of(r, "request", "requests"), kFromThenOn);
     }},
    {Kind::clock_guessed, "clock-guessed",
     [](R) {
       return std::string(
                  "The log doesn't say when the server started. The first arrival is assumed, which is a guess; ") +
              kFromThenOn;
     }},
    {Kind::server_restarted, "server-restarted",
     [](R r) {
       return "The server restarted " + count_of(r, "time", "times") +
              " within its log; a replay treats the log as one run.";
     }},
    {Kind::seats_differ, "seats-differ",
     [](R r) {
       return fmt::format("The server shared {}, as its log says; the replay shares {}.", count_of(r, "seat", "seats"),
                          grouped(r.other.value_or(0)));
     }},
    {Kind::configuration_unknown, "configuration-unknown",
     [](R r) {
       return fmt::format("The server loaded a changed configuration {}, first at {}, which the replay doesn't have.",
                          count_of(r, "time", "times"), time_of(r));
     }},
    {Kind::service_overhead, "service-overhead",
     [](R r) {
       return "Requests hold their seats for the execution time of the HTTP log plus " + duration_of(r) +
              ": the time that the median request took in addition to execution and wait.";
     }},
    {Kind::ends_from_log, "ends-from-log",
     [](R r) {
       return count_of(r, "request has", "requests have") +
              " no recorded queue wait: the end of the execution is taken from the log, whenever the replay starts it.";
     }},
    {Kind::nothing_waited, "nothing-waited",
     [](R r) {
       return "Nothing waited or was refused in the log: " + count_of(r, "request", "requests") +
              " without a recorded queue wait " + by_count(r, "runs", "run") + " for the recorded total.";
     }},
    {Kind::waits_unrecorded, "waits-unrecorded",
     [](R r) {
       return "Nothing was refused in the log: " + count_of(r, "request", "requests") +
              " without a recorded queue wait " + by_count(r, "runs", "run") +
              " for the recorded total. Servers of this release don't record waits, so this is a guess.";
     }},
    {Kind::execution_estimated, "execution-estimated",
     [](R r) {
       return fmt::format("{} refused or unfinished in the log, but served in the replay: {} {}.",
                          count_of(r, "request is", "requests are"), by_count(r, "it runs", "they run"),
                          r.duration ? "for " + duration_of(r)
                                     : "as long as the mean of the same FlowSchema, verb and resource so far");
     }},
    {Kind::waits_replayed, "waits-replayed",
     [](R r) {
       return count_of(r, "request has", "requests have") +
              " no recorded queue wait: the wait of the replay under the recorded configuration is subtracted from the "
              "recorded total.";
     }},
    {Kind::execution_of_similar, "execution-of-similar",
     [](R r) {
       return count_of(r, "request was refused in the log, or has no end there",
                       "requests were refused in the log, or have no end there") +
              ": where the replay serves one, it runs as long as others of the same user, verb and resource.";
     }},
    {Kind::widths_unknown, "widths-unknown",
     [](R r) {
       return count_of(r, "list took", "lists took") +
              " as many seats as the recorded configuration allowed, and may need more: object counts are missing.";
     }},
    {Kind::widths_by_counts, "widths-by-counts",
     [](R r) {
       return count_of(r, "list took", "lists took") +
              " as many seats as the recorded configuration allowed: the object counts say how many it needs.";
     }},
    {Kind::wider_than_level, "wider-than-level",
     [](R r) {
       return count_of(r, "request needs more seats than its level allows, and takes fewer.",
                       "requests need more seats than their level allows, and take fewer.");
     }},
    {Kind::retries_in_log, "retries-in-log",
     [](R r) {
       return count_of(r, "request is", "requests are") +
              " refused in the log, but served in the replay; if the client retried in the log, the retry is also "
              "replayed.";
     }},
    {Kind::retries_dropped, "retries-dropped",
     [](R r) {
       return count_of(r, "retry in the log follows a refusal", "retries in the log follow refusals") +
              by_count(r, " and is", " and are") + " left out: in the replay, clients retry what it refuses.";
     }},
    {Kind::client_waits, "client-waits",
     [](R r) {
       return fmt::format(
           "{} {} ({}, at most {} in flight; it sends fewer the more it has in flight). The replay sends them at the "
           "recorded "
           "times.",
           r.name,
           r.detail == "loop" ? "seems to wait for an answer before it sends the next request"
                              : "seems to have a queue of work and to send no more than it can have in flight",
           count_of(r, "request", "requests"), grouped(r.other.value_or(0)));
     }},
    {Kind::no_client_waits, "no-client-waits",
     [](R) {
       return std::string(
           "The log doesn't show that any client waits for its answers: those without a model of their own send at the "
           "recorded times.");
     }},
    {Kind::client_requests_dropped, "client-requests-dropped",
     [](R r) {
       return count_of(r, "request of a client that waits for its answers is",
                       "requests of clients that wait for their "
                       "answers are") +
              " left out: the replay reaches the end of the log first.";
     }},
    {Kind::client_requests_repeated, "client-requests-repeated",
     [](R r) {
       return count_of(r, "request is", "requests are") +
              " sent once more than in the log: their clients get answers sooner in the replay and are assumed to keep "
              "sending until the log ends.";
     }},
    {Kind::watch_init_assumed, "watch-init-assumed",
     [](R r) {
       return r.duration.value_or(0) == 0
                  ? count_of(r, "watch is", "watches are") +
                        " assumed to initialize at once: the log doesn't say how long that takes."
                  : fmt::format("{} assumed to initialize in {}: the log doesn't say how long that takes.",
                                count_of(r, "watch is", "watches are"), duration_of(r));
     }},
    {Kind::client_limit_delays, "client-limit-delays",
     [](R) {
       return std::string(
           "A request that its client's limiter delays ends later by the same time. Clients are assumed to send the "
           "same "
           "requests, however long they wait.");
     }},
    {Kind::event_objects_missing, "event-objects-missing",
     [](R r) {
       return fmt::format(
           "The log doesn't contain the object of {} (audit level Metadata, or a patch alone): the SourceAndObject "
           "limit "
           "was not applied to {}; the other limits were.",
           count_of(r, "event", "events"), by_count(r, "it", "them"));
     }},
    {Kind::event_users_missing, "event-users-missing",
     [](R r) {
       return fmt::format("The log doesn't contain the user of {}: the User limit was not applied to {}.",
                          count_of(r, "event", "events"), by_count(r, "it", "them"));
     }},
    {Kind::refused_events_dropped, "refused-events-dropped",
     [](R r) {
       return "Events that EventRateLimit refuses hold their seats for " + duration_of(r) +
              " at most and are not sent again: client-go drops such an event.";
     }},
    {Kind::quota_objects_missing, "quota-objects-missing",
     [](R r) {
       return fmt::format(
           "The log doesn't contain the object of {} that the quotas apply to (audit level Metadata): object counts "
           "were "
           "checked; compute, storage, ports and scopes were not.",
           count_of(r, "request", "requests"));
     }},
    {Kind::quota_changes_unknown, "quota-changes-unknown",
     [](R r) {
       return fmt::format(
           "The log doesn't describe the objects of {}: their usage of quota stays as it was, except for the count of "
           "deleted objects.",
           count_of(r, "change or deletion", "changes or deletions"));
     }},
    {Kind::quota_freed_at_once, "quota-freed-at-once",
     [](R) {
       return std::string(
           "The quota of a deleted object or a finished pod is free as soon as the request ends: the quota controller "
           "is "
           "assumed to count again at once. A pod that is deleted with a grace period counts until the period is over "
           "or "
           "the kubelet deletes it.");
     }},
    {Kind::quota_updates_in_order, "quota-updates-in-order",
     [](R) {
       return std::string(
           "Quotas are checked in the order given, one request after the other; updates of a quota's status never "
           "conflict with those of other servers and of the quota controller.");
     }},
    {Kind::odd_deviations, "odd-deviations",
     [](R r) {
       return "The deviation of a level's demand is NaN at " + count_of(r, "adjustment", "adjustments") +
              ". This patch release adds it to the level's average, and the level's limit is unknown from then on; the "
              "replay takes 0, as later patches do.";
     }},
    {Kind::watches_before_log, "watches-before-log",
     [](R r) {
       return fmt::format("{} open before the log begins: only watches that end in the log are known.",
                          count_of(r, "watch was", "watches were"));
     }},
    {Kind::watches_ended, "watches-ended",
     [](R r) {
       return fmt::format(
           "{} no end in the log: {} as long as timeoutSeconds says, or else twice as long as the server's least "
           "request timeout ({}).",
           count_of(r, "watch has", "watches have"), by_count(r, "it is open", "they are open"), duration_of(r));
     }},
    {Kind::flows_from_http_log, "flows-from-http-log",
     [](R r) {
       return fmt::format(
           "{} to the FlowSchema that the HTTP log names, because it doesn't contain users; where flows are separated "
           "by "
           "user, source address and user agent separate them instead.",
           count_of(r, "request goes", "requests go"));
     }},
    {Kind::flow_schemas_unknown, "flow-schemas-unknown",
     [](R r) {
       return fmt::format("{} that the configuration doesn't have: catch-all takes {}.",
                          count_of(r, "request names a FlowSchema", "requests name FlowSchemas"),
                          by_count(r, "it", "them"));
     }},
    {Kind::object_counts_missing, "object-counts-missing",
     [](R r) {
       return count_of(r, "list costs", "lists cost") + " 1 seat, because the number of objects is unknown.";
     }},
    {Kind::widths_measured, "widths-measured",
     [](R r) {
       return fmt::format(
           "Lists of {} take as many seats as the server's own counters say; those of other resources 1 seat.",
           r.detail);
     }},
    {Kind::list_bytes_unknown, "list-bytes-unknown",
     [](R r) {
       return fmt::format(
           "{} of {}: nothing says how many bytes {} (a part of a resource, or one without object counts and sizes), "
           "and {} as many seats as the release estimates.",
           grouped(r.count.value_or(0)), counted(r.total.value_or(0), "list", "lists"),
           by_count(r, "it returns", "they return"), by_count(r, "it takes", "they take"));
     }},
    {Kind::groups_implied, "groups-implied",
     [](R r) {
       return fmt::format(
           "{} contain the groups of the user: the groups that follow from the name are assumed "
           "(system:serviceaccounts, "
           "system:nodes, system:authenticated).",
           count_of(r, "event doesn't", "events don't"));
     }},
    {Kind::newest_patch_meant, "newest-patch-meant",
     [](R r) {
       return fmt::format("Kubernetes {} is replayed as its newest patch; its patches differ: {}.", r.name, r.detail);
     }},
    {Kind::time_zone_shifted, "time-zone-shifted",
     [](R r) {
       const Nanos shift = r.duration.value_or(0);
       return fmt::format(
           "The times of the server's own log are assumed to be {} {} UTC, by requests that are also in the audit log.",
           human_duration(std::abs(shift)), shift > 0 ? "behind" : "ahead of");
     }},
    {Kind::client_model_unused, "client-model-unused",
     [](R r) {
       return fmt::format(
           "No user agent and no user name in the log begins with '{}': its model ({}) is applied to no request.",
           r.name, r.detail);
     }},
    {Kind::client_timeout_unused, "client-timeout-unused",
     [](R r) {
       return fmt::format(
           "No user agent and no user name in the log begins with '{}': its time-out ({}) is applied to no request.",
           r.name, duration_of(r));
     }},
    {Kind::scale_unused, "scale-unused",
     [](R r) {
       return fmt::format("Nothing in the log matches '{}': its scale ({}) is applied to no request.", r.name,
                          r.detail);
     }},
    {Kind::ends_before_arrival, "ends-before-arrival",
     [](R r) {
       return fmt::format("{} before {} received: {} assumed to arrive when {}.",
                          count_of(r, "event ends", "events end"), by_count(r, "it was", "they were"),
                          by_count(r, "it is", "they are"), by_count(r, "it ends", "they end"));
     }},
    {Kind::duplicate_events, "duplicate-events",
     [](R r) {
       return fmt::format("{} in the log a second time, with the same audit ID and arrival: {} once.",
                          count_of(r, "event is", "events are"), by_count(r, "it counts", "they count"));
     }},
    {Kind::aggregated_repeats, "aggregated-repeats",
     [](R r) {
       return fmt::format("{} in the log a second time, because an aggregated API server logged {}, too: {} once.",
                          count_of(r, "request is", "requests are"), by_count(r, "it", "them"),
                          by_count(r, "it counts", "they count"));
     }},
    {Kind::unfinished_requests, "unfinished-requests",
     [](R r) { return count_of(r, "request has", "requests have") + " no end in the log."; }},
    {Kind::logs_unrelated, "logs-unrelated",
     [](R) {
       return std::string(
           "No request is in both logs: are they from the same server and the same time? klog text contains neither "
           "year "
           "nor time zone, and only files can be examined before the replay begins.");
     }},
    {Kind::clock_set_back, "clock-set-back",
     [](R r) {
       return fmt::format(
           "The clock of the log was set back {}{}: what follows is assumed to go on from there, so that its times are "
           "later than in the log.",
           r.count == 1 ? "once, by " : grouped(r.count.value_or(0)) + " times, by up to ", duration_of(r));
     }},
    {Kind::servers_mixed, "servers-mixed",
     [](R) {
       return std::string(
           "The log mixes lines of several servers (or processes of one server). They are treated as one server, whose "
           "limits they would share: give each server's log separately.");
     }},
    {Kind::servers_in_files, "servers-in-files",
     [](R r) {
       return fmt::format(
           "These look like the logs of {} servers: they overlap in time, and their names begin with different nodes. "
           "They are treated as one server, whose limits they would share: {}give {}.",
           grouped(r.count.value_or(0)), r.name.empty() ? "" : "unpack " + r.name + " and ", r.detail);
     }},
    {Kind::logs_left_out, "logs-left-out",
     [](R r) {
       return fmt::format("{} {} left out: {}{} ({}).", count_of(r, "file", "files"), by_count(r, "is", "are"), r.name,
                          r.count == 1 ? "" : ", …", r.detail);
     }},
    {Kind::release_differs, "release-differs",
     [](R r) {
       return fmt::format("The server's log names Kubernetes {}, and {} is given: its rules are those of the replay.",
                          r.detail, r.name);
     }},
    {Kind::too_many_watches, "too-many-watches",
     [](R) {
       return std::string(
           "The HTTP log has more watches than are kept: how long some of them took to initialize is unknown.");
     }},
    {Kind::log_empty, "log-empty", [](R r) { return r.name + " is empty."; }},
    {Kind::log_damaged, "log-damaged", [](R r) { return r.name + " " + r.detail + "."; }},
    {Kind::log_year_unknown, "log-year-unknown",
     [](R r) { return r.name + " doesn't contain the year, and no other log does: 1970 is assumed."; }},
    {Kind::document_too_large, "document-too-large",
     [](R r) {
       return r.name +
              " has one JSON document of more than 256 MiB: it and what follows is left out; write one event a line "
              "(jq -c "
              ".items[]).";
     }},
    {Kind::threads_missing, "threads-missing",
     [](R r) {
       return fmt::format("The system gave {} of {} to read the log: the result is the same, but takes longer.",
                          grouped(r.count.value_or(0)), counted(r.total.value_or(0), "thread", "threads"));
     }},
    {Kind::refusals_of_others, "refusals-of-others",
     [](R r) {
       return fmt::format("{} of the {} answers 429 {} not API Priority and Fairness's: {}.",
                          grouped(r.count.value_or(0)), grouped(r.total.value_or(0)), r.count == 1 ? "is" : "are",
                          r.detail);
     }},
    {Kind::seats_missing, "seats-missing",
     [](R r) {
       return fmt::format(
           "Seats recorded for {} of {}; the others are estimated. kube-apiserver's own log records them at -v=3{}.",
           grouped(r.count.value_or(0)), counted(r.total.value_or(0), "request", "requests"),
           r.name.empty() ? "" : ", but Kubernetes " + r.name + " does not");
     }},
    {Kind::execution_missing, "execution-missing",
     [](R) {
       return std::string(
           "The log doesn't say how long requests executed, only when they ended: a replay keeps their ends.");
     }},
    {Kind::http_execution_missing, "http-execution-missing",
     [](R r) {
       return r.name.empty() ? std::string(
                                   "The HTTP log has no execution times: the server is older than v1.24, or API "
                                   "Priority and Fairness was off.")
                             : "The HTTP log has no execution times: Kubernetes " + r.name + " does not write them.";
     }},
    {Kind::users_missing, "users-missing",
     [](R) {
       return std::string(
           "The HTTP log has no users: requests go to the FlowSchema that it names, and flows are separated by address "
           "and user agent (also give the audit log).");
     }},
    {Kind::classification_missing, "classification-missing",
     [](R r) {
       return "The log has neither users nor FlowSchemas: no request can be classified." +
              (r.name.empty() ? std::string() : " Kubernetes " + r.name + " does not write FlowSchemas.");
     }},
    {Kind::waits_missing, "waits-missing",
     [](R r) {
       if (!r.name.empty())
         return "The audit log has no queue waits: Kubernetes " + r.name +
                " does not write them, so this says nothing about waits.";
       return std::string(
           "The audit log has no queue waits to compare a replay with. Servers annotate them on requests above 500 ms "
           "since 1.31, but not 1.34.0 to 1.34.6 and 1.35.0 to 1.35.3.");
     }},
    {Kind::watch_starts_missing, "watch-starts-missing",
     [](R r) {
       return fmt::format(
           "{} of {} complete without ResponseStarted: the audit policy omits the stage, or the log begins later than "
           "the watches.",
           grouped(r.count.value_or(0)), counted(r.total.value_or(0), "watch is", "watches are"));
     }},
    {Kind::watch_init_missing, "watch-init-missing",
     [](R r) {
       return fmt::format("The log doesn't say how long {} of {} took to initialize.", grouped(r.count.value_or(0)),
                          counted(r.total.value_or(0), "watch", "watches"));
     }},
    {Kind::ends_missing, "ends-missing",
     [](R r) { return fmt::format("The log doesn't say when {} ended.", count_of(r, "request", "requests")); }},
    {Kind::clock_missing, "clock-missing",
     [](R) {
       return std::string(
           "The log doesn't say when the server started and when it moves seats between levels; kube-apiserver's own "
           "log "
           "does.");
     }},
    {Kind::whole_seconds, "whole-seconds", [](R) { return std::string("Times have no fractions of a second."); }},
    {Kind::out_of_order, "out-of-order",
     [](R r) {
       return fmt::format(
           "{} more than {} older than the line before {} ({}): the clock was set back, or the log is not in order of "
           "time.",
           count_of(r, "request is", "requests are"), duration_of(r), by_count(r, "it", "them"),
           counted(r.other.value_or(0), "place", "places"));
     }},
    {Kind::load_missing, "load-missing",
     [](R r) {
       return fmt::format("{} of the {} that the server dispatched ({}) {} not in the log{}.",
                          count_of(r, "request", "requests"), grouped(r.total.value_or(0)), r.name,
                          by_count(r, "is", "are"),
                          r.other ? fmt::format(": {} seats on average, by which the load is understated",
                                                decimals(static_cast<double>(*r.other) / 1000, 2))
                                  : "");
     }},
    {Kind::policy_omits, "policy-omits",
     [](R r) {
       std::string out = "The audit policy ";
       if (r.count)
         return out + "records requests of " + r.name +
                " without ResponseComplete: the log cannot say how long they ran.";
       if (!r.name.empty()) out += "never records requests of " + r.name;
       if (!r.name.empty() && !r.detail.empty()) out += ", and ";
       if (!r.detail.empty()) out += "records only a part of " + r.detail;
       return out + ".";
     }},
    {Kind::nodes_missing, "nodes-missing",
     [](R r) {
       return count_of(r, "pod was", "pods were") +
              " bound to nodes, but no node sends a request: the requests of kubelets are missing in the log.";
     }},
    {Kind::lease_updates_missing, "lease-updates-missing",
     [](R r) {
       return "Leader-elected controllers make " + count_of(r, "write", "writes") +
              ", but no client renews a lease: leader election is missing in the log.";
     }},
    {Kind::watches_missing, "watches-missing",
     [](R r) {
       return fmt::format("There is no watch, although {} of the cluster itself would have renewed {} in {}.",
                          count_of(r, "client", "clients"), by_count(r, "its", "theirs"), duration_of(r));
     }},
    {Kind::reads_missing, "reads-missing",
     [](R r) { return "No client reads: the log has only writes (" + count_of(r, "change", "changes") + ")."; }},
    {Kind::only_writes, "only-writes",
     [](R r) {
       return fmt::format("{} objects and never {} any, most of all {} ({}): {} reads are missing in the log.",
                          count_of(r, "client changes", "clients change"), by_count(r, "reads", "read"), r.name,
                          counted(r.other.value_or(0), "change", "changes"), by_count(r, "its", "their"));
     }},
    {Kind::gap_in_time, "gap-in-time",
     [](R r) {
       return fmt::format(
           "No request for {} from {}, where about {} would be expected{}: a part of the log is missing.",
           duration_of(r), time_of(r), grouped(r.other.value_or(0)),
           r.count.value_or(1) > 1 ? fmt::format(" ({} such gaps; the longest)", grouped(*r.count)) : "");
     }},
    {Kind::requests_sampled, "requests-sampled",
     [](R r) {
       return fmt::format(
           "{} leases at multiples of their interval: the log is a sample of about {} % of the requests.",
           count_of(r, "client renews", "clients renew"), r.total.value_or(0));
     }},
    {Kind::revisions_missing, "revisions-missing",
     [](R r) {
       return fmt::format(
           "The resourceVersions of objects rise by {} while the log has {}: the other writes are not in "
           "the log, or were made at other servers.",
           grouped(r.total.value_or(0)), count_of(r, "write", "writes"));
     }},
    {Kind::event_counts_missing, "event-counts-missing",
     [](R r) {
       return fmt::format("The counts of events rise by {} while the log has {} of them.", grouped(r.total.value_or(0)),
                          count_of(r, "update", "updates"));
     }},
    {Kind::better_policy, "better-policy",
     [](R r) {
       if (r.detail == "user")
         return std::string(
             "The audit log of the same time, every request at level Metadata: it says whose requests they are.");
       if (r.name.empty() && !r.detail.empty())
         return "An audit policy that records stage " + r.detail +
                (r.detail == "ResponseStarted" ? " of watches." : " of every request.");
       return (r.name.empty() ? std::string("An audit policy that records every request at level Metadata")
                              : "An audit policy that records " + r.name + " at level Metadata") +
              (r.detail.empty() ? "." : ", with stage " + r.detail + " of every request.");
     }},
    {Kind::better_server_log, "better-server-log",
     [](R) {
       return std::string(
           "The server's own log at -v=3 in addition to the audit log: seats, execution times and waits of each "
           "request.");
     }},
    {Kind::better_object_counts, "better-object-counts",
     [](R r) { return "The number of objects, for the width of " + count_of(r, "list", "lists") + "."; }},
    {Kind::better_start, "better-start",
     [](R) { return std::string("When the server started, for the time at which seats move between levels."); }},
    {Kind::better_scrapes, "better-scrapes",
     [](R) {
       return std::string(
           "Two scrapes of the server's /metrics, before and after: they say which part of the traffic is in the log.");
     }},
    {Kind::resource_unknown, "resource-unknown",
     [](R r) {
       return r.detail.empty()
                  ? fmt::format(
                        "Kubernetes has no built-in resource {0}: it is treated as one of the core group; for "
                        "another group write {0}.GROUP",
                        r.name)
                  : fmt::format(
                        "Kubernetes has no built-in resource {}; did you mean {}? It is treated as one of the "
                        "core group",
                        r.name, r.detail);
     }},
    {Kind::namespace_ignored, "namespace-ignored",
     [](R r) { return fmt::format("{} are cluster-scoped: namespace {} is ignored", r.name, r.detail); }},
    {Kind::type_and_name, "type-and-name",
     [](R r) { return fmt::format("read as TYPE/NAME: the object {} of {}", r.detail, r.name); }},
    {Kind::subresource_read, "subresource-read",
     [](R r) {
       return fmt::format("read as the subresource {1} of {0}; for an object, write {0} {1}", r.name, r.detail);
     }},
    {Kind::namespace_needed, "namespace-needed",
     [](R r) {
       return fmt::format("{} are namespaced, and a server cannot {} them in all namespaces", r.name, r.detail);
     }},
    {Kind::object_count_unknown, "object-count-unknown",
     [](R r) { return fmt::format("the number of {} is unknown", r.name); }},
    {Kind::quota_without_status, "quota-without-status",
     [](R r) { return r.name + " has no status to start from: it starts from zero"; }},
    {Kind::manifest_repeated, "manifest-repeated",
     [](R r) { return r.name + " is given again: treated as an update; its Pods are those of the first"; }},
    {Kind::workload_objects_given, "workload-objects-given",
     [](R r) { return r.name + ": the objects it created are among the manifests, and counted there"; }},
    {Kind::pods_depend_on_nodes, "pods-depend-on-nodes",
     [](R r) { return r.name + ": its pods are not counted, because their number depends on the nodes"; }},
    {Kind::workload_suspended, "workload-suspended", [](R r) { return r.name + " is suspended: it creates nothing"; }},
    {Kind::cron_job_as_one_job, "cron-job-as-one-job",
     [](R r) {
       return r.name +
              ": counted as one Job that is running; older Jobs that are kept use no compute, but count as objects";
     }},
    {Kind::release_newer, "release-newer",
     [](R r) {
       return fmt::format("Kubernetes {} is newer than the releases that apfctl knows. It is taken for {}.", r.name,
                          r.detail);
     }},
    {Kind::release_not_out, "release-not-out",
     [](R r) {
       return fmt::format("Kubernetes {} was not out when this apfctl was built: its behaviour may still change.",
                          r.name);
     }},
    {Kind::objects_restored, "objects-restored",
     [](R r) {
       return fmt::format("Before long the server restores its own spec of {}: {}.", count_of(r, "object", "objects"),
                          r.name);
     }},
    {Kind::objects_deleted, "objects-deleted",
     [](R r) {
       return fmt::format(
           "Before long the server deletes {} that it no longer builds in, by the annotation "
           "apf.kubernetes.io/autoupdate-spec: {}.",
           count_of(r, "object", "objects"), r.name);
     }},
    {Kind::log_contradicts_replay, "log-contradicts-replay", contradiction_in_words},
    {Kind::log_contradicts_recorded, "log-contradicts-recorded", contradiction_in_words},
    {Kind::seats_while_refusing, "seats-while-refusing",
     [](R r) {
       return fmt::format(
           "By the log, while {0} refused requests, at most {1} of its seats {2} in use, if each request took one "
           "where "
           "the log doesn't say: its limit was about {1}.",
           r.name, grouped(r.count.value_or(0)), by_count(r, "was", "were"));
     }},
    {Kind::no_request_ends, "no-request-ends",
     [](R r) {
       return fmt::format(
           "None of {} has an end in this log: how long requests ran, and whether they were refused, is not known. The "
           "audit policy omits the stage ResponseComplete, or the log is one stage of it.",
           count_of(r, "request", "requests"));
     }},
    {Kind::only_refusals, "only-refusals",
     [](R r) {
       return fmt::format(
           "All {} of this log were refused and none was served: this is a selection, not the traffic. What was "
           "served, and held the seats, is not in it. Export all requests of that time.",
           count_of(r, "request", "requests"));
     }},
    {Kind::one_user, "one-user",
     [](R r) {
       return fmt::format("All {} of this log are of one user, {}: this is a selection, not the traffic of a server.",
                          count_of(r, "request", "requests"), r.name);
     }},
    {Kind::one_verb, "one-verb",
     [](R r) {
       return fmt::format("All {} of this log are of one verb, {}: this is a selection, not the traffic of a server.",
                          count_of(r, "request", "requests"), r.name);
     }},
    {Kind::only_slow, "only-slow",
     [](R r) {
       return fmt::format(
           "None of {} of this log took less than {}: this is a selection of slow requests, not the traffic of a "
           "server.",
           count_of(r, "request", "requests"), human_duration(r.duration.value_or(0)));
     }},
    {Kind::configuration_refuses, "configuration-refuses",
     [](R r) { return configuration_in_words(r, "refused requests"); }},
    {Kind::configuration_delays, "configuration-delays",
     [](R r) { return configuration_in_words(r, "kept requests waiting"); }},
    {Kind::load_exceeds_seats, "load-exceeds-seats",
     [](R r) {
       return fmt::format(
           "Why: the configuration and overload. {}: {}. But all seats would hardly do: together with what was in use "
           "its "
           "requests would have taken {} of {}.",
           idle_in_words(r, "refused requests"), held_back_by(r), grouped(r.other.value_or(0)),
           grouped(r.total.value_or(0)));
     }},
    {Kind::server_is_full, "server-is-full",
     [](R r) {
       const Nanos full = r.duration.value_or(0);
       return fmt::format(
           "Why: overload. {}{}: more seats, narrower lists or less load help; other shares only move the "
           "harm.",
           idle_in_words(r, r.detail == "refused" ? "refused requests" : "kept requests waiting"),
           full >= kSecond ? fmt::format("; all were in use for {}, {} of it at a stretch", human_duration(full),
                                         human_duration(r.time.value_or(0)))
                           : "");
     }},
    {Kind::server_trouble, "server-trouble",
     [](R r) {
       return fmt::format(
           "The server's log tells {} of trouble with the configuration of API Priority and Fairness, so what it ran "
           "may be another one: \"{}\".",
           count_of(r, "time", "times"), r.detail);
     }},
};
static_assert(std::size(kWords) == static_cast<std::size_t>(Kind::kCount));
static_assert([] {
  for (std::size_t i = 0; i < std::size(kWords); ++i)
    if (kWords[i].kind != static_cast<Kind>(i)) return false;
  return true;
}());

const Words& words_of(Kind kind) { return kWords[static_cast<std::size_t>(kind)]; }

}  // namespace

const char* to_string(RemarkKind kind) { return words_of(kind).name; }

std::string sentence_of(const Remark& remark) { return words_of(remark.kind).sentence(remark); }

std::string render_text(const Remark& remark) {
  std::string out = sentence_of(remark);
  if (remark.hint.empty()) return out;
  const bool ends = out.ends_with('.');
  if (ends) out.pop_back();
  return out + " (" + remark.hint + (ends ? ")." : ")");
}

std::vector<std::string> texts_of(const std::vector<Remark>& remarks) {
  std::vector<std::string> out;
  for (const Remark& remark : remarks) out.push_back(render_text(remark));
  return out;
}

namespace {

// Its numbers have names: no other remark has as many.
void write_contradiction(JsonWriter& json, const Remark& remark) {
  json.field("logged", remark.count.value_or(0)).field("replayed", remark.other.value_or(0));
  json.field("total", remark.total.value_or(0));
  if (remark.duration)
    json.field("loggedMeanWaitNs", *remark.duration).field("replayedMeanWaitNs", remark.time.value_or(0));
  if (!remark.name.empty()) json.field("name", remark.name);
  if (!remark.detail.empty()) json.field("detail", remark.detail);
}

}  // namespace

void write_remark_fields(JsonWriter& json, const Remark& remark) {
  json.field("kind", to_string(remark.kind)).field("message", sentence_of(remark));
  if (!remark.hint.empty()) json.field("hint", remark.hint);
  if (is_contradiction(remark)) return write_contradiction(json, remark);
  if (remark.count) json.field("count", *remark.count);
  if (remark.total) json.field("total", *remark.total);
  if (remark.other) json.field("other", *remark.other);
  if (remark.time) json.field("timeNs", *remark.time);
  if (remark.duration) json.field("durationNs", *remark.duration);
  if (!remark.name.empty()) json.field("name", remark.name);
  if (!remark.detail.empty()) json.field("detail", remark.detail);
}

void write_remarks(JsonWriter& json, const char* key, const std::vector<Remark>& remarks) {
  json.key(key).begin_array();
  for (const Remark& remark : remarks) {
    json.begin_object();
    write_remark_fields(json, remark);
    json.end_object();
  }
  json.end_array();
}

}  // namespace apf
