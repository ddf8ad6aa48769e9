// The rules on what clients do wrong, by what each sent again and again.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "base/identities.h"
#include "base/outstanding.h"
#include "base/sort_stably.h"
#include "summary/client_streams.h"

namespace apf {
namespace {

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

// Of RESOURCE[.GROUP][/SUBRESOURCE].
bool is_about(const ClientStream& s, std::string_view plural) {
  return s.is_resource && s.resource.substr(0, s.resource.find('.')) == plural;
}
bool is_lease(const ClientStream& s) { return is_about(s, "leases") || is_about(s, "events"); }
bool is_review(const ClientStream& s) {
  return s.is_resource && s.resource.substr(0, s.resource.find('.')).ends_with("reviews");
}

// Objects by which instances of older programs find out which of them leads.
bool is_lock(const ClientStream& s) {
  const std::string_view path = path_of(s), name = path.substr(path.rfind('/') + 1);
  return is_about(s, "endpoints") || name.find("leader") != name.npos || name.find("election") != name.npos ||
         name.ends_with("lock");
}

// Served by adapters, which know no watches.
bool cannot_be_watched(const ClientStream& s) {
  const std::string_view path = path_of(s), apis = "/apis/";
  if (!path.starts_with(apis)) return is_about(s, "componentstatuses");
  const std::string_view group = path.substr(apis.size(), path.find('/', apis.size()) - apis.size());
  return group.ends_with("metrics.k8s.io");
}

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

// Without the reason in the log, a create is answered 409 for what exists, not for another write; that of a
// subresource, as of a Pod's binding, for its object.
std::uint32_t creates_of_existing(const ClientStream& s) {
  return answered(s, AnswerCause::already_exists) + (s.named ? 0 : answered(s, AnswerCause::conflict));
}

bool retries_early(const ClientStream& s) {
  return is_enough(s, s.refused, 20) && share(s.early, s.refused) >= 0.5 && share(s.overlapping, s.requests) <= 0.05 &&
         (s.named || is_loop(s.early_gaps));
}

constexpr Rule kRules[] = {
    {ClientFault::list_loop,
     [](const ClientStream& s) {
       if ((s.refused > s.served && retries_early(s)) || cannot_be_watched(s)) return false;
       return s.verb == "list" && s.is_resource && is_enough(s, s.requests, 60) && is_enough(s, s.fresh, 30) &&
              share(s.unpaged, s.requests) >= 0.9 && share(s.served + s.refused, s.requests) >= 0.5 &&
              s.fresh_gaps * 2 >= s.fresh - 1;
     },
     [](const ClientStream& s) { return s.unpaged; }},
    {ClientFault::short_watches,
     [](const ClientStream& s) {
       return s.watch && is_enough(s, s.requests, 20) && share(s.served, s.requests) >= 0.9 &&
              s.timed * 10 >= s.requests * 9 && share(s.short_lives, s.timed) >= 0.9 && comes_within(s, 30 * kSecond);
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
    {ClientFault::retries_apply,
     [](const ClientStream& s) { return repeats(s, AnswerCause::apply_conflict, 20, 0.5, 10 * kSecond); },
     [](const ClientStream& s) { return answered(s, AnswerCause::apply_conflict); }},
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
       return s.verb == "get" && s.is_resource && s.named && !is_lease(s) && !is_lock(s) && !cannot_be_watched(s) &&
              is_enough(s, s.served, 60) && comes_within(s, 5 * kSecond);
     },
     [](const ClientStream& s) { return s.served; }},
    {ClientFault::early_retry, retries_early, [](const ClientStream& s) { return s.early; }},
    {ClientFault::unpaged_lists,
     [](const ClientStream& s) {
       return s.whole_resource && !cannot_be_watched(s) && s.whole >= 10 && share(s.whole, s.requests) >= 0.9 &&
              share(s.long_durations, s.timed) >= 0.5 && s.timed * 2 >= s.requests;
     },
     [](const ClientStream& s) { return s.whole; }},
    {ClientFault::reviews,
     [](const ClientStream& s) {
       return s.verb == "create" && is_review(s) && s.requests >= 300 &&
              static_cast<double>(s.requests) * 1e9 >= 5.0 * static_cast<double>(s.last - s.first);
     },
     [](const ClientStream& s) { return s.requests; }},
};

std::string example_of(const ClientStream& s, Nanos time, int code) {
  return fmt::format("{} {} {} {}", format_rfc3339(time), s.verb, s.uri, code);
}

bool writes_it(const ClientStreams& streams, const ClientStream& reader) {
  return std::any_of(streams.all().begin(), streams.all().end(), [&](const ClientStream& s) {
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
  for (const ClientStream& s : streams.all()) {
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

// Streams of one client with one verb on one resource.
using Streams = std::vector<const ClientStream*>;

template <class Field>
std::uint64_t sum_of(const Streams& streams, Field field) {
  std::uint64_t sum = 0;
  for (const ClientStream* s : streams) sum += field(*s);
  return sum;
}

struct Span {
  Nanos first = INT64_MAX, last = INT64_MIN;
};
Span span_of(const Streams& streams) {
  Span out;
  for (const ClientStream* s : streams) {
    out.first = std::min(out.first, s->first);
    out.last = std::max(out.last, s->last);
  }
  return out;
}

std::uint64_t addresses_of(const Streams& streams) {
  std::set<std::uint32_t> seen;
  std::uint64_t most = 0;
  for (const ClientStream* s : streams) {
    seen.insert(s->address);
    most = std::max<std::uint64_t>(most, s->addresses);
  }
  return std::max<std::uint64_t>(most, seen.size());
}

bool is_turned_away(const ClientStream& s) { return s.refused + answered(s, AnswerCause::forbidden) > 0; }

// Of many paths, each too rarely for a finding of its own.
bool is_forbidden_everywhere(const Streams& streams, const DroppedStreams& dropped) {
  const auto requests = dropped.requests + sum_of(streams, [](const ClientStream& s) { return s.requests; });
  const auto refused =
      dropped.forbidden + sum_of(streams, [](const ClientStream& s) { return answered(s, AnswerCause::forbidden); });
  const Span span = span_of(streams);
  return requests >= 60 && requests * 4 >= 60 * addresses_of(streams) && share(refused, requests) >= 0.9 &&
         (span.last - span.first) / 10 <= kSecond * static_cast<Nanos>(requests / addresses_of(streams));
}

bool is_early_everywhere(const Streams& streams, const DroppedStreams& dropped) {
  const auto refused = dropped.refused + sum_of(streams, [](const ClientStream& s) { return s.refused; });
  if (refused < 20 || refused * 4 < 20 * addresses_of(streams)) return false;
  std::vector<Nanos> pauses;
  bool named = true;
  for (const ClientStream* s : streams) {
    named &= s->named || s->refused == 0;
    pauses.insert(pauses.end(), s->early_gaps.begin(), s->early_gaps.end());
  }
  const auto requests = dropped.requests + sum_of(streams, [](const ClientStream& s) { return s.requests; });
  const auto early = dropped.early + sum_of(streams, [](const ClientStream& s) { return s.early; });
  const auto overlapping = dropped.overlapping + sum_of(streams, [](const ClientStream& s) { return s.overlapping; });
  return share(early, refused) >= 0.5 && share(overlapping, requests) <= 0.05 && (named || is_loop(std::move(pauses)));
}

// Whose code nobody but the project changes, and which write and ask as often as things change.
bool is_component(const LogNames& names, const ClientStream& s) {
  const std::string_view agent = names.agents.text(s.agent);
  for (const char* name : {"kube-apiserver/", "kube-controller-manager/", "kube-scheduler/", "kubelet/"})
    if (agent.starts_with(name)) return true;
  return false;
}
bool is_theirs(ClientFault fault) {
  return fault == ClientFault::rewrites || fault == ClientFault::retries_conflict ||
         fault == ClientFault::polls_object || fault == ClientFault::short_watches;
}

class Findings {
 public:
  Findings(const ClientStreams& streams, const LogNames& names, const LogTally& total,
           const std::vector<ClientFault>& ignored)
      : streams_(streams), names_(names), total_(total), ignored_(ignored) {}

  std::vector<ClientFinding> find() {
    find_by_rules();
    find_everywhere();
    gather_users();
    for (const auto& [key, of] : accused_) out_.push_back(finding_of(key.second, of));
    find_herds();
    if (is_wanted(ClientFault::shared_identity)) find_shared_identities(streams_, names_, total_, out_);
    // A shared identity loads nobody: it comes last.
    sort_stably(out_, [](const ClientFinding& a, const ClientFinding& b) {
      if (const bool last = a.fault == ClientFault::shared_identity; last != (b.fault == ClientFault::shared_identity))
        return !last;
      const double cost_a = std::max(a.share, a.seat_share), cost_b = std::max(b.share, b.seat_share);
      if (cost_a != cost_b) return cost_a > cost_b;
      if (a.requests != b.requests) return a.requests > b.requests;
      return std::tie(a.user, a.agent, a.path, a.what) < std::tie(b.user, b.agent, b.path, b.what);
    });
    return std::move(out_);
  }

 private:
  struct Accused {
    std::uint32_t (*hits)(const ClientStream&) = nullptr;
    Streams streams;
  };

  bool is_wanted(ClientFault fault) const {
    return std::find(ignored_.begin(), ignored_.end(), fault) == ignored_.end();
  }

  // The server itself is no client.
  bool is_server(const ClientStream& s) const { return names_.users.text(s.user) == "system:apiserver"; }

  void find_by_rules() {
    for (const ClientStream& s : streams_.all()) {
      if (is_server(s)) continue;
      for (const Rule& rule : kRules) {
        if (!is_wanted(rule.fault) || !rule.holds(s)) continue;
        if (is_theirs(rule.fault) && is_component(names_, s)) continue;
        if (rule.fault == ClientFault::polls_object && writes_it(streams_, s)) continue;
        Accused& of = accused_[{kind_of(s), rule.fault}];
        of.hits = rule.hits;
        of.streams.push_back(&s);
        kinds_accused_.insert(kind_of(s));
        break;  // what is worst of a stream comes first
      }
    }
  }

  void find_everywhere() {
    struct Spread {
      ClientFault fault;
      bool (*holds)(const Streams&, const DroppedStreams&);
    };
    constexpr Spread kSpread[] = {{ClientFault::retries_forbidden, is_forbidden_everywhere},
                                  {ClientFault::early_retry, is_early_everywhere}};
    std::map<ClientKind, Streams> kinds;
    for (const ClientStream& s : streams_.all())
      if (is_turned_away(s) && s.request != Names::kOthers && !is_server(s) && !kinds_accused_.contains(kind_of(s)))
        kinds.try_emplace(kind_of(s));
    // Those as well that were always served.
    if (kinds.empty()) return;
    for (const ClientStream& s : streams_.all())
      if (const auto at = kinds.find(kind_of(s)); at != kinds.end()) at->second.push_back(&s);
    for (auto& [kind, of] : kinds)
      for (const Spread& rule : kSpread) {
        if (!is_wanted(rule.fault) || !rule.holds(of, streams_.dropped(kind))) continue;
        const auto* at = std::find_if(std::begin(kRules), std::end(kRules),
                                      [&](const Rule& one) { return one.fault == rule.fault; });
        accused_[{kind, rule.fault}] = {at->hits, std::move(of)};
        break;
      }
  }

  // One program under many users, as that of each node is, does it once.
  void gather_users() {
    constexpr std::size_t kMany = 4;
    std::map<std::tuple<std::uint32_t, std::uint32_t, ClientFault>, std::vector<std::pair<ClientKind, ClientFault>>>
        programs;  // by agent and request
    for (const auto& [key, of] : accused_)
      if (const auto& [user, agent, request] = key.first; agent != Names::kNone)
        programs[{agent, request, key.second}].push_back(key);
    for (auto& [program, keys] : programs) {
      const bool nodes =
          std::all_of(keys.begin(), keys.end(), [&](const auto& key) { return is_node(std::get<0>(key.first)); });
      if (nodes)
        if (const auto one = outstanding(
                keys, [&](const auto& key) { return sum_of(accused_.at(key).streams, accused_.at(key).hits); });
            one != keys.end())
          keys.erase(one);
      if (keys.size() < (nodes ? 2 : kMany)) continue;
      Streams& all = accused_[keys.front()].streams;
      for (std::size_t i = 1; i < keys.size(); ++i) {
        const auto at = accused_.find(keys[i]);
        all.insert(all.end(), at->second.streams.begin(), at->second.streams.end());
        accused_.erase(at);
      }
    }
  }

  ClientFinding finding_of(ClientFault fault, const Accused& of) const {
    const ClientStream& first =
        **std::max_element(of.streams.begin(), of.streams.end(), [&](const ClientStream* a, const ClientStream* b) {
          const bool a_hit = of.hits(*a) > 0, b_hit = of.hits(*b) > 0;
          return std::tie(a_hit, a->requests, b->uri) < std::tie(b_hit, b->requests, a->uri);
        });
    ClientFinding f;
    f.fault = fault;
    name_users(of.streams, first, f);
    f.agent = names_.agents.text(first.agent);
    f.what = names_.requests.text(first.request);
    f.path = path_of(first);
    std::set<std::string_view> paths;
    for (const ClientStream* s : of.streams) paths.insert(path_of(*s));
    f.paths = paths.size();
    f.hits = sum_of(of.streams, of.hits);
    f.requests = sum_of(of.streams, [](const ClientStream& s) { return s.requests; });
    if (fault == ClientFault::list_loop)
      f.no_retries = sum_of(of.streams, [](const ClientStream& s) { return s.fresh; });
    const Span span = span_of(of.streams);
    f.first = span.first;
    f.last = span.last;
    DurationCounts times;
    double seat_seconds = 0;
    for (const ClientStream* s : of.streams) {
      seat_seconds += s->seat_seconds;
      if (fault != ClientFault::early_retry) times.add(s->times);
      else
        for (const Nanos pause : s->early_gaps) times.add(pause);
    }
    f.median = first.watch || fault == ClientFault::early_retry ? times.half_at_most() : times.half_at_least();
    f.share = share(f.requests, total_.requests);
    f.seat_share = total_.seat_seconds > 0 ? seat_seconds / total_.seat_seconds : 0;
    f.examples.push_back(example_of(first, first.first, first.first_code));
    if (first.requests > 1) f.examples.push_back(example_of(first, first.second, first.second_code));
    return f;
  }

  bool is_node(std::uint32_t user) const { return names_.users.text(user).starts_with(kNodePrefix); }

  void name_users(const Streams& streams, const ClientStream& first, ClientFinding& f) const {
    std::set<std::uint32_t> users;
    for (const ClientStream* s : streams) users.insert(s->user);
    const bool nodes =
        users.size() > 1 && std::all_of(users.begin(), users.end(), [&](std::uint32_t user) { return is_node(user); });
    f.user = nodes ? std::string_view(kAllNodes) : names_.users.text(first.user);
    f.users = users.size();
  }

  void find_herds() {
    if (!is_wanted(ClientFault::herd)) return;
    for (const Herd& herd : streams_.herds().find()) {
      ClientFinding& f = out_.emplace_back();
      f.fault = ClientFault::herd;
      f.agent = names_.agents.text(herd.agent);
      f.what = names_.requests.text(herd.request);
      f.first = f.last = herd.second;
      f.addresses = herd.addresses;
      f.all_addresses = herd.all_addresses;
      f.hits = f.requests = herd.requests;
      f.share = share(herd.requests, total_.requests);
    }
  }

  const ClientStreams& streams_;
  const LogNames& names_;
  const LogTally& total_;
  const std::vector<ClientFault>& ignored_;
  std::map<std::pair<ClientKind, ClientFault>, Accused> accused_;
  std::set<ClientKind> kinds_accused_;
  std::vector<ClientFinding> out_;
};

}  // namespace

std::vector<ClientFinding> find_client_faults(const ClientStreams& streams, const LogNames& names,
                                              const LogTally& total, const std::vector<ClientFault>& ignored) {
  return Findings(streams, names, total, ignored).find();
}

}  // namespace apf
