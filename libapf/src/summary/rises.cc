#include "summary/rises.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/hash.h"
#include "base/identities.h"
#include "base/sort_stably.h"

namespace apf {

namespace {

constexpr double kOfAll = 0.4;                           // of what there was then: calm clusters have less
constexpr double kTimes = 3;                             // as much as at other times, and more than
constexpr double kRequests = 5, kSeconds = 12;           // so many a minute: a fifth of a seat all the time
constexpr double kAllRequests = 300, kAllSeconds = 120;  // a series with less says nothing
constexpr std::size_t kLeastBins = 2, kOthersBins = 3;   // of the rise, and beside it
constexpr std::size_t kMostSteps = 240;
constexpr std::size_t kNamed = 5;
constexpr int kError = 400, kNotFound = 404;

}  // namespace

// Sums up to each bin; bins are as wide as `width`.
struct Rises::Steps {
  Nanos begin = 0, width = 0;
  std::vector<double> sums{0};
  double between(std::size_t from, std::size_t to) const { return sums[to] - sums[from]; }
  std::size_t size() const { return sums.size() - 1; }
};

std::size_t Rises::Hash::operator()(const Key& key) const {
  const std::uint32_t numbers[] = {static_cast<std::uint32_t>(key.of), key.who, key.request};
  return hash_bytes({reinterpret_cast<const char*>(numbers), sizeof numbers});
}

std::uint32_t Rises::client_of(const RequestFacts& facts) {
  const std::uint32_t user = facts.impersonator != Names::kNone ? facts.impersonator : facts.user;
  if (user == Names::kNone) return kAgent | facts.agent;
  if (user >= is_node_.size()) is_node_.resize(user + std::size_t{1}, -1);
  if (is_node_[user] < 0) is_node_[user] = names_.users.text(user).starts_with(kNodePrefix) ? 1 : 0;
  return is_node_[user] > 0 ? kNode : user;
}

void Rises::Bin::add(const Bin& more) {
  requests += more.requests;
  seconds += more.seconds;
  watches += more.watches;
  refused += more.refused;
  errors += more.errors;
}

void Rises::add(const RequestFacts& facts, int code) {
  if (facts.arrival < 0) return;
  const std::uint32_t client = client_of(facts);
  Bin one{static_cast<std::uint32_t>(facts.arrival / width_)};
  one.watches = facts.watch;
  one.requests = !facts.watch;
  one.refused = facts.refused;
  one.errors = code >= kError && code != kNotFound && !facts.refused;
  const Nanos ran =
      facts.limited && !facts.watch ? facts.duration.value_or(0) : 0;  // others stay open, as an exec does
  one.seconds = static_cast<double>(ran) / 1e9;
  add({Of::client, client}, one);
  if (!facts.watch) {
    add({Of::all}, one);
    if (ran >= kSecond / 2) add({Of::slow}, one);
    add({Of::kind, client, facts.request}, one);
    if (facts.ns != Names::kNone) add({Of::ns, facts.ns}, one);
    if (code >= kError && code != kNotFound) add({Of::answer, static_cast<std::uint32_t>(code)}, one);
  }
  if (bins_ > kMostBins) widen();
}

void Rises::add(const Key& key, const Bin& more) {
  auto found = series_.find(key);
  if (found == series_.end()) {
    if (series_.size() >= kMostSeries) return;
    found = series_.try_emplace(key).first;
  }
  Series& series = found->second;
  auto at = series.end();  // of a bin that is not the last one, or before it: requests come nearly in order
  while (at != series.begin() && (at - 1)->number >= more.number) --at;
  if (at == series.end() || at->number != more.number) {
    at = series.insert(at, Bin{more.number});
    ++bins_;
  }
  at->add(more);
}

void Rises::widen() {
  width_ *= 2;
  bins_ = 0;
  for (auto& [key, series] : series_) {
    Series wide;
    for (const Bin& bin : series) {
      if (wide.empty() || wide.back().number != bin.number / 2) wide.push_back({bin.number / 2});
      wide.back().add(bin);
    }
    bins_ += wide.size();
    series = std::move(wide);
  }
}

// All series have the bins of the first one, which has all requests.
Rises::Steps Rises::steps_of(const Series& series, bool seconds) const {
  const Series& all = series_.at({Of::all});
  const std::uint32_t first = all.front().number, last = all.back().number;
  const std::uint32_t each = (last - first) / kMostSteps + 1;
  Steps out{first * width_, each * width_};
  out.sums.resize((last - first) / each + 2);
  for (const Bin& bin : series)
    if (bin.requests > 0) out.sums[(bin.number - first) / each + 1] += seconds ? bin.seconds : bin.requests;
  for (std::size_t i = 1; i < out.sums.size(); ++i) out.sums[i] += out.sums[i - 1];
  return out;
}

// The step that stands out most: by its height, and by how long it lasts.
std::optional<WhyChange> Rises::rise_of(const Key& key, const Series& series, bool seconds) const {
  const Steps steps = steps_of(series, seconds), all = steps_of(series_.at({Of::all}), seconds);
  const double sum = steps.sums.back(), minutes = static_cast<double>(steps.width) / (60 * kSecond);
  if (sum < (seconds ? kAllSeconds : kAllRequests)) return std::nullopt;
  std::optional<WhyChange> out;
  double best = 0;
  for (std::size_t from = 0; from < steps.size(); ++from)
    for (std::size_t to = from + kLeastBins; to <= steps.size() && to - from + kOthersBins <= steps.size(); ++to) {
      const auto bins = static_cast<double>(to - from), others = static_cast<double>(steps.size()) - bins;
      const double part = steps.between(from, to), then = part / bins, before = (sum - part) / others;
      if (then <= kTimes * before + (seconds ? kSeconds : kRequests) * minutes) continue;
      const double score = (then - before) * (then - before) * bins;
      if (score <= best) continue;
      best = score;
      out.emplace();
      out->seconds = seconds;
      out->from = steps.begin + static_cast<Nanos>(from) * steps.width;
      out->to = steps.begin + static_cast<Nanos>(to) * steps.width;
      out->before = before / minutes;
      out->then = then / minutes;
      out->share = (then - before) * bins / std::max(1e-9, all.between(from, to));
    }
  if (!out) return out;
  name(key, *out);
  return out;
}

std::optional<WhyChange> Rises::rise_of(const Key& key, bool seconds) const {
  const auto series = series_.find(key);
  return series == series_.end() ? std::nullopt : rise_of(series->first, series->second, seconds);
}

void Rises::name(const Key& key, WhyChange& out) const {
  switch (key.of) {
    case Of::answer:
      out.by = WhyBy::answer;
      out.name = std::to_string(key.who);
      return;
    case Of::ns:
      out.by = WhyBy::ns;
      out.name = names_.namespaces.text(key.who);
      return;
    default:
      break;
  }
  out.by = key.who == kNode ? WhyBy::fleet : (key.who & kAgent) != 0 ? WhyBy::user_agent : WhyBy::user;
  out.name = key.who == kNode              ? kAllNodes
             : out.by == WhyBy::user_agent ? std::string(names_.agents.text(key.who & ~kAgent))
                                           : std::string(names_.users.text(key.who));
  if (key.of == Of::kind) out.request = names_.requests.text(key.request);
}

// Nothing is said of names beyond those that are kept, nor of what the cluster's own controllers do all in all.
bool Rises::is_of_system(const Key& key) const {
  if (key.of == Of::all || key.of == Of::slow) return true;
  if (key.of == Of::client || key.of == Of::kind) {
    if (key.of == Of::kind ? key.request == Names::kOthers : key.who == kNode) return true;
    if (key.who == Names::kOthers || key.who == (kAgent | Names::kOthers)) return true;
    return key.of == Of::client && (key.who & kAgent) == 0 && is_control_plane(std::string(names_.users.text(key.who)));
  }
  return key.of == Of::ns && key.who == Names::kOthers;
}

std::vector<WhyChange> Rises::find() const {
  std::vector<WhyChange> found;
  if (!series_.contains({Of::all})) return found;  // there are watches alone
  for (const auto& [key, series] : series_) {
    if (is_of_system(key)) continue;
    for (const bool seconds : {false, true})
      if (std::optional<WhyChange> rise = rise_of(key, series, seconds); rise && rise->share >= kOfAll)
        found.push_back(std::move(*rise));
  }
  // Clients before namespaces and answers that are about as large: those are theirs.
  const auto weight = [](const WhyChange& change) {
    const bool is_of_clients = change.by == WhyBy::ns || change.by == WhyBy::answer;
    return is_of_clients ? change.share : change.share * 1.2;
  };
  std::sort(found.begin(), found.end(), [&](const WhyChange& a, const WhyChange& b) {
    if (weight(a) != weight(b)) return weight(a) > weight(b);
    return std::tie(a.by, a.name, a.request, a.seconds) < std::tie(b.by, b.name, b.request, b.seconds);
  });
  std::vector<WhyChange> out;
  for (WhyChange& change : found) {
    const bool is_said = std::any_of(out.begin(), out.end(), [&](const WhyChange& said) {
      return said.by == change.by && said.name == change.name;
    });
    if (!is_said && out.size() < kNamed) out.push_back(std::move(change));
  }
  return out;
}

void Rises::tell(LogSummary& out) const {
  out.why.changes = find();
  out.slow_rise = rise_of({Of::slow}, true);
  for (LogAnswers& answers : out.answers)
    answers.rise = rise_of({Of::answer, static_cast<std::uint32_t>(answers.code)}, false);
}

LogCourse Rises::course() const {
  constexpr std::size_t kMostCourseBins = 120;
  LogCourse out;
  if (series_.size() >= kMostSeries) return out;  // clients may be missing
  struct Client {
    Key key;
    const Series* series;
    Bin sum;
    double weight = 0;
    std::string name;
  };
  std::vector<Client> clients;
  Bin all;
  std::uint32_t first = UINT32_MAX, last = 0;
  for (const auto& [key, series] : series_) {
    if (key.of != Of::client) continue;
    first = std::min(first, series.front().number);
    last = std::max(last, series.back().number);
    Client& client = clients.emplace_back(Client{key, &series, {}, 0, {}});
    for (const Bin& bin : series) client.sum.add(bin);
    all.add(client.sum);
    WhyChange named;
    name(key, named);
    client.name = std::move(named.name);
  }
  if (clients.empty()) return out;
  const auto part = [](double of, double whole) { return whole > 0 ? of / whole : 0; };
  for (Client& c : clients)
    c.weight = part(c.sum.refused, all.refused) + part(c.sum.errors, all.errors) +
               part(c.sum.requests + c.sum.watches, all.requests + all.watches);
  std::sort(clients.begin(), clients.end(), [](const Client& a, const Client& b) {
    return std::tie(b.weight, a.name, a.key.who) < std::tie(a.weight, b.name, b.key.who);
  });
  const auto each = static_cast<std::uint32_t>((last - first) / kMostCourseBins + 1);
  out.begin = first * width_;
  out.width = each * width_;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    if (i <= kNamed) out.clients.push_back({i < kNamed ? std::move(clients[i].name) : std::string(), {}});
    std::vector<LogCourse::Bin>& bins = out.clients.back().bins;
    bins.resize((last - first) / each + 1);
    for (const Bin& bin : *clients[i].series) {
      LogCourse::Bin& to = bins[(bin.number - first) / each];
      to.requests += bin.requests + bin.watches;
      to.refused += bin.refused;
      to.errors += bin.errors;
    }
  }
  return out;
}

void explain_by_log(LogSummary& summary) {
  WhyReport& out = summary.why;
  out.basis = WhyBasis::log;
  out.refused = summary.total.refused;
  out.wait = static_cast<double>(summary.total.wait);
  std::uint64_t in_flight = 0;
  for (const LogAnswers& answers : summary.answers)
    if (answers.cause == AnswerCause::max_in_flight) in_flight += answers.requests;
  constexpr std::uint64_t kFew = 20, kFewLong = 100;  // one of
  const SlowRequests& slow = summary.slow_total;
  const bool waits_long =
      slow.with_wait * kFewLong > summary.total.requests && slow.wait > static_cast<Nanos>(slow.with_wait) * kSecond;
  if (summary.total.refused > 0 && in_flight == summary.total.refused) {
    out.verdict = WhyVerdict::max_in_flight;
  } else if (summary.total.refused > 0 || waits_long || summary.total.waited * kFew > summary.total.requests) {
    out.verdict = WhyVerdict::undecided;
    out.open = "no replay has tried it";
  } else if (summary.throttling.lines + summary.throttling.gave_up > 0) {
    out.verdict = WhyVerdict::client_limiter;
  }
}

}  // namespace apf
