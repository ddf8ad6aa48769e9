#include "advise/suspects.h"

#include <apf/limits.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/identities.h"
#include "base/sort_stably.h"
#include "base/thousands.h"
#include "replay/clients/retry_chains.h"
#include "replay/passes/harm.h"
#include "replay/prepare/request_shape.h"

namespace apf {

namespace {

constexpr std::size_t kBusiest = 10, kMost = 5;  // clients by seats; of other kinds of suspects
constexpr std::size_t kFleet = 3;                // users that do the same
constexpr std::size_t kHerd = 5;                 // users that come together
constexpr int kMinute = 60, kSeconds = 2;        // seconds

int second_of_minute(Nanos time) { return static_cast<int>(((time / kSecond) % kMinute + kMinute) % kMinute); }

// Within a herd's seconds, which begin at `second` of the minute.
bool is_together(Nanos time, int second) { return (second_of_minute(time) - second + kMinute) % kMinute < kSeconds; }

int seats_of(const PreparedEvent& event, const PreparedLog& log) {
  if (event.has_fixed_seats) return event.fixed.initial_seats;
  return event.seat_kind == SeatKind::list && log.numbers().lists.empty() ? std::max(1, event.list_seats) : 1;
}

double work_of(const PreparedEvent& event, const PreparedLog& log) {
  const Nanos runs = event.execution != kNoTime    ? event.execution
                     : event.stage_time != kNoTime ? event.stage_time - event.received
                                                   : 0;
  return event.watch ? 0 : static_cast<double>(std::max<Nanos>(0, runs)) / 1e9 * seats_of(event, log);
}

class Finder {
 public:
  Finder(const PreparedLog& log, const ReplayOptions& options, const ReplayReport& report,
         const PreparedLog::Experiment& covers)
      : log_(log), covers_(covers), users_(users_in(report)), places_(log.places_of_flows(options)) {}

  std::vector<Suspect> all() {
    count();
    add_users();
    add_fleets();
    add_schemas();
    add_requests();
    add_watches();
    add_herd();
    return std::move(out_);
  }

 private:
  struct OfFlow {
    std::uint64_t requests = 0;
    double work = 0;
  };
  // The same request of one user agent under several users.
  struct Alike {
    std::set<std::uint32_t> flows;
    std::set<std::string> users;
    std::uint64_t requests = 0;
  };

  void count();
  void add_users();
  void add_fleets();
  void add_schemas();
  void add_requests();
  void add_watches();
  void add_herd();
  // The suspect of these flows; its figures are those of their users, by their parts of the users' requests.
  Suspect of_flows(WhyBy by, std::string name, const std::vector<std::uint32_t>& flows) const;
  // The `most` that do most, of those with `least` users or more.
  void add_largest(std::vector<Suspect> found, std::size_t most, std::size_t least);
  template <class Name>
  std::map<std::string, std::vector<std::uint32_t>> by_name(const Name& name) const {
    std::map<std::string, std::vector<std::uint32_t>> out;
    for (std::uint32_t flow = 0; flow < flows_.size(); ++flow)
      if (flows_[flow].requests > 0)
        if (std::string of = name(flow); !of.empty()) out[std::move(of)].push_back(flow);
    return out;
  }
  const std::string& user(std::uint32_t flow) const { return places_[flow].user; }

