#include "logs/completeness.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/identities.h"

namespace apf {

namespace {

constexpr Nanos kLeastSpan = 30 * kSecond;      // of a log that says anything by what it lacks
constexpr std::uint64_t kLeastBindings = 3;     // whose kubelets must have something to say
constexpr std::uint64_t kLeastWrites = 20;      // of controllers that hold a lease
constexpr Nanos kWatchLife = 450 * kSecond;     // of a watch of client-go: 5 to 10 minutes
constexpr double kLeastWatches = 6;             // that should have ended within the log
constexpr std::uint64_t kLeastChanges = 50;     // of a client that never reads
constexpr Nanos kLongWriting = 600 * kSecond;   // after which any informer's watch was renewed
constexpr std::uint64_t kLeastAllWrites = 200;  // in a log in which nobody reads

constexpr std::uint64_t kLeastRevisions = 500, kServers = 8;  // more servers are not taken to share the writes
constexpr std::uint64_t kLeastOccurrences = 50;

constexpr Nanos kFirstWidth = kSecond / 4;
constexpr std::size_t kMostArrivalBins = 4096, kLeastGap = 4;  // bins
constexpr double kExpected = 40;                               // requests that a gap lacks, at the least
constexpr std::size_t kFewGaps = 3;                            // more of that kind are the traffic's own pauses
constexpr double kBusy = 20;                                   // requests in a bin, on average

constexpr std::size_t kMostClients = 1u << 16, kMostRenewals = 64, kLeastRenewals = 12;
constexpr std::size_t kLeastRenewing = 3;  // clients
constexpr double kNearMultiple = 0.1, kRegular = 0.95, kSampled = 0.85;
// A gap in time makes one interval of each client long, a sample many of them.
constexpr double kLonger = 1.5, kHoles = 0.1;
// Of all nodes together: longer intervals add up too much jitter to show multiples.
constexpr std::size_t kLeastNodes = 10, kLeastShort = 50;
constexpr double kShort = 8, kLeastPart = 0.4, kNearOfNodes = 0.2, kRegularOfNodes = 0.85;

}  // namespace

TrafficClient TrafficClient::of(std::string_view user, const std::vector<std::string>& groups) {
  TrafficClient out;
  constexpr std::string_view kAccount = "system:serviceaccount:kube-system:";
  out.node = user.starts_with(kNodePrefix) || std::find(groups.begin(), groups.end(), kNodesGroup) != groups.end();
  out.controller = user == "system:kube-controller-manager" || user == "system:kube-scheduler" ||
                   user == "system:cloud-controller-manager" ||
                   (user.starts_with(kAccount) && user.ends_with("-controller"));
  out.component = out.node || out.controller || user.starts_with("system:kube-") || user.starts_with(kAccount);
  return out;
}

std::uint8_t traffic_traits(const RequestView& view, const TrafficClient& client) {
  const auto& f = view.f;
  unsigned out = client.node ? unsigned{kOfNode} : 0u;
  if (client.component) out |= kComponent;
  if (f.verb == "watch") return static_cast<std::uint8_t>(out | kWatching);
  if (!f.is_resource) return static_cast<std::uint8_t>(out);
  if (f.verb == "get" || f.verb == "list") return static_cast<std::uint8_t>(out | kReading);
  if (client.controller) out |= kControllerWrite;
  const bool change = f.verb == "update" || f.verb == "patch";
  const bool election =
      f.resource == "leases" || (f.ns == "kube-system" && (f.resource == "endpoints" || f.resource == "configmaps"));
  if (change && election) out |= kLeaseUpdate;
  else if (change) out |= kChanging;
  if (f.verb == "create" && (f.subresource == "binding" || f.resource == "bindings")) out |= kBinding;
  return static_cast<std::uint8_t>(out);
}

Completeness::Completeness() : width_(kFirstWidth) {}

void Completeness::add(Nanos arrival, std::uint8_t traits, std::uint32_t number) {
  if (requests_++ == 0) first_ = last_ = arrival;
  last_ = std::max(last_, arrival);
  // A watch is written when it ends: it may have begun in a gap.
  if ((traits & kWatching) == 0) add_time(arrival);
  of_nodes_ += (traits & kOfNode) != 0;
  watches_ += (traits & kWatching) != 0;
  reads_ += (traits & kReading) != 0;
  changes_ += (traits & kChanging) != 0;
  controller_writes_ += (traits & kControllerWrite) != 0;
  if ((traits & kBinding) != 0 && bindings_++ == 0) first_binding_ = arrival;
  if (number >= kMostClients) return;
  if (number >= clients_.size()) clients_.resize(number + 1);
  Client& client = clients_[number];
  client.component = client.component || (traits & kComponent) != 0;
  client.node = client.node || (traits & kOfNode) != 0;
  client.reads += (traits & (kReading | kWatching)) != 0;
  if ((traits & kChanging) != 0 && client.changes++ == 0) client.first_change = arrival;
  if ((traits & kLeaseUpdate) == 0) return;
  ++lease_updates_;
  ++client.leases;
  if (client.last_lease != 0 && client.renewals.size() < kMostRenewals)
    client.renewals.push_back(arrival - client.last_lease);
  client.last_lease = arrival;
}

void Completeness::add_time(Nanos arrival) {
  auto bin = static_cast<std::size_t>(std::max<Nanos>(0, arrival - first_) / width_);
  while (bin >= kMostArrivalBins) {
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      const std::uint32_t count = bins_[i];
      bins_[i] = 0;
      bins_[i / 2] += count;
    }
    bins_.resize((bins_.size() + 1) / 2);
    width_ *= 2;
    bin /= 2;
  }
  if (bins_.size() <= bin) bins_.resize(bin + 1);
  ++bins_[bin];
}

