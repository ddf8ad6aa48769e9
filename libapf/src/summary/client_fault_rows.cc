// What clients do wrong: what each kind means, its threshold and its cure.
#include <apf/log_summary.h>

#include <algorithm>
#include <iterator>

#include "base/client_codes.h"

namespace apf {
namespace {

constexpr ClientFaultRow kFaults[] = {
    {ClientFault::list_loop, "CLIENT-LIST-LOOP", "lists again and again what a watch would tell",
     "Watch instead (an informer of client-go lists once), or list with resourceVersion=0 and far less often.",
     "At least 60 lists of one path by one client, nine of ten of them without resourceVersion and limit. At least 30 "
     "are no retries of refused ones, which come a second later or more, and half of these within 30 s of the one "
     "before. Metrics and componentstatuses are left out: they cannot be watched; and so is a client that is refused "
     "more often than served and comes back too early: that is CLIENT-EARLY-RETRY. Each reads everything from storage "
     "and is as wide as the resource is large."},
    {ClientFault::short_watches, "CLIENT-SHORT-WATCHES", "opens watches and leaves them",
     "Keep the watch open: it costs a seat only while it begins. Look for a timeout, a proxy or a context that ends "
     "it.",
     "At least 20 watches on one path by one client, nine of ten of them served, of which nine of ten end within 10 s "
     "and half begin within 30 s of the one before. Each holds seats while it begins, and sends what is there anew. "
     "Kubernetes' own components are left out, such as kubelets, which watch what their Pods mount as long as these "
     "run."},
    {ClientFault::retries_forbidden, "CLIENT-RETRIES-FORBIDDEN", "repeats what it may not do",
     "Grant the permission, or stop asking: wait longer after each 403 (backoff).",
     "At least 20 requests of one client on one path, nine of ten answered 403, half of them within 10 s of the one "
     "before; or at least 60 with one verb on one resource, wherever, nine of ten of all of these answered 403, one "
     "in 10 s from each address. A 403 comes after API Priority and Fairness has let the request in: it takes a seat "
     "like any other."},
    {ClientFault::retries_not_found, "CLIENT-RETRIES-NOT-FOUND", "asks again and again for what is not there",
     "Watch for the object, or wait longer after each 404 (backoff).",
     "At least 60 requests of one client on one path, nine of ten answered 404, half of them within 5 s of the one "
     "before."},
    {ClientFault::retries_conflict, "CLIENT-RETRIES-CONFLICT",
     "writes against a version that is outdated, again and again",
     "Read the object again before the next try, or use server-side apply; two controllers may fight over the object.",
     "At least 20 writes of one client on one path, half of them or more answered 409 (conflict), half of all within "
     "10 s of the one before. Creates are left out, and so are Kubernetes' own components, which try again as things "
     "change."},
    {ClientFault::retries_apply, "CLIENT-RETRIES-APPLY", "applies fields that another manager owns, again and again",
     "Leave the fields out, or take them over once (--force-conflicts): the server names their manager in its answer.",
     "At least 20 writes of one client on one path, half of them or more answered 409 (Apply failed with conflicts), "
     "half of all within 10 s of the one before."},
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
     "At least 20 creates of one client on one path, nine of ten answered 409 (AlreadyExists), half of them within "
     "10 s of the one before."},
    {ClientFault::rewrites, "CLIENT-REWRITES", "rewrites one object without pause",
     "Write only what has changed, and collect changes; each write wakes every watch of the object.",
     "At least 60 writes of one object by one client that the server made, half of them within 1.5 s of the one "
     "before. Leases and events are left out, and so are Kubernetes' own components, which write what changes."},
    {ClientFault::polls_object, "CLIENT-POLLS-OBJECT", "reads one object again and again",
     "Watch the object (fieldSelector metadata.name), or read it from an informer's cache.",
     "At least 60 reads of one object by one client, half of them within 5 s of the one before, and no write of it by "
     "the same client. Leases, events, other locks of leader election, metrics, componentstatuses and Kubernetes' own "
     "components are left out."},
    {ClientFault::early_retry, "CLIENT-EARLY-RETRY", "comes back sooner than the server asked",
     "Wait as long as Retry-After says, as client-go does.",
     "At least 20 refusals of one client with one verb on one resource, half of them or more followed by the same "
     "request from the same address within 0.9 s, one at a time: the server asks for a second at least. Lists and "
     "creates count if they come nearly always after the same pause: several workers that wait as long come at any "
     "time."},
    {ClientFault::unpaged_lists, "CLIENT-UNPAGED-LISTS", "lists whole resources at once, and slowly",
     "List in pages (limit=500), or from the watch cache (resourceVersion=0).",
     "At least 10 lists of all namespaces by one client without a limit and not from the watch cache, half of which "
     "took half a second or longer. Metrics and componentstatuses are left out: they have no pages."},
    {ClientFault::reviews, "CLIENT-REVIEWS", "asks for a review with each of its own requests",
     "Cache the answers of TokenReview and SubjectAccessReview in the client, as kube-apiserver's own authenticators "
     "do.",
     "At least 300 creates of TokenReviews or SubjectAccessReviews by one client, 5 a second or more on average."},
    {ClientFault::herd, "CLIENT-HERD", "asks from many machines in the same second",
     "Let each instance wait for a random time before it asks (jitter).",
     "At least 20 addresses that send one kind of request of one user agent within one second, four of five of all "
     "that ever do. In the half minutes before and after, as far as the log has them, 2 s at least, they send at most "
     "a quarter as many requests a second: steady traffic is no herd. Leases, events, and what kubelets send but lists "
     "and watches are left out."},
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

}  // namespace

const ClientFaultRow& row_of(ClientFault fault) { return kFaults[static_cast<std::size_t>(fault)]; }

std::optional<ClientFault> find_client_fault(std::string_view code) {
  const auto at =
      std::find_if(std::begin(kFaults), std::end(kFaults), [&](const ClientFaultRow& row) { return row.code == code; });
  return at == std::end(kFaults) ? std::nullopt : std::optional(at->fault);
}

}  // namespace apf