  const PreparedLog& log_;
  const PreparedLog::Experiment& covers_;
  const std::map<std::string, UserFigures> users_;
  const std::vector<PreparedLog::FlowPlace> places_;
  std::vector<OfFlow> flows_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Alike> alike_;  // by agent and service
  std::vector<std::uint64_t> seconds_ = std::vector<std::uint64_t>(kMinute);
  std::set<Nanos> minutes_;
  std::uint64_t watches_ = 0;
  std::vector<Suspect> out_;
};

void Finder::count() {
  flows_.resize(log_.shapes().size());
  each_request(log_, covers_, [&](const PreparedEvent& event) {
    OfFlow& flow = flows_[event.flow];
    ++flow.requests;
    flow.work += work_of(event, log_);
    watches_ += event.watch;
    ++seconds_[static_cast<std::size_t>(second_of_minute(event.received))];
    minutes_.insert(event.received / (kMinute * kSecond));
    if (event.agent == 0 || user(event.flow).empty()) return;
    Alike& alike = alike_[{event.agent, event.service}];
    alike.flows.insert(event.flow);
    alike.users.insert(user(event.flow));
    ++alike.requests;
  });
}

Suspect Finder::of_flows(WhyBy by, std::string name, const std::vector<std::uint32_t>& flows) const {
  Suspect out{by, std::move(name), std::vector<bool>(flows_.size())};
  std::map<std::string, std::uint64_t> users;
  for (const std::uint32_t flow : flows) {
    out.flows[flow] = true;
    out.requests += flows_[flow].requests;
    users[user(flow)] += flows_[flow].requests;
  }
  out.users = users.size();
  double refused = 0;
  for (const auto& [user, requests] : users) {
    const auto known = users_.find(user);
    if (known == users_.end() || known->second.requests == 0) continue;
    const double part = std::min(1.0, static_cast<double>(requests) / static_cast<double>(known->second.requests));
    refused += part * static_cast<double>(known->second.refused);
    out.seat_seconds += part * known->second.seat_seconds;
  }
  out.refused = static_cast<std::uint64_t>(std::llround(refused));
  return out;
}

void Finder::add_largest(std::vector<Suspect> found, std::size_t most, std::size_t least) {
  std::erase_if(found, [&](const Suspect& suspect) { return suspect.users < least; });
  sort_stably(found, [](const Suspect& a, const Suspect& b) { return a.seat_seconds > b.seat_seconds; });
  for (std::size_t i = 0; i < found.size() && i < most; ++i) out_.push_back(std::move(found[i]));
}

// The busiest by seats and by requests, and those with the widest requests.
void Finder::add_users() {
  std::vector<Suspect> found;
  for (const auto& [name, flows] : by_name([&](std::uint32_t flow) { return user(flow); }))
    found.push_back(of_flows(WhyBy::user, name, flows));
  const auto add = [&](std::size_t most, auto value) {
    sort_stably(found, [&](const Suspect& a, const Suspect& b) { return value(a) > value(b); });
    for (std::size_t i = 0; i < found.size() && i < most; ++i)
      if (std::none_of(out_.begin(), out_.end(), [&](const Suspect& known) { return known.name == found[i].name; }))
        out_.push_back(found[i]);
  };
  add(kBusiest, [](const Suspect& s) { return s.seat_seconds; });
  add(kMost, [](const Suspect& s) { return static_cast<double>(s.requests); });
  add(kMost, [](const Suspect& s) { return s.seat_seconds / static_cast<double>(s.requests); });
}

// Nodes, service accounts of a namespace, and one user agent's requests of a kind under several users.
void Finder::add_fleets() {
  std::vector<Suspect> found;
  for (const auto& [name, flows] : by_name([&](std::uint32_t flow) { return fleet_of(user(flow)); }))
    found.push_back(of_flows(WhyBy::fleet, name, flows));
  add_largest(std::move(found), kMost, 2);
  found.clear();
  for (const auto& [key, alike] : alike_) {
    if (alike.users.size() < kFleet) continue;
    const std::vector<std::uint32_t> flows(alike.flows.begin(), alike.flows.end());
    const std::string words = request_words(*log_.shapes()[flows.front()]);
    Suspect suspect = of_flows(WhyBy::user_agent, log_.numbers().agents[key.first] + ": " + words, flows);
    suspect.agent = key.first;
    suspect.requests = alike.requests;
    found.push_back(std::move(suspect));
  }
  add_largest(std::move(found), kMost, kFleet);
}

void Finder::add_schemas() {
  std::vector<Suspect> found;
  for (const auto& [name, flows] : by_name([&](std::uint32_t flow) { return places_[flow].flow_schema; }))
    found.push_back(of_flows(WhyBy::flow_schema, name, flows));
  add_largest(std::move(found), kMost, 2);
}

void Finder::add_requests() {
  std::vector<Suspect> found;
  for (const auto& [name, flows] : by_name([&](std::uint32_t flow) { return request_words(*log_.shapes()[flow]); })) {
    Suspect suspect = of_flows(WhyBy::request, name, flows);
    suspect.seat_seconds = 0;
    for (const std::uint32_t flow : flows) suspect.seat_seconds += flows_[flow].work;
    found.push_back(std::move(suspect));
  }
  add_largest(std::move(found), kMost, 2);
}

void Finder::add_watches() {
  if (watches_ == 0) return;
  Suspect suspect{WhyBy::request, "watch", std::vector<bool>(flows_.size(), true)};
  suspect.watches = true;
  suspect.requests = watches_;
  out_.push_back(std::move(suspect));
}

// The two seconds of the minute in which most requests come, of users of which half of the requests come then.
void Finder::add_herd() {
  if (minutes_.size() < 2) return;
  const auto in = [&](int second) {
    std::uint64_t sum = 0;
    for (int i = 0; i < kSeconds; ++i) sum += seconds_[static_cast<std::size_t>((second + i) % kMinute)];
    return sum;
  };
  int best = 0;
  std::uint64_t all = 0;
  for (int second = 0; second < kMinute; ++second) {
    if (in(second) > in(best)) best = second;
    all += seconds_[static_cast<std::size_t>(second)];
  }
  // It begins when its own requests do, not with what others send a second before.
  const auto of = [&](int second) { return seconds_[static_cast<std::size_t>(second % kMinute)]; };
  if (of(best) * 4 < of(best + 1)) best = (best + 1) % kMinute;
  constexpr std::uint64_t kCrowded = 3;  // times as many as on average
  if (in(best)*kMinute < kCrowded * kSeconds * all) return;
  Suspect suspect{WhyBy::fleet, {}, std::vector<bool>(flows_.size())};
  suspect.second = best;
  std::map<std::string, std::pair<std::uint64_t, std::set<Nanos>>> together;  // by user: then, and in which minutes
  std::map<std::string, std::uint64_t> of_user;
  each_request(log_, covers_, [&](const PreparedEvent& event) {
    ++of_user[user(event.flow)];
    if (!is_together(event.received, best)) return;
    auto& then = together[user(event.flow)];
    ++then.first;
    then.second.insert(event.received / (kMinute * kSecond));
  });
  std::set<std::string> herd;
  for (const auto& [name, then] : together)
    if (!name.empty() && then.second.size() >= 2 && 2 * then.first >= of_user[name]) {
      herd.insert(name);
      suspect.requests += then.first;
    }
  if (herd.size() < kHerd) return;
  for (std::uint32_t flow = 0; flow < flows_.size(); ++flow) suspect.flows[flow] = herd.contains(user(flow));
  suspect.users = herd.size();
  const std::string &first = *herd.begin(), &last = *herd.rbegin();
  suspect.name =
      first.substr(0, static_cast<std::size_t>(
                          std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first - first.begin())) +
      "*";
  for (const auto& name : herd)
    if (const auto known = users_.find(name); known != users_.end()) {
      suspect.refused += known->second.refused;
      suspect.seat_seconds += known->second.seat_seconds;
    }
  out_.push_back(std::move(suspect));
}

}  // namespace

namespace {

// How wide a request of a flow can be at its level.
std::vector<int> most_seats_of_flows(const PreparedLog& log, const ReplayOptions& options, const ReplayReport& report) {
  std::map<std::string, int> of_level;
  for (const LevelReport& level : report.levels)
    if (level.queues > 0) of_level[level.name] = max_seats_of(level.nominal_cl, level.hand_size);
  std::vector<int> out;
  for (const PreparedLog::FlowPlace& place : log.places_of_flows(options)) {
    const auto level = of_level.find(place.priority_level);
    out.push_back(level == of_level.end() ? std::numeric_limits<int>::max() : level->second);
  }
  return out;
}

}  // namespace

std::string request_words(const RequestShape& shape) {
  const RequestInfo& info = shape.info;
  if (info.resource.empty()) return info.verb;
  return info.verb + " " + info.resource + (info.api_group.empty() ? "" : "." + info.api_group) +
         (info.subresource.empty() ? "" : "/" + info.subresource);
}

std::string fleet_of(const std::string& user) {
  if (user.starts_with(kNodePrefix)) return kAllNodes;
  if (!user.starts_with(kServiceAccountPrefix)) return {};
  const std::size_t colon = user.find(':', kServiceAccountPrefix.size());
  return colon == std::string::npos ? std::string() : user.substr(0, colon + 1) + "*";
}

bool Suspect::takes(const PreparedEvent& event) const {
  // Of a herd the requests at other seconds, too: they are the repeats of those that were refused.
  return flows[event.flow] && (!agent || event.agent == *agent) && (!watches || event.watch);
}

std::map<std::string, UserFigures> users_in(const ReplayReport& report) {
  std::map<std::string, UserFigures> out;
  for (const FlowReport& flow : report.all_flows) {
    if (flow.user.empty() || flow.filled) continue;
    UserFigures& user = out[flow.user];
    user.requests += flow.tally.requests;
    user.refused += flow.tally.outcomes.refused(AdmissionStage::apf);
    user.seat_seconds += flow.tally.seat_seconds;
    user.wait += flow.tally.wait.sum();
    user.longest = std::max(user.longest, flow.tally.wait.max());
    if (user.level.empty() || is_protected_level(flow.priority_level)) user.level = flow.priority_level;
  }
  return out;
}

std::vector<Suspect> find_suspects(const PreparedLog& log, const ReplayOptions& options, const ReplayReport& report,
                                   const PreparedLog::Experiment& covers) {
  return Finder(log, options, report, covers).all();
}

Doings doings_of(const Suspect& suspect, const PreparedLog& log, const ReplayOptions& options,
                 const ReplayReport& report, const PreparedLog::Experiment& covers) {
  const std::vector<int> most_seats = most_seats_of_flows(log, options, report);
  struct OfFlow {
    std::uint64_t requests = 0;
    double work = 0;
    int widest = 0;
  };
  std::map<std::uint32_t, OfFlow> flows;
  RetryChains chains;
  Doings out;
  std::uint64_t all = 0, watches = 0;
  each_request(log, covers, [&](const PreparedEvent& event) {
    if (!suspect.takes(event)) return;
    ++all;
    watches += event.watch;
    out.early += chains.add(event).gap.value_or(kSecond) < kSecond;
    OfFlow& flow = flows[event.flow];
    ++flow.requests;
    flow.work += work_of(event, log);
    const int seats = std::min(seats_of(event, log), most_seats[event.flow]);
    flow.widest = std::max(flow.widest, seats);
    if (event.seat_kind == SeatKind::list && !event.watch) out.list_seats = std::max(out.list_seats, seats);
  });
  if (all == 0) return out;
  out.watches = static_cast<double>(watches) / static_cast<double>(all);
  struct Kind : OfFlow {
    std::map<std::string, std::uint64_t> resources;
  };
  std::map<std::string, Kind> verbs;
  for (const auto& [number, flow] : flows) {
    const std::string words = request_words(*log.shapes()[number]);
    const std::size_t space = words.find(' ');
    Kind& kind = verbs[words.substr(0, space)];
    kind.requests += flow.requests;
    kind.work += flow.work;
    kind.widest = std::max(kind.widest, flow.widest);
    kind.resources[space == std::string::npos ? "no resource" : words.substr(space + 1)] += flow.requests;
  }
  const auto most = std::max_element(verbs.begin(), verbs.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.work, a.second.requests) < std::pair(b.second.work, b.second.requests);
  });
  const Kind& kind = most->second;
  const auto resource = std::max_element(kind.resources.begin(), kind.resources.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::string plural = most->first + (most->first.ends_with("ch") ? "es" : "s");
  const std::string all_of = kind.resources.size() > 1 ? ", " + with_thousands(resource->second) : std::string();
  out.words = fmt::format("{} {}{} of {}", with_thousands(kind.requests), plural, all_of, resource->first);
  if (kind.widest > 1) out.words += fmt::format(", up to {} seats each", kind.widest);
  if (suspect.second) out.words += fmt::format(", most of them at second :{:02} of the minute", *suspect.second);
  if (2 * out.early > all) out.words += "; it comes back within a second of a refusal";
  return out;
}

}  // namespace apf