// No request for a time in which, before and after it, many came. Traffic that pauses by itself does so often.
void Completeness::add_gaps(std::vector<Remark>& out) const {
  struct Gap {
    std::size_t begin = 0, length = 0;
    double expected = 0;
  };
  std::vector<Gap> gaps;
  // Requests that ran from a gap to beyond it are in the log.
  const double mean = static_cast<double>(std::accumulate(bins_.begin(), bins_.end(), std::uint64_t{0})) /
                      static_cast<double>(std::max<std::size_t>(1, bins_.size()));
  const std::uint32_t strays = mean >= kBusy ? 1 : 0;
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    if (bins_[i] > strays) continue;
    Gap gap{i, 0, 0};
    while (i < bins_.size() && bins_[i] <= strays) ++gap.length, ++i;
    if (gap.length < kLeastGap || i == bins_.size()) continue;
    double before = 0, after = 0;
    for (std::size_t k = 0; k < gap.length; ++k) {
      before += gap.begin > k ? bins_[gap.begin - 1 - k] : 0;
      after += i + k < bins_.size() ? bins_[i + k] : 0;
    }
    gap.expected = std::min(before, after);
    gaps.push_back(gap);
  }
  const auto longest =
      std::max_element(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.length < b.length; });
  if (longest == gaps.end()) return;
  std::uint64_t alike = 0, sure = 0;
  double expected = 0;
  for (const Gap& gap : gaps) {
    if (gap.length * 3 >= longest->length) ++alike;
    if (gap.expected < kExpected) continue;
    ++sure;
    expected += gap.expected;
  }
  if (sure == 0 || alike > kFewGaps || longest->expected < kExpected) return;
  out.push_back({.kind = RemarkKind::gap_in_time,
                 .count = sure,
                 .other = static_cast<std::uint64_t>(expected),
                 .time = first_ + static_cast<Nanos>(longest->begin) * width_,
                 .duration = static_cast<Nanos>(longest->length) * width_});
}

// Leases are renewed at even intervals. Where many intervals are multiples of the shortest ones, renewals are missing,
// of some clients and at some times: a sample.
void Completeness::add_sampling(std::vector<Remark>& out) const {
  std::size_t renewing = 0, holed = 0;
  double there = 0, all = 0;
  for (const Client& client : clients_) {
    if (client.renewals.size() < kLeastRenewals) continue;
    std::vector<Nanos> sorted = client.renewals;
    std::sort(sorted.begin(), sorted.end());
    const auto base = static_cast<double>(sorted[sorted.size() / 10]);
    if (base <= 0) continue;
    std::size_t regular = 0, longer = 0;
    double periods = 0;
    for (const Nanos renewal : sorted) {
      const double multiple = static_cast<double>(renewal) / base;
      regular += std::abs(multiple - std::round(multiple)) <= kNearMultiple && multiple < 20;
      periods += std::round(multiple);
      longer += multiple >= kLonger;
    }
    if (static_cast<double>(regular) < kRegular * static_cast<double>(sorted.size())) continue;
    ++renewing;
    holed += static_cast<double>(sorted.size()) < kSampled * periods &&
             static_cast<double>(longer) >= kHoles * static_cast<double>(sorted.size());
    there += static_cast<double>(sorted.size());
    all += periods;
  }
  if (renewing < kLeastRenewing || holed * 5 < renewing * 4 || there >= kSampled * all)
    return add_sampling_of_nodes(out);
  out.push_back({.kind = RemarkKind::requests_sampled,
                 .count = renewing,
                 .total = static_cast<std::uint64_t>(100 * there / all + 0.5)});
}

