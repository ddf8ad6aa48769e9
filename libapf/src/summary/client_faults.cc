// The rules on what clients do wrong.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "base/client_codes.h"
#include "base/identities.h"
#include "base/sort_stably.h"
#include "summary/client_streams.h"

namespace apf {
namespace {

constexpr ClientFaultRow kFaults[] = {
    {ClientFault::list_loop, "CLIENT-LIST-LOOP", "lists again and again what a watch would tell",
     "Watch instead (an informer of client-go lists once), or list with resourceVersion=0 and far less often.",
     "At least 60 lists of one path by one client, nine of ten of them without resourceVersion and limit. At least 30 "
     "are no retries of refused ones, which come a second later or more, and half of these within 30 s of the one "
     "before. Each reads everything from storage and is as wide as the resource is large."},
    {ClientFault::short_watches, "CLIENT-SHORT-WATCHES", "opens watches and leaves them",
     "Keep the watch open: it costs a seat only while it begins. Look for a timeout, a proxy or a context that ends "
     "it.",
     "At least 20 watches on one path by one client, nine of ten of them served, of which nine of ten end within 5 s "
     "and half begin within 10 s of the one before. Each holds seats while it begins, and sends what is there anew."},
    {ClientFault::retries_forbidden, "CLIENT-RETRIES-FORBIDDEN", "repeats what it may not do",
     "Grant the permission, or stop asking: wait longer after each 403 (backoff).",
     "At least 20 requests of one client on one path, nine of ten answered 403, half of them within 10 s of the one "
     "before. A 403 comes after API Priority and Fairness has let the request in: it takes a seat like any other."},
    {ClientFault::retries_not_found, "CLIENT-RETRIES-NOT-FOUND", "asks again and again for what is not there",
     "Watch for the object, or wait longer after each 404 (backoff).",
     "At least 60 requests of one client on one path, nine of ten answered 404, half of them within 5 s of the one "
     "before."},
    {ClientFault::retries_conflict, "CLIENT-RETRIES-CONFLICT",
     "writes against a version that is outdated, again and again",
     "Read the object again before the next try, or use server-side apply; two controllers may fight over the object.",
     "At least 20 writes of one client on one path, half of them or more answered 409 (conflict), half of all within "
     "10 s of the one before."},
    {ClientFault::retries_invalid, "CLIENT-RETRIES-INVALID", "repeats what is invalid",
     "Correct the object: the server says in its answer what is wrong. Wait longer after each 400 or 422 (backoff).",
     "At least 20 requests of one client on one path, nine of ten answered 400 or 422, half of them within 10 s of the "
     "one before."},
    {ClientFault::retries_denied, "CLIENT-RETRIES-DENIED", "repeats what admission denies",
     "Read the message of the answer (a quota, a policy, a namespace that goes away) and correct it; wait longer after "
     "each denial (backoff).",
     "At least 20 requests of one client on one path, nine of ten denied by a ResourceQuota, an admission webhook or "
     "another admission plugin, half of them within 10 s of the one before. The client has the permission."},
    {ClientFault::creates_existing, "CLIENT-CREATES-EXISTING", "creates what exists",
     "Look (from a cache) before creating, or use server-side apply.",
     "At least 20 creates of one client on one path, nine of ten answered 409 (AlreadyExists), half of them within 10 "
     "s "
     "of the one before."},
    {ClientFault::rewrites, "CLIENT-REWRITES", "rewrites one object without pause",
     "Write only what has changed, and collect changes; each write wakes every watch of the object.",
     "At least 60 writes of one object by one client that the server made, half of them within 1.5 s of the one "
     "before. Leases and events are left out."},
    {ClientFault::polls_object, "CLIENT-POLLS-OBJECT", "reads one object again and again",
     "Watch the object (fieldSelector metadata.name), or read it from an informer's cache.",
     "At least 60 reads of one object by one client, half of them within 5 s of the one before, and no write of it by "
     "the same client. Leases are left out."},
    {ClientFault::early_retry, "CLIENT-EARLY-RETRY", "comes back sooner than the server asked",
     "Wait as long as Retry-After says, as client-go does.",
     "At least 20 refusals of one client on one path, half of them or more followed by the same request from the same "
     "address within 0.9 s, one at a time and nearly always after the same pause: the server asks for a second at "
     "least. Several workers that wait as long come at any time."},
    {ClientFault::unpaged_lists, "CLIENT-UNPAGED-LISTS", "lists whole resources at once, and slowly",
     "List in pages (limit=500), or from the watch cache (resourceVersion=0).",
     "At least 10 lists of all namespaces by one client without a limit and not from the watch cache, half of which "
     "took "
     "half a second or longer."},
    {ClientFault::reviews, "CLIENT-REVIEWS", "asks for a review with each of its own requests",
     "Cache the answers of TokenReview and SubjectAccessReview in the client, as kube-apiserver's own authenticators "
     "do.",
     "At least 300 creates of TokenReviews or SubjectAccessReviews by one client, 5 a second or more on average."},
    {ClientFault::herd, "CLIENT-HERD", "asks from many machines in the same second",
     "Let each instance wait for a random time before it lists (jitter).",
     "At least 20 addresses that send one list or watch of one user agent in the same second, four of five of all that "
     "ever do."},
    {ClientFault::expired_versions, "CLIENT-EXPIRED-VERSIONS", "goes on again and again from versions that are gone",
     "List once and watch from the version of that list, with bookmarks (allowWatchBookmarks=true); after a 410 list "
     "again, later each time (backoff).",
     "At least 20 requests of one client on one path, half of them or more answered 410 (Expired), half of all within "
     "30 s of the one before. Each is followed by a list that reads everything."},
    {ClientFault::shared_identity, "CLIENT-SHARED-IDENTITY", "is one identity of several programs",
     "Give each program a ServiceAccount of its own: flows, FlowSchemas and audits cannot tell them apart otherwise.",
     "At least three programs (user agents up to the slash) with one ServiceAccount, each from an address of its own, "
     "with at least 60 requests and a twentieth of those of the ServiceAccount."},
    {ClientFault::throttled, "CLIENT-THROTTLED", "is slowed down by its own rate limiter",
     "Raise QPS and burst of that client (rest.Config), or send less: API Priority and Fairness has no part in it.",
     "Lines of client-go in which a request waited in the client for its own rate limiter, since client-go 1.21 for "
     "longer than a second."},
};
static_assert(std::size(kFaults) == static_cast<std::size_t>(ClientFault::kCount));
static_assert([] {
  for (std::size_t i = 0; i < std::size(kFaults); ++i)
    if (static_cast<std::size_t>(kFaults[i].fault) != i || kFaults[i].code != kClientCodes[i]) return false;
  return true;
}());

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

struct Rule {
  ClientFault fault;
  bool (*holds)(const ClientStream&);
  std::uint32_t (*hits)(const ClientStream&);
};

// Of several addresses, each sends a quarter of what a finding takes, on average: no client is accused because it has
// many instances.
bool is_enough(const ClientStream& s, std::uint64_t requests, std::uint64_t least) {
  return requests >= least && requests * 4 >= least * s.addresses;
}

// Half of them come so soon after the one before.
bool comes_within(const ClientStream& s, Nanos gap) {
  const auto bound = std::find(std::begin(kGapBounds), std::end(kGapBounds), gap) - std::begin(kGapBounds);
  return s.requests > 1 && s.gaps[static_cast<std::size_t>(bound)] * 2 >= s.requests - 1;
}
std::uint32_t answered(const ClientStream& s, AnswerCause cause) {
  return s.answered[static_cast<std::size_t>(number_of_cause(cause))];
}
bool is_write(const ClientStream& s) { return s.verb == "update" || s.verb == "patch"; }
bool is_lease(const ClientStream& s) { return s.resource == "leases" || s.resource == "events"; }

bool repeats(const ClientStream& s, AnswerCause cause, std::uint64_t least, double part, Nanos gap) {
  return is_enough(s, s.requests, least) && share(answered(s, cause), s.requests) >= part && comes_within(s, gap);
}

// Whether pauses are those of one loop: nine of ten alike. Workers that wait a second each come at any time in between,
// and the fewer they are, the more often that looks alike.
bool is_loop(std::vector<Nanos> pauses) {
  if (pauses.empty()) return false;
  const auto middle = pauses.begin() + static_cast<std::ptrdiff_t>(pauses.size() / 2);
  std::nth_element(pauses.begin(), middle, pauses.end());
  const Nanos median = *middle;
  const Nanos slack = median / (median <= 100 * kMillisecond ? 2 : median <= 300 * kMillisecond ? 4 : 20);
  const auto alike = std::count_if(pauses.begin(), pauses.end(), [&](Nanos pause) {
    return std::abs(pause - median) <= std::max(slack, 5 * kMillisecond);
  });
  return alike * 10 >= static_cast<std::ptrdiff_t>(pauses.size()) * 9;
}

// Without the reason in the log, a create is answered 409 for what exists, not for another write.
std::uint32_t creates_of_existing(const ClientStream& s) {
  return answered(s, AnswerCause::already_exists) + answered(s, AnswerCause::conflict);
}

bool retries_early(const ClientStream& s) {
  return is_enough(s, s.refused, 20) && share(s.early, s.refused) >= 0.5 && share(s.overlapping, s.requests) <= 0.05 &&
         is_loop(s.early_gaps);
}

constexpr Rule kRules[] = {
    {ClientFault::list_loop,
     [](const ClientStream& s) {
       if (s.refused > s.served && retries_early(s)) return false;
       return s.verb == "list" && s.is_resource && is_enough(s, s.requests, 60) && is_enough(s, s.fresh, 30) &&
              share(s.unpaged, s.requests) >= 0.9 && share(s.served + s.refused, s.requests) >= 0.5 &&
              s.fresh_gaps * 2 >= s.fresh - 1;
     },
     [](const ClientStream& s) { return s.unpaged; }},
    {ClientFault::short_watches,
     [](const ClientStream& s) {
       return s.watch && is_enough(s, s.requests, 20) && share(s.served, s.requests) >= 0.9 &&
              s.timed * 10 >= s.requests * 9 && share(s.short_lives, s.timed) >= 0.9 && comes_within(s, 10 * kSecond);
     },
     [](const ClientStream& s) { return s.timed; }},
    {ClientFault::retries_forbidden,
     [](const ClientStream& s) { return repeats(s, AnswerCause::forbidden, 20, 0.9, 10 * kSecond); },
     [](const ClientStream& s) { return answered(s, AnswerCause::forbidden); }},
    {ClientFault::retries_not_found,
     [](const ClientStream& s) { return repeats(s, AnswerCause::not_found, 60, 0.9, 5 * kSecond); },
     [](const ClientStream& s) { return answered(s, AnswerCause::not_found); }},
    {ClientFault::retries_conflict,
     [](const ClientStream& s) {
       return s.verb != "create" && repeats(s, AnswerCause::conflict, 20, 0.5, 10 * kSecond);
     },
     [](const ClientStream& s) { return answered(s, AnswerCause::conflict); }},
    {ClientFault::retries_invalid,
     [](const ClientStream& s) { return repeats(s, AnswerCause::invalid, 20, 0.9, 10 * kSecond); },
     [](const ClientStream& s) { return answered(s, AnswerCause::invalid); }},
    {ClientFault::retries_denied,
     [](const ClientStream& s) { return repeats(s, AnswerCause::admission_denied, 20, 0.9, 10 * kSecond); },
     [](const ClientStream& s) { return answered(s, AnswerCause::admission_denied); }},
    {ClientFault::expired_versions,
     [](const ClientStream& s) { return repeats(s, AnswerCause::expired, 20, 0.5, 30 * kSecond); },
     [](const ClientStream& s) { return answered(s, AnswerCause::expired); }},
    {ClientFault::creates_existing,
     [](const ClientStream& s) {
       return s.verb == "create" && is_enough(s, s.requests, 20) && share(creates_of_existing(s), s.requests) >= 0.9 &&
              comes_within(s, 10 * kSecond);
     },
     creates_of_existing},
    {ClientFault::rewrites,
     [](const ClientStream& s) {
       return is_write(s) && s.named && !is_lease(s) && is_enough(s, s.served, 60) &&
              comes_within(s, 1500 * kMillisecond);
     },
     [](const ClientStream& s) { return s.served; }},
    {ClientFault::polls_object,
     [](const ClientStream& s) {
       return s.verb == "get" && s.is_resource && s.named && !is_lease(s) && is_enough(s, s.served, 60) &&
              comes_within(s, 5 * kSecond);
     },
     [](const ClientStream& s) { return s.served; }},
    {ClientFault::early_retry, retries_early, [](const ClientStream& s) { return s.early; }},
    {ClientFault::unpaged_lists,
     [](const ClientStream& s) {
       return s.whole_resource && s.whole >= 10 && share(s.whole, s.requests) >= 0.9 &&
              share(s.long_durations, s.timed) >= 0.5 && s.timed * 2 >= s.requests;
     },
     [](const ClientStream& s) { return s.whole; }},
    {ClientFault::reviews,
     [](const ClientStream& s) {
       return s.verb == "create" && s.resource.ends_with("reviews") && s.requests >= 300 &&
              static_cast<double>(s.requests) * 1e9 >= 5.0 * static_cast<double>(s.last - s.first);
     },
     [](const ClientStream& s) { return s.requests; }},
};

std::string example_of(const ClientStream& s, Nanos time, int code) {
  return fmt::format("{} {} {} {}", format_rfc3339(time), s.verb, s.uri, code);
}

bool writes_it(const ClientStreams& streams, const ClientStream& reader) {
  return std::any_of(streams.all().begin(), streams.all().end(), [&](const auto& entry) {
    const ClientStream& s = entry.second;
    return s.user == reader.user && is_write(s) && path_of(s) == path_of(reader);
  });
}

// What one identity is used for, by program: the user agent up to its slash.
struct Program {
  std::uint64_t requests = 0;
  double seat_seconds = 0;
  const ClientStream* busiest = nullptr;
};

void find_shared_identities(const ClientStreams& streams, const LogNames& names, const LogTally& total,
                            std::vector<ClientFinding>& out) {
  std::map<std::uint32_t, std::map<std::string_view, Program>> users;
  for (const auto& [key, s] : streams.all()) {
    const std::string_view agent = names.agents.text(s.agent);
    if (agent.empty() || !names.users.text(s.user).starts_with(kServiceAccountPrefix)) continue;
    Program& program = users[s.user][agent.substr(0, agent.find('/'))];
    program.requests += s.requests;
    program.seat_seconds += s.seat_seconds;
    const ClientStream* const other = program.busiest;
    if (!other || std::tie(s.requests, s.uri) > std::tie(other->requests, other->uri)) program.busiest = &s;
  }
  for (const auto& [user, programs] : users) {
    ClientFinding f;
    double seat_seconds = 0;
    for (const auto& [name, program] : programs) {
      f.requests += program.requests;
      seat_seconds += program.seat_seconds;
    }
    std::set<std::uint32_t> addresses;
    std::vector<const ClientStream*> busy;
    for (const auto& [name, program] : programs) {
      if (program.requests < 60 || program.requests * 20 < f.requests || program.busiest->address == Names::kNone)
        continue;
      addresses.insert(program.busiest->address);
      busy.push_back(program.busiest);
      f.what += (f.what.empty() ? "" : ", ") + std::string(name);
    }
    if (busy.size() < 3 || addresses.size() < busy.size()) continue;
    f.fault = ClientFault::shared_identity;
    f.user = names.users.text(user);
    f.hits = busy.size();
    f.addresses = f.all_addresses = addresses.size();
    f.first = busy.front()->first;
    f.last = busy.front()->last;
    for (const ClientStream* s : busy) {
      f.first = std::min(f.first, s->first);
      f.last = std::max(f.last, s->last);
      if (f.examples.size() < 2) f.examples.push_back(example_of(*s, s->first, s->first_code));
    }
    f.share = share(f.requests, total.requests);
    f.seat_share = total.seat_seconds > 0 ? seat_seconds / total.seat_seconds : 0;
    out.push_back(std::move(f));
  }
}

}  // namespace

const ClientFaultRow& row_of(ClientFault fault) { return kFaults[static_cast<std::size_t>(fault)]; }

std::optional<ClientFault> find_client_fault(std::string_view code) {
  const auto at =
      std::find_if(std::begin(kFaults), std::end(kFaults), [&](const ClientFaultRow& row) { return row.code == code; });
  return at == std::end(kFaults) ? std::nullopt : std::optional(at->fault);
}

std::vector<ClientFinding> find_client_faults(const ClientStreams& streams, const LogNames& names,
                                              const LogTally& total, const std::vector<ClientFault>& ignored) {
  std::vector<ClientFinding> out;
  const auto is_wanted = [&](ClientFault fault) {
    return std::find(ignored.begin(), ignored.end(), fault) == ignored.end();
  };
  for (const auto& [key, s] : streams.all()) {
    for (const Rule& rule : kRules) {
      if (!is_wanted(rule.fault) || !rule.holds(s)) continue;
      if (rule.fault == ClientFault::polls_object && writes_it(streams, s)) continue;
      ClientFinding& f = out.emplace_back();
      f.fault = rule.fault;
      f.user = names.users.text(s.user);
      f.agent = names.agents.text(s.agent);
      f.what = names.requests.text(s.request);
      f.path = path_of(s);
      f.hits = rule.hits(s);
      f.first = s.first;
      f.last = s.last;
      f.median = s.watch ? s.times.half_at_most() : s.times.half_at_least();
      f.requests = s.requests;
      f.share = share(s.requests, total.requests);
      f.seat_share = total.seat_seconds > 0 ? s.seat_seconds / total.seat_seconds : 0;
      f.examples.push_back(example_of(s, s.first, s.first_code));
      if (s.requests > 1) f.examples.push_back(example_of(s, s.second, s.second_code));
      break;  // what is worst of a stream comes first
    }
  }
  for (const auto& [key, herds] : streams.herds()) {
    const ClientStreams::Herd& most = herds.most;
    if (!is_wanted(ClientFault::herd) || most.addresses < 20 ||
        static_cast<double>(most.addresses) < 0.8 * static_cast<double>(herds.addresses.size()))
      continue;
    ClientFinding& f = out.emplace_back();
    f.fault = ClientFault::herd;
    f.agent = names.agents.text(most.agent);
    f.what = names.requests.text(most.request);
    f.first = f.last = most.second;
    f.addresses = most.addresses;
    f.all_addresses = herds.addresses.size();
    f.hits = most.requests;
    f.requests = most.requests;
    f.share = share(most.requests, total.requests);
  }
  if (is_wanted(ClientFault::shared_identity)) find_shared_identities(streams, names, total, out);
  // A shared identity loads nobody: it comes last.
  sort_stably(out, [](const ClientFinding& a, const ClientFinding& b) {
    if (const bool last = a.fault == ClientFault::shared_identity; last != (b.fault == ClientFault::shared_identity))
      return !last;
    if (a.requests != b.requests) return a.requests > b.requests;
    return std::tie(a.user, a.agent, a.path, a.what) < std::tie(b.user, b.agent, b.path, b.what);
  });
  return out;
}

}  // namespace apf
