#include "report/logs/log_summary_words.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/identities.h"
#include "base/joined.h"
#include "base/rfc3339.h"
#include "base/saturated.h"
#include "base/sort_stably.h"
#include "report/core/units.h"
#include "summary/log_rows.h"

namespace apf {
namespace {

std::string period(const ClientFinding& f) {
  std::string out;
  if (f.requests > 1 && f.last != f.first)
    out = ", one every " + human_duration((f.last - f.first) / static_cast<Nanos>(f.requests - 1));
  return out;
}

// "…, on 3 paths"
std::string period_and_paths(const ClientFinding& f) {
  return period(f) + (f.paths > 1 ? fmt::format(", on {} paths", grouped(f.paths)) : "");
}

// "/api/v1/namespaces/x/pods/p", or "3 objects, such as …".
std::string objects(const ClientFinding& f) {
  return f.paths == 1 ? f.path : fmt::format("{} objects, such as {}", grouped(f.paths), f.path);
}

}  // namespace

std::string minute_of(Nanos time) { return format_rfc3339(time).substr(11, 5); }

std::string part_of(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{} of {}", grouped(part), grouped(whole));
}

bool knows(const SlowRequests& slow, LatencyPart part) {
  if (slow.parts[static_cast<std::size_t>(part)] > 0) return true;
  if (part == LatencyPart::queue && slow.with_wait > 0) return true;
  return part != LatencyPart::storage && slow.traced < slow.with_parts;
}

std::vector<Spent> spent(const SlowRequests& slow) {
  using Part = LatencyPart;
  static const std::pair<const char*, std::vector<Part>> kRows[] = {
      {"queue", {Part::queue}},
      {"etcd", {Part::etcd}},
      {"mutating webhooks", {Part::mutating_webhook}},
      {"validating webhooks", {Part::validating_webhook}},
      {"storage", {Part::storage}},
      {"transformation and serialization", {Part::transform, Part::serialize, Part::decode}},
      {"writing the answer", {Part::response_write}},
      {"authentication and authorization", {Part::authentication, Part::authorization}}};
  std::vector<Spent> out;
  Nanos all = 0;
  for (const auto& [what, parts] : kRows) {
    Spent row{what, 0};
    bool known = false;
    for (const Part part : parts) {
      known |= knows(slow, part);
      row.sum = saturated_sum(row.sum, slow.parts[static_cast<std::size_t>(part)]);
    }
    all = saturated_sum(all, row.sum);
    if (known) out.push_back(row);
  }
  out.push_back({"other", std::max<Nanos>(0, slow.parts[kWhole] - all)});
  return out;
}

std::string seat_seconds(double sum) {
  int places = sum < 100 ? 1 : 0;
  for (double unit = 1; sum < unit && places < 4; unit /= 10) ++places;
  return sum == 0 ? "0" : decimals(sum, places);
}

bool lacks_answers(const LogTally& tally) {
  constexpr std::uint64_t kMany = 20;  // one of
  return (tally.requests - tally.answered) * kMany >= tally.requests;
}

std::string answered_requests(const LogTally& tally) {
  return counted(tally.answered, "request", "requests") + (tally.answered == tally.requests ? ""
                                                           : tally.answered == 1 ? " whose answer is in the log"
                                                                                 : " whose answers are in the log");
}

std::uint64_t answers_by(const LogSummary& summary, AnswerCause cause) {
  std::uint64_t out = 0;
  for (const LogAnswers& a : summary.answers) out += a.cause == cause ? a.requests : 0;
  return out;
}

std::vector<std::string> client_sentences(const ClientThrottling& clients) {
  std::vector<std::string> out;
  if (clients.lines > 0) {
    const std::string each = human_duration(clients.shortest);
    out.push_back(fmt::format(
        "{} waited in a client for client-go's own rate limiter: {}.", counted(clients.lines, "request", "requests"),
        clients.lines == 1
            ? each
            : fmt::format("{} to {}, {} in all", each, human_duration(clients.longest), human_duration(clients.sum))));
  }
  if (clients.gave_up > 0)
    out.push_back(fmt::format("{} of requests whose deadline passed before client-go's own rate limiter let them go.",
                              counted(clients.gave_up, "line tells", "lines tell")));
  if (!out.empty())
    out.back() += clients.refused + clients.evictions + clients.events > 0
                      ? " No server had a part in that."
                      : " No server and no API Priority and Fairness had a part in it.";
  if (clients.evictions > 0)
    out.push_back(fmt::format("{} that a disruption budget refused an eviction.",
                              counted(clients.evictions, "line says", "lines say")));
  if (clients.events > 0)
    out.push_back(
        fmt::format("{} that EventRateLimit refused an event.", counted(clients.events, "line says", "lines say")));
  if (clients.refused == 0) return out;
  out.push_back(
      fmt::format("{} that a server answered a client 429.", counted(clients.refused, "line says", "lines say")));
  if (clients.schemas.empty())
    out.back() +=
        " What refused is not in the log: API Priority and Fairness, max-in-flight, or what lies behind them.";
  else
    out.push_back(fmt::format(
        "The answers name the FlowSchema with UID {}{}: API Priority and Fairness classified these requests.",
        clients.schemas.front().names.front(),
        clients.schemas.size() > 1 ? fmt::format(" and {} more", clients.schemas.size() - 1) : ""));
  out.push_back(
      "Who was refused, and by what, is in that server's audit log of the same time, or in its own log from -v=3 on.");
  return out;
}

std::string when(Nanos from, Nanos to) {
  const auto day_of = [](Nanos time) { return format_rfc3339(time).substr(5, 5) + " "; };
  const bool days = day_of(from) != day_of(to);
  if (!days && clock_of(from) == clock_of(to)) return "at " + clock_of(from);
  const auto text = !days && minute_of(from) == minute_of(to) ? clock_of : minute_of;
  return fmt::format("from {}{} to {}{}", days ? day_of(from) : "", text(from), days ? day_of(to) : "", text(to));
}

std::vector<std::string> failure_sentences(const LogSummary& summary) {
  constexpr std::uint64_t kFew = 100;  // one of
  constexpr std::size_t kMost = 3;
  constexpr std::uint64_t kLeast = 5;
  std::vector<std::string> out;
  for (const LogAnswers& a : summary.answers) {
    if (a.code == 429 || is_refusal(a.cause) || a.cause == AnswerCause::not_found) continue;
    if (a.requests * kFew < summary.total.requests || a.requests < kLeast || out.size() == kMost) break;
    out.push_back(fmt::format("Answered {}: {}{} ({} of requests), {}.", a.code, counted_answers(a.cause, a.requests),
                              a.about.empty() ? "" : ", " + printable(a.about),
                              human_percent(a.requests, summary.total.requests),
                              a.rise ? when(a.rise->from, a.rise->to) : when(a.first, a.last)));
  }
  return out;
}

std::vector<SaidChange> said_changes(const LogSummary& summary) {
  constexpr std::size_t kMost = 2;
  std::vector<SaidChange> out;
  const WhyChange* said = nullptr;
  for (const WhyChange& change : summary.why.changes) {
    if (out.size() == kMost) break;
    if (change.by == WhyBy::answer) continue;  // said with its cause
    // What rose at the same time is the same from another side.
    if (said && said->from == change.from && said->to == change.to) continue;
    said = &change;
    const std::string name =
        printable(change.by == WhyBy::ns ? "namespace " + change.name : short_name_of(change.name));
    const auto number = [&](double of) { return of < 10 ? decimals(of, 1) : grouped(static_cast<std::uint64_t>(of)); };
    out.push_back({&change, fmt::format("What rose: {}{}: {} {} a minute {}, {} at other times.", name,
                                        change.request.empty() ? "" : ", " + printable(change.request),
                                        number(change.then), change.seconds ? "seconds of the server" : "requests",
                                        when(change.from, change.to), number(change.before))});
  }
  return out;
}

std::string share_in_words(double share) { return human_percent(static_cast<std::uint64_t>(share * 1e6), 1'000'000); }

std::string rate_in_words(std::uint64_t requests, Nanos span) {
  constexpr std::uint64_t kFew = 10;
  if (span <= 0 || requests < kFew) return {};
  double rate = static_cast<double>(requests) * 1e9 / static_cast<double>(span);
  const char* unit = " a second";
  for (const auto& [longer, times] : {std::pair{" a minute", 60}, {" an hour", 60}, {" a day", 24}})
    if (rate < 1) {
      rate *= times;
      unit = longer;
    }
  return rate < 1 ? std::string() : decimals(rate, rate < 10 ? 1 : 0) + unit;
}

std::string client_in_words(const LogRow& client) {
  const std::string& name = client.names.front();
  if (client.stands_for == 0) return short_name_of(name);
  return short_name_of(name) + (name == kAllNodes ? fmt::format(" ({} nodes)", grouped(client.stands_for))
                                                  : " for " + counted(client.stands_for, "user", "users"));
}

namespace {

constexpr double kLarge = 0.25;  // of all requests, or of all seat-seconds

std::string acts_for(const LogSummary& summary, const LogRow& client) {
  if (client.stands_for == 0 || client.names.front() == kAllNodes) return {};
  const auto first = std::find_if(summary.impersonated.begin(), summary.impersonated.end(),
                                  [&](const LogRow& row) { return row.names.front() == client.names.front(); });
  return client.stands_for == 1 && first != summary.impersonated.end()
             ? "acts for " + first->names.back()
             : fmt::format("acts for {} users", grouped(client.stands_for));
}

// "tool/v2, under 5 users"
std::string named_client(const LogSummary& summary, const LogRow& client, bool is_agent) {
  const std::string& name = client.names.front();
  if (is_agent)
    return name + (client.stands_for > 1 ? fmt::format(", under {} users", grouped(client.stands_for)) : "");
  if (name == kAllNodes) return name + fmt::format(" ({} nodes)", grouped(client.stands_for));
  const std::string acts = acts_for(summary, client);
  return name + (acts.empty() ? "" : fmt::format(", which {} (impersonation)", acts));
}

double seat_share(const LogSummary& summary, const LogRow& row) {
  return summary.total.seat_seconds > 0 ? row.tally.seat_seconds / summary.total.seat_seconds : 0;
}

}  // namespace

std::string most_refused_sentence(const LogSummary& summary) {
  const std::vector<LogRow>& users = summary.users.empty() ? summary.agents : summary.users;
  const std::uint64_t all = summary.total.refused;
  if (users.empty() || users.front().tally.refused == 0) return {};
  const auto has_half = [&](const LogRow& row) { return row.tally.refused * 2 >= all && row.names.front() != "…"; };
  LogRow most = users.front();
  bool is_agent = summary.users.empty();
  if (!has_half(most)) {
    const auto acting = std::find_if(summary.load_of.begin(), summary.load_of.end(),
                                     [&](const LogRow& row) { return row.stands_for > 0 && has_half(row); });
    if (acting != summary.load_of.end()) {
      most = *acting;
    } else if (!is_agent && !summary.agents.empty() && has_half(summary.agents.front())) {
      most = summary.agents.front();
      is_agent = true;
      for (const LogRow& row : summary.agents_load)
        if (row.names == most.names) most.stands_for = row.stands_for;
    }
  }
  const std::uint64_t refused = most.tally.refused;
  return fmt::format("{} {}: {} of its {}.",
                     refused == all   ? "All of them were from"
                     : has_half(most) ? "Most of them were from"
                                      : "No client has half of them; the first is",
                     named_client(summary, most, is_agent), grouped(refused),
                     counted(most.tally.answered, "request", "requests"));
}

std::string busiest_sentence(const LogSummary& summary) {
  const LogTally& all = summary.total;
  if (!summary.busiest || all.requests < 2) return {};
  const auto& [first, is_agent, cost, most] = *summary.busiest;
  std::string out = "Busiest client: " + named_client(summary, first, is_agent);
  const std::string requests = counted(all.requests, "request", "requests");
  out += first.tally.requests == all.requests ? ": all " + requests
                                              : fmt::format(": {} of {} ({})", grouped(first.tally.requests), requests,
                                                            human_percent(first.tally.requests, all.requests));
  const std::string rate = rate_in_words(first.tally.requests, *summary.last - *summary.first);
  if (!rate.empty()) out += ", " + rate;
  if (!most.empty()) out += fmt::format(", {} {}", first.tally.requests > 2 ? "most of them" : "such as", most);
  if (all.seat_seconds > 0 && first.tally.requests < all.requests)
    out += fmt::format("; {} of the seat-seconds{}", share_in_words(seat_share(summary, first)),
                       all.with_seats == 0 ? " (estimated)" : "");
  if (!is_agent && summary.load_of.size() > 1) {
    const LogRow& second = summary.load_of[1];
    if (cost_of(second.tally, all) >= kLarge)
      out += fmt::format(
          ". Then {}: {} of the requests{}", client_in_words(second),
          human_percent(second.tally.requests, all.requests),
          all.seat_seconds > 0 ? ", " + share_in_words(seat_share(summary, second)) + " of the seat-seconds" : "");
  }
  return out + ".";
}

std::string acting_sentence(const LogSummary& summary) {
  if (summary.acted == 0) return {};
  for (const LogRow& client : summary.load_of) {
    const std::string acts = acts_for(summary, client);
    if (acts.empty()) continue;
    const bool is_first = summary.busiest && !summary.busiest->is_agent && &client == &summary.load_of.front();
    if (is_first) return {};  // what is said of it says so
    return fmt::format("Impersonated: {} requests; {} {}.", part_of(summary.acted, summary.total.requests),
                       short_name_of(client.names.front()), acts);
  }
  return {};
}

std::vector<LogRow> rows_by(const LogSummary& summary, std::size_t most, bool brief) {
  std::vector<LogRow> out = summary.by;
  if (brief)
    for (std::size_t i = 0; i < summary.dimensions.size(); ++i)
      if (summary.dimensions[i] == LogDimension::user) gather_nodes(out, i);
  keep_first(out, RowOrder::refusals, most);
  if (!summary.dimensions.empty() && summary.dimensions.front() == LogDimension::minute)
    sort_stably(out, [](const LogRow& a, const LogRow& b) { return a.names.front() < b.names.front(); });
  return out;
}

std::string other_errors(const LogSummary& summary) {
  std::vector<std::pair<int, std::uint64_t>> codes;
  for (const LogAnswers& a : summary.answers) {
    if (a.code == 429 || is_refusal(a.cause)) continue;
    const auto at = std::find_if(codes.begin(), codes.end(), [&](const auto& row) { return row.first == a.code; });
    if (at == codes.end()) codes.emplace_back(a.code, a.requests);
    else at->second += a.requests;
  }
  sort_stably(codes, [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t kMost = 8;
  std::string out;
  for (std::size_t i = 0; i < std::min(kMost, codes.size()); ++i)
    out += (i == 0 ? "" : ", ") + fmt::format("{} × {}", grouped(codes[i].second), codes[i].first);
  return out + (codes.size() > kMost ? " and others" : "");
}

std::string evidence(const ClientFinding& f) {
  const std::string part = part_of(f.hits, f.requests);
  switch (f.fault) {
    case ClientFault::list_loop:
      return fmt::format(
          "{} without resourceVersion and limit{}{}", part, period_and_paths(f),
          f.no_retries < f.requests ? fmt::format("; at least {} are no retries", grouped(f.no_retries)) : "");
    case ClientFault::short_watches:
      return fmt::format("{} watches, half of which lived {} or less{}", grouped(f.requests),
                         human_duration(f.median.value_or(0)), period_and_paths(f));
    case ClientFault::retries_forbidden:
      return fmt::format("{} answered 403{}", part, period_and_paths(f));
    case ClientFault::retries_not_found:
      return fmt::format("{} answered 404{}", part, period_and_paths(f));
    case ClientFault::retries_conflict:
    case ClientFault::retries_apply:
    case ClientFault::creates_existing:
      return fmt::format("{} answered 409{}", part, period_and_paths(f));
    case ClientFault::retries_invalid:
      return fmt::format("{} answered 400 or 422{}", part, period_and_paths(f));
    case ClientFault::retries_denied:
      return fmt::format("{} denied{}", part, period_and_paths(f));
    case ClientFault::rewrites:
      return fmt::format("{} writes of {}{}", grouped(f.requests), objects(f), period(f));
    case ClientFault::polls_object:
      return fmt::format("{} reads of {}{}", grouped(f.requests), objects(f), period(f));
    case ClientFault::early_retry:
      return fmt::format("{} refusals followed by the same request within 0.9 s, half of them after {} or sooner",
                         grouped(f.hits), human_duration(f.median.value_or(0)));
    case ClientFault::unpaged_lists:
      return fmt::format("{} lists of everything, half of which took {} or longer", grouped(f.hits),
                         human_duration(f.median.value_or(0)));
    case ClientFault::reviews:
      return fmt::format("{} reviews{}", grouped(f.requests), period_and_paths(f));
    case ClientFault::herd:
      return fmt::format("{} addresses in the second from {}", part_of(f.addresses, f.all_addresses),
                         clock_of(f.first));
    case ClientFault::expired_versions:
      return fmt::format("{} answered 410{}", part, period_and_paths(f));
    case ClientFault::shared_identity:
      return fmt::format("{} programs at {} addresses", f.hits, f.addresses);
    case ClientFault::throttled:
    case ClientFault::kCount:
      break;
  }
  return {};
}

}  // namespace apf