// All kubelets renew at the same interval: together they show it where each is seen a few times only.
void Completeness::add_sampling_of_nodes(std::vector<Remark>& out) const {
  std::vector<double> intervals;
  std::size_t nodes = 0;
  double seen = 0;
  for (const Client& client : clients_) {
    if (!client.node || client.leases == 0) continue;
    ++nodes;
    seen += static_cast<double>(client.leases);
    intervals.insert(intervals.end(), client.renewals.begin(), client.renewals.end());
  }
  if (nodes < kLeastNodes || intervals.size() < kLeastShort) return;
  std::sort(intervals.begin(), intervals.end());
  const double shortest = intervals[intervals.size() / 50];
  const auto after_first = std::lower_bound(intervals.begin(), intervals.end(), 1.5 * shortest);
  const double base = intervals[static_cast<std::size_t>(after_first - intervals.begin()) / 2];
  if (base <= 0) return;
  std::size_t within = 0, regular = 0, longer = 0;
  double periods = 0;
  for (const double interval : intervals) {
    const double multiple = interval / base;
    periods += std::max(1.0, std::round(multiple));
    longer += multiple >= kLonger;
    if (multiple > kShort) continue;
    ++within;
    regular += std::abs(multiple - std::round(multiple)) <= kNearOfNodes;
  }
  const auto there = static_cast<double>(intervals.size());
  const double due = static_cast<double>(nodes) * (static_cast<double>(last_ - first_) / base + 1);
  if (within < kLeastShort || static_cast<double>(within) < kLeastPart * there ||
      static_cast<double>(longer) < kHoles * there ||
      static_cast<double>(regular) < kRegularOfNodes * static_cast<double>(within) || there >= kSampled * periods)
    return;
  out.push_back({.kind = RemarkKind::requests_sampled,
                 .count = nodes,
                 .total = static_cast<std::uint64_t>(std::clamp(100 * seen / due, 1.0, 99.0) + 0.5)});
}

void Completeness::note_write(std::int64_t revision) {
  if (first_revision_ == 0) {
    first_revision_ = last_revision_ = revision;
    return;
  }
  ++later_writes_;
  if (revision <= last_revision_) return;
  last_revision_ = revision;
  writes_ += later_writes_;
  later_writes_ = 0;
}

void Completeness::note_event(std::uint64_t object, std::int64_t count) {
  if (event_counts_.size() >= kMostClients && !event_counts_.contains(object)) event_counts_.clear();
  std::int64_t& last = event_counts_[object];
  if (last > 0 && count > last) {
    ++event_updates_;
    event_occurrences_ += static_cast<std::uint64_t>(count - last);
  }
  last = std::max(last, count);
}

// Each write raises the revision of the storage by one, whichever server made it.
void Completeness::add_revisions(std::vector<Remark>& out) const {
  const auto total = static_cast<std::uint64_t>(last_revision_ - first_revision_);
  if (total >= kLeastRevisions && writes_ * kServers < total)
    out.push_back({.kind = RemarkKind::revisions_missing, .count = writes_, .total = total});
  if (event_occurrences_ >= kLeastOccurrences && event_updates_ * 2 < event_occurrences_)
    out.push_back({.kind = RemarkKind::event_counts_missing, .count = event_updates_, .total = event_occurrences_});
}

void Completeness::add_writers(const std::function<std::string(std::uint32_t)>& name_of,
                               std::vector<Remark>& out) const {
  if (reads_ + watches_ == 0) {
    if (changes_ + controller_writes_ >= kLeastAllWrites)
      out.push_back({.kind = RemarkKind::reads_missing, .count = changes_});
    return;
  }
  std::uint64_t writers = 0;
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < clients_.size(); ++i) {
    const Client& client = clients_[i];
    if (client.reads > 0 || client.changes < kLeastChanges || last_ - client.first_change < kLongWriting) continue;
    if (writers++ == 0 || client.changes > clients_[most].changes) most = i;
  }
  if (writers > 0)
    out.push_back(
        {.kind = RemarkKind::only_writes, .count = writers, .other = clients_[most].changes, .name = name_of(most)});
}

std::vector<Remark> Completeness::remarks(const std::function<std::string(std::uint32_t client)>& name_of) const {
  std::vector<Remark> out;
  const Nanos span = last_ - first_;
  if (bindings_ >= kLeastBindings && of_nodes_ == 0 && last_ - first_binding_ >= kLeastSpan)
    out.push_back({.kind = RemarkKind::nodes_missing, .count = bindings_});
  if (controller_writes_ >= kLeastWrites && lease_updates_ == 0 && span >= kLeastSpan)
    out.push_back({.kind = RemarkKind::lease_updates_missing, .count = controller_writes_});
  const auto components = static_cast<std::uint64_t>(
      std::count_if(clients_.begin(), clients_.end(), [](const Client& client) { return client.component; }));
  if (watches_ == 0 &&
      static_cast<double>(components) * static_cast<double>(span) >= kLeastWatches * static_cast<double>(kWatchLife))
    out.push_back({.kind = RemarkKind::watches_missing, .count = components, .duration = span});
  add_writers(name_of, out);
  add_revisions(out);
  add_gaps(out);
  add_sampling(out);
  return out;
}

}  // namespace apf
