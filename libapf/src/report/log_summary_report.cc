// What a log says of what happened: as a document, as JSON and as CSV.
#include <apf/output.h>
#include <apf/report.h>
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/joined.h"
#include "base/sort_stably.h"
#include "report/csv_table.h"
#include "report/document.h"
#include "report/log_stat_report.h"
#include "report/units.h"

namespace apf {
namespace {

constexpr auto kOfEtcd = static_cast<std::size_t>(LatencyPart::etcd);
constexpr auto kOfQueue = static_cast<std::size_t>(LatencyPart::queue);
constexpr auto kWhole = static_cast<std::size_t>(LatencyPart::total);

std::string clock_of(Nanos time) { return format_rfc3339(time).substr(11, 8); }
std::string minute_of(Nanos time) { return format_rfc3339(time).substr(11, 5); }

std::string of(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{} of {}", grouped(part), grouped(whole));
}

// Where the time of slow requests went, in few words.
struct Spent {
  const char* what;
  Nanos sum;
};
std::vector<Spent> spent(const SlowRequests& slow) {
  const auto sum = [&](std::initializer_list<LatencyPart> parts) {
    Nanos out = 0;
    for (const LatencyPart part : parts) out += slow.parts[static_cast<std::size_t>(part)];
    return out;
  };
  std::vector<Spent> out = {
      {"queue", slow.parts[kOfQueue]},
      {"etcd", slow.parts[kOfEtcd]},
      {"mutating webhooks", sum({LatencyPart::mutating_webhook})},
      {"validating webhooks", sum({LatencyPart::validating_webhook})},
      {"transformation and serialization", sum({LatencyPart::transform, LatencyPart::serialize, LatencyPart::decode})},
      {"writing the answer", sum({LatencyPart::response_write})},
      {"authentication and authorization", sum({LatencyPart::authentication, LatencyPart::authorization})}};
  Nanos known = 0;
  for (const Spent& part : out) known += part.sum;
  out.push_back({"other", std::max<Nanos>(0, slow.parts[kWhole] - known)});
  return out;
}

// As --as takes it: sa:NAMESPACE/NAME.
std::string short_user(const std::string& user) {
  constexpr std::string_view kAccount = "system:serviceaccount:", kNode = "system:node:";
  if (user.starts_with(kNode)) return "node:" + user.substr(kNode.size());
  const std::size_t colon = user.find(':', kAccount.size());
  if (!user.starts_with(kAccount) || colon == std::string::npos) return user;
  return "sa:" + user.substr(kAccount.size(), colon - kAccount.size()) + "/" + user.substr(colon + 1);
}

bool is_refusal(AnswerCause cause) {
  return cause == AnswerCause::apf || cause == AnswerCause::max_in_flight || cause == AnswerCause::hung_up;
}

std::string percent(double share) { return human_percent(static_cast<std::uint64_t>(share * 1e6), 1'000'000); }

bool knows_answers(const LogSummary& s) {
  const auto none = s.stat.codes.find(0);
  return none == s.stat.codes.end() || none->second < s.stat.requests;
}

bool only_max_in_flight(const LogSummary& s) {
  return std::none_of(s.answers.begin(), s.answers.end(), [](const LogAnswers& a) {
    return a.cause == AnswerCause::apf || a.cause == AnswerCause::hung_up;
  });
}

std::string period(const ClientFinding& f) {
  if (f.requests < 2 || f.last == f.first) return {};
  return ", one every " + human_duration((f.last - f.first) / static_cast<Nanos>(f.requests - 1));
}

std::string evidence(const ClientFinding& f) {
  const std::string part = of(f.hits, f.requests);
  switch (f.fault) {
    case ClientFault::list_loop:
      return fmt::format("{} without resourceVersion and limit{}", part, period(f));
    case ClientFault::short_watches:
      return fmt::format("{} watches, half of which lived {} or less{}", grouped(f.requests),
                         human_duration(f.median.value_or(0)), period(f));
    case ClientFault::retries_forbidden:
      return fmt::format("{} answered 403{}", part, period(f));
    case ClientFault::retries_not_found:
      return fmt::format("{} answered 404{}", part, period(f));
    case ClientFault::retries_conflict:
    case ClientFault::creates_existing:
      return fmt::format("{} answered 409{}", part, period(f));
    case ClientFault::retries_invalid:
      return fmt::format("{} answered 400 or 422{}", part, period(f));
    case ClientFault::rewrites:
      return fmt::format("{} writes of {}{}", grouped(f.requests), f.path, period(f));
    case ClientFault::polls_object:
      return fmt::format("{} reads of {}{}", grouped(f.requests), f.path, period(f));
    case ClientFault::early_retry:
      return fmt::format("{} refusals followed by the same request within 0.9 s", grouped(f.hits));
    case ClientFault::unpaged_lists:
      return fmt::format("{} lists of everything, half of which took {} or longer", grouped(f.hits),
                         human_duration(f.median.value_or(0)));
    case ClientFault::reviews:
      return fmt::format("{} reviews{}", grouped(f.requests), period(f));
    case ClientFault::herd:
      return fmt::format("{} addresses in the second from {}", of(f.addresses, f.all_addresses), clock_of(f.first));
    case ClientFault::throttled:
    case ClientFault::kCount:
      break;
  }
  return {};
}

class LogSummaryDocument {
 public:
  LogSummaryDocument(const LogSummary& summary, const LogSummaryFrame& frame, bool brief)
      : s_(summary), frame_(frame), brief_(brief) {}

  Document build() {
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(s_.stat.files.size(), 3); ++i)
      names += (i ? ", " : "") + printable(s_.stat.files[i].name);
    if (s_.stat.files.size() > 3) names += fmt::format(" and {} more", s_.stat.files.size() - 3);
    out_.title = names.empty() ? "Log" : names;
    verdict();
    say_doubts();
    lead(names);
    refused();
    if (!brief_) answers();
    clients();
    throttling();
    if (!brief_) time();
    if (!brief_) load();
    asked();
    if (brief_) also();
    else section(replayable_passage(s_.stat, frame_));
    if (!brief_)
      for (Passage& passage : log_stat_passages(s_.stat, frame_)) section(std::move(passage), true);
    Passage next("Next");
    for (std::size_t i = 0; i < shown(frame_.next.size(), 1); ++i) next.type(frame_.next[i]);
    section(std::move(next));
    return std::move(out_);
  }

 private:
  void section(Passage passage, bool folded = false) {
    if (!passage.empty()) out_.sections.push_back({std::move(passage), folded});
  }
  std::size_t shown(std::size_t rows, std::size_t brief) const { return brief_ ? std::min(rows, brief) : rows; }

  void verdict() {
    Verdict& v = out_.verdict;
    const LogTally& t = s_.total;
    const std::string requests = counted(t.requests, "request", "requests");
    if (t.requests == 0) {
      v.tone = Tone::caution;
      v.what = s_.throttling.lines > 0 ? throttling_sentence() : "No requests.";
      return;
    }
    if (t.refused > 0) {
      v.tone = Tone::bad;
      v.what = fmt::format("{} refused {} of {} ({}).",
                           only_max_in_flight(s_) ? "Max-in-flight" : "API Priority and Fairness", grouped(t.refused),
                           requests, human_percent(t.refused, t.requests));
      if (const LogRow* worst = worst_client())
        v.sentences.push_back(fmt::format("Most of them were from {}: {} of its {}.", worst->names.front(),
                                          grouped(worst->tally.refused),
                                          counted(worst->tally.requests, "request", "requests")));
    } else if (!knows_answers(s_)) {
      v.tone = Tone::caution;
      v.what = "The log does not say how requests were answered: whether any was refused is not known.";
    } else {
      v.tone = s_.clients.empty() && others_429() == 0 ? Tone::good : Tone::caution;
      v.what = fmt::format("API Priority and Fairness refused none of {}.", requests);
    }
    if (const std::string others = other_refusals(); !others.empty()) v.sentences.push_back(others);
    constexpr std::uint64_t kFew = 20;  // one of
    if (t.waited * kFew >= t.requests) {
      v.sentences.push_back(waits_sentence());
      if (v.tone == Tone::good) v.tone = Tone::caution;
    }
    if (s_.slow_total.with_parts > 0) v.sentences.push_back(slow_sentence());
    if (!s_.clients.empty()) v.sentences.push_back(accusation());
    if (s_.throttling.lines > 0) v.sentences.push_back(throttling_sentence());
  }

  // What follows is only of the part that can be read, and of the selection that the log is.
  void say_doubts() {
    Verdict& v = out_.verdict;
    const auto say_first = [&](const Remark& remark) {
      std::string former = std::exchange(v.what, render_text(remark));
      if (remark.kind != RemarkKind::no_request_ends || s_.total.refused > 0)
        v.sentences.insert(v.sentences.begin(), std::move(former));
      if (v.tone == Tone::good) v.tone = Tone::caution;
    };
    for (auto remark = s_.stat.incomplete.rbegin(); remark != s_.stat.incomplete.rend(); ++remark)
      if (is_of_selection(*remark)) say_first(*remark);
    for (auto remark = s_.stat.warnings.rbegin(); remark != s_.stat.warnings.rend(); ++remark)
      if (remark->kind == RemarkKind::log_damaged) say_first(*remark);
  }

  const LogRow* worst_client() const {
    const std::vector<LogRow>& rows = s_.users.empty() ? s_.agents : s_.users;
    return rows.empty() || rows.front().tally.refused == 0 ? nullptr : &rows.front();
  }

  std::uint64_t others_429() const {
    std::uint64_t others = 0;
    for (const LogAnswers& a : s_.answers) others += a.code == 429 && !is_refusal(a.cause) ? a.requests : 0;
    return others;
  }

  // "7 of the 24 answers 429 are not API Priority and Fairness's: …"
  std::string other_refusals() const {
    std::uint64_t all = 0;
    std::string causes;
    for (const LogAnswers& a : s_.answers) {
      if (a.code != 429) continue;
      all += a.requests;
      if (!is_refusal(a.cause)) causes += (causes.empty() ? "" : ", ") + counted_answers(a.cause, a.requests);
    }
    if (causes.empty()) return {};
    return fmt::format("{} of the {} answers 429 are not API Priority and Fairness's: {}.", grouped(others_429()),
                       grouped(all), causes);
  }

  std::string accusation() const {
    const ClientFinding& first = s_.clients.front();
    const std::string who = first.user.empty() ? first.agent : short_user(first.user);
    std::vector<std::string> names;
    for (const ClientFinding& f : s_.clients) names.push_back(f.user.empty() ? f.agent : f.user);
    std::sort(names.begin(), names.end());
    const auto clients = static_cast<std::uint64_t>(std::unique(names.begin(), names.end()) - names.begin());
    const std::string what = who + " " + row_of(first.fault).title;
    return clients == 1 ? "One client uses the API as it should not: " + what + "."
                        : fmt::format("{} clients use the API as they should not, first of all {}.", clients, what);
  }

  // "20 requests took half a second or longer, 2m26s in all: mutating webhooks 1m37s, etcd 46.1s; …"
  std::string slow_sentence() const {
    const SlowRequests& t = s_.slow_total;
    std::vector<Spent> parts = spent(t);
    sort_stably(parts, [](const Spent& a, const Spent& b) { return a.sum > b.sum; });
    std::vector<std::string> said;
    for (const Spent& part : parts)
      if (part.sum * 50 >= t.parts[kWhole]) said.push_back(std::string(part.what) + " " + human_duration(part.sum));
    std::string out = fmt::format("{} took half a second or longer", counted(t.requests, "request", "requests"));
    out += t.with_parts == t.requests
               ? fmt::format(", {} in all: ", human_duration(t.total))
               : fmt::format("; of the {} of {} of them: ", human_duration(t.parts[kWhole]), grouped(t.with_parts));
    if (said.size() == 1 && parts.front().what == std::string_view("other"))
      return out.substr(0, out.size() - 2) + ", hardly any of it in a queue, in etcd or in webhooks.";
    out += joined(said, ", ");
    return out + (t.parts[kOfQueue] * 50 < t.parts[kWhole] ? "; hardly any of it in a queue." : ".");
  }

  std::string throttling_sentence() const {
    const ClientThrottling& t = s_.throttling;
    return fmt::format(
        "{} in a client for client-go's own rate limiter: {} to {}, {} in all. No server and no API Priority and "
        "Fairness had a part in it.",
        t.lines == 1 ? "1 request waited" : grouped(t.lines) + " requests waited", human_duration(t.shortest),
        human_duration(t.longest), human_duration(t.sum));
  }

  void lead(const std::string& names) {
    if (s_.first)
      out_.lead.push_back(fmt::format("{}: {} in {}, from {}.{}", names,
                                      counted(s_.total.requests, "request", "requests"),
                                      human_duration(*s_.last - *s_.first), format_rfc3339(*s_.first),
                                      s_.classified > 0 ? " Levels by " + frame_.configuration + "." : ""));
    else if (!names.empty()) out_.lead.push_back(names + ": no requests of an API server.");
    if (s_.stat.in_both > 0)
      out_.lead.push_back(fmt::format("{} of them {} in both the audit log and the server's own log, and counted once.",
                                      grouped(s_.stat.in_both), s_.stat.in_both == 1 ? "is" : "are"));
    for (const Remark& remark : s_.stat.warnings)
      if (remark.kind == RemarkKind::servers_mixed || remark.kind == RemarkKind::servers_in_files)
        out_.lead.push_back(render_text(remark));
    std::uint64_t unusable = 0;
    for (const auto& [reason, lines] : s_.stat.unusable) unusable += lines;
    if (unusable > 0)
      out_.lead.push_back(fmt::format("{} of the log cannot be used.", counted(unusable, "line", "lines")));
  }

  void refused() {
    if (s_.total.refused == 0) return;
    Passage out("Refused, by whom and when");
    Table table;
    table.left("BY").left("NAME", 20).right("REFUSED").right("REQUESTS").right("SHARE");
    const auto rows = [&](const char* by, const std::vector<LogRow>& list, auto name) {
      std::size_t left = shown(list.size(), 2);
      const char* title = by;
      for (const LogRow& row : list) {
        if (left == 0 || row.tally.refused == 0) break;
        --left;
        table.row({{title, Tone::faint, {}},
                   name_cell(name(row.names)),
                   {grouped(row.tally.refused), Tone::bad, {}},
                   {grouped(row.tally.requests), Tone::plain, {}},
                   {human_percent(row.tally.refused, row.tally.requests), Tone::plain, {}}});
        title = "";
      }
    };
    const auto first = [](const std::vector<std::string>& names) { return short_user(names.front()); };
    const auto both = [](const std::vector<std::string>& names) { return names[0] + " " + names[1]; };
    rows("user", s_.users, first);
    rows("agent", s_.agents, [&](const std::vector<std::string>& names) {  // "kubectl/v1.36.0", without its platform
      return brief_ ? names.front().substr(0, names.front().find(' ')) : names.front();
    });
    if (s_.users.empty()) rows("address", s_.addresses, first);
    rows("FlowSchema", s_.schemas,
         [](const std::vector<std::string>& names) { return names[0] + " (" + names[1] + ")"; });
    rows("request", s_.resources, both);
    out.show(std::move(table));
    std::string when = fmt::format("First at {}, last at {}", clock_of(*s_.first_refused), clock_of(*s_.last_refused));
    if (s_.worst_minute)
      when += fmt::format("; most in the minute of {}: {}", minute_of(s_.worst_minute->begin),
                          grouped(s_.worst_minute->tally.refused));
    out.say(when + ".");
    section(std::move(out));
  }

  void answers() {
    Passage out("Answers that are errors");
    Table table;
    table.right("CODE").left("WHAT", 30).left("FROM", 20);
    for (const LogAnswers& a : s_.answers) {
      std::string who;
      for (const LogRow& client : a.clients) {
        const std::string& name = client.names.front();
        who += (who.empty() ? "" : ", ") + (name.empty() ? "(unknown)" : short_user(name)) + " " +
               grouped(client.tally.requests);
      }
      table.row({{a.code == 0 ? "-" : std::to_string(a.code), Tone::plain, {}},
                 {counted_answers(a.cause, a.requests), Tone::plain, {}},
                 name_cell(who)});
    }
    out.show(std::move(table));
    section(std::move(out));
  }

  void clients() {
    Passage out("What clients do wrong");
    std::vector<std::string> items;
    const std::size_t count = shown(s_.clients.size(), 5);
    for (std::size_t i = 0; i < count; ++i) {
      const ClientFinding& f = s_.clients[i];
      const ClientFaultRow& row = row_of(f.fault);
      std::string who = f.user.empty() ? f.agent : short_user(f.user);
      if (!f.user.empty() && !f.agent.empty() && !brief_) who += " (" + f.agent + ")";
      std::string text =
          fmt::format("{} {}: {}, {} ({} of requests", who, row.title, f.what, evidence(f), percent(f.share));
      if (f.seat_share > 0.005) text += fmt::format(", {} of seat-seconds", percent(f.seat_share));
      text += ")";
      if (!brief_) text += fmt::format(" [{}]. {}", row.code, row.advice);
      items.push_back(printable(text));
      if (!brief_)
        for (const std::string& example : f.examples) items.back() += " Example: " + printable(example) + ".";
    }
    out.list(std::move(items));
    if (brief_ && !s_.clients.empty())
      out.explain(count < s_.clients.size()
                      ? fmt::format("{} more, and what to do about each: -o wide.", s_.clients.size() - count)
                      : "What to do about each: -o wide.");
    section(std::move(out));
  }

  void throttling() {
    if (s_.throttling.lines == 0) return;
    Passage out("Client-side throttling");
    Table table;
    table.left("REQUEST", 30).right("LINES").right("WAITED");
    for (std::size_t i = 0; i < shown(s_.throttling.targets.size(), 4); ++i) {
      const LogRow& row = s_.throttling.targets[i];
      table.row({name_cell(row.names.front()),
                 {grouped(row.tally.requests), Tone::plain, {}},
                 {human_duration(row.tally.wait), Tone::plain, {}}});
    }
    out.show(std::move(table));
    out.say(row_of(ClientFault::throttled).advice);
    section(std::move(out));
  }

  void time() {
    const SlowRequests& t = s_.slow_total;
    Passage out("Where the time went");
    if (t.requests > 0) {
      std::string text = slow_sentence();
      if (t.with_parts == 0)
        text = fmt::format(
            "{} took half a second or longer, {} in all. The log does not say where the time went (no annotations "
            "apiserver.latency.k8s.io/…).",
            counted(t.requests, "request", "requests"), human_duration(t.total));
      out.say(text);
      slow_table(out);
    }
    if (s_.total.waited > 0) out.say(waits_sentence());
    section(std::move(out));
  }

  std::string waits_sentence() const {
    const LogTally& all = s_.total;
    return fmt::format("{} waited in a queue, {} on average: {} of the time from their arrival to their end.",
                       counted(all.waited, "request", "requests"),
                       human_duration(all.wait / static_cast<Nanos>(all.waited)),
                       human_percent(static_cast<std::uint64_t>(all.wait),
                                     static_cast<std::uint64_t>(std::max<Nanos>(all.wait_and_run, 1))));
  }

  // In brief what tables say otherwise.
  void also() {
    Passage out("Besides");
    std::string others;
    for (const LogAnswers& a : s_.answers)
      if (a.code != 429 && !is_refusal(a.cause))
        others += (others.empty() ? "" : ", ") + fmt::format("{} × {}", grouped(a.requests), a.code);
    if (!others.empty()) out.say("Other errors: " + others + ".");
    if (!s_.load.empty() && s_.total.seat_seconds > 0) {
      const LogRow& first = s_.load.front();
      const auto share_of_all = [&](const LogRow& row) {
        return percent(row.tally.seat_seconds / s_.total.seat_seconds);
      };
      std::string text = fmt::format("Most seat-seconds{}: {} {} ({})", s_.total.with_seats == 0 ? ", estimated" : "",
                                     first.names[0], first.names[1], share_of_all(first));
      if (!s_.load_of.empty())
        text +=
            fmt::format("; {} ({})", short_user(s_.load_of.front().names.front()), share_of_all(s_.load_of.front()));
      out.say(text + ".");
    }
    if (s_.total.requests > 0) out.say(replayable_sentence(s_.stat, frame_));
    section(std::move(out));
  }

  void slow_table(Passage& out) const {
    Table table;
    table.left("CLIENT", 20)
        .left("REQUEST", 12)
        .right("SLOW")
        .right("TIME")
        .right("QUEUE")
        .right("ETCD")
        .right("WEBHOOKS")
        .right("OTHER")
        .drop(1);
    for (std::size_t i = 0; i < shown(s_.slow.size(), 2); ++i) {
      const SlowRequests& row = s_.slow[i];
      const std::vector<Spent> parts = spent(row);
      const bool known = row.with_parts > 0;
      const Nanos webhooks = parts[2].sum + parts[3].sum;
      const Nanos rest = row.parts[kWhole] - parts[0].sum - parts[1].sum - webhooks;
      const auto cell = [&](Nanos sum) -> Table::Cell {
        return {
            known ? human_duration(std::max<Nanos>(0, sum)) : "-", known && sum == 0 ? Tone::faint : Tone::plain, {}};
      };
      table.row({name_cell(short_user(row.user)),
                 name_cell(row.verb + " " + row.resource),
                 {grouped(row.requests), Tone::plain, {}},
                 {human_duration(row.total), Tone::plain, {}},
                 cell(parts[0].sum),
                 cell(parts[1].sum),
                 cell(webhooks),
                 cell(rest)});
    }
    out.show(std::move(table));
  }

  void load() {
    if (s_.total.seat_seconds <= 0) return;
    Passage out("Who loads the server");
    Table table;
    table.left("BY").left("NAME", 20).right("REQUESTS").right("SEAT-SECONDS").right("SHARE");
    const auto rows = [&](const char* by, const std::vector<LogRow>& list) {
      const char* title = by;
      for (std::size_t i = 0; i < shown(list.size(), 2); ++i) {
        const LogRow& row = list[i];
        if (row.tally.seat_seconds <= 0) break;
        table.row({{title, Tone::faint, {}},
                   name_cell(row.names.size() == 1 ? short_user(row.names.front()) : joined(row.names, " ")),
                   {grouped(row.tally.requests), Tone::plain, {}},
                   {decimals(row.tally.seat_seconds, row.tally.seat_seconds < 100 ? 1 : 0), Tone::plain, {}},
                   {percent(row.tally.seat_seconds / s_.total.seat_seconds), Tone::plain, {}}});
        title = "";
      }
    };
    rows("request", s_.load);
    rows(s_.with_user > 0 ? "user" : "agent", s_.load_of);
    out.show(std::move(table));
    const LogTally& t = s_.total;
    if (t.with_seats < t.requests)
      out.explain(t.with_seats == 0
                      ? "Seat-seconds are estimated, as the log does not record seats: a list counts one seat, however "
                        "many objects it reads."
                      : fmt::format("Seats and execution times are recorded for {}; the others are estimated.",
                                    of(t.with_seats, t.requests)));
    course(out);
    section(std::move(out));
  }

  // Seats in use on average, minute by minute, as a line of blocks for each level.
  void course(Passage& out) const {
    std::vector<std::string> levels;
    Nanos first = INT64_MAX, last = INT64_MIN;
    for (const LogMinute& m : s_.minutes) {
      if (m.tally.seat_seconds > 0 && std::find(levels.begin(), levels.end(), m.level) == levels.end())
        levels.push_back(m.level);
      first = std::min(first, m.begin);
      last = std::max(last, m.begin);
    }
    constexpr Nanos kWidth = 60 * kSecond;
    constexpr std::size_t kMost = 40;
    const auto minutes = static_cast<std::size_t>((last - first) / kWidth) + 1;
    if (levels.empty() || minutes < 2) return;
    const std::size_t each = (minutes + kMost - 1) / kMost;
    Table table;
    table.left("LEVEL", 12).left("SEATS IN USE BY MINUTE").right("MOST").right("REFUSED").right("WAITED");
    std::sort(levels.begin(), levels.end());
    for (const std::string& level : levels) {
      std::vector<double> bins((minutes + each - 1) / each);
      std::uint64_t refused = 0, waited = 0;
      for (const LogMinute& m : s_.minutes) {
        if (m.level != level) continue;
        bins[static_cast<std::size_t>((m.begin - first) / kWidth) / each] +=
            m.tally.seat_seconds / (60.0 * static_cast<double>(each));
        refused += m.tally.refused;
        waited += m.tally.waited;
      }
      const double most = *std::max_element(bins.begin(), bins.end());
      std::string blocks;
      static constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
      for (const double bin : bins)
        blocks +=
            most > 0 && bin > 0 ? kBlocks[std::min<std::size_t>(7, static_cast<std::size_t>(bin / most * 8))] : " ";
      table.row({level.empty() ? Table::Cell{"(not known)", Tone::faint, {}} : name_cell(level),
                 {blocks, Tone::plain, {}},
                 {decimals(most, 1), Tone::plain, {}},
                 {grouped(refused), refused > 0 ? Tone::bad : Tone::faint, {}},
                 {grouped(waited), waited > 0 ? Tone::caution : Tone::faint, {}}});
    }
    out.show(std::move(table));
  }

  void asked() {
    if (s_.by.empty()) return;
    Passage out("Requests");
    Table table;
    for (const LogDimension dimension : s_.dimensions) {
      std::string title = to_string(dimension);
      std::transform(title.begin(), title.end(), title.begin(),
                     [](char c) { return static_cast<char>(c - 'a' + 'A'); });
      table.left(std::move(title), 12);
    }
    table.right("REQUESTS").right("REFUSED").right("ERRORS").right("SEAT-SECONDS");
    for (std::size_t i = 0; i < shown(s_.by.size(), 20); ++i) {
      const LogRow& row = s_.by[i];
      std::vector<Table::Cell> cells;
      for (const std::string& name : row.names)
        cells.push_back(name.empty() ? Table::Cell{"-", Tone::faint, {}} : name_cell(name));
      cells.push_back({grouped(row.tally.requests), Tone::plain, {}});
      cells.push_back({grouped(row.tally.refused), row.tally.refused > 0 ? Tone::bad : Tone::faint, {}});
      cells.push_back({grouped(row.tally.errors), row.tally.errors > 0 ? Tone::caution : Tone::faint, {}});
      cells.push_back({decimals(row.tally.seat_seconds, 1), Tone::plain, {}});
      table.row(std::move(cells));
    }
    out.show(std::move(table));
    section(std::move(out));
  }

  const LogSummary& s_;
  const LogSummaryFrame& frame_;
  const bool brief_;
  Document out_;
};

void write_rows(JsonWriter& json, const char* key, const std::vector<LogRow>& rows,
                std::initializer_list<const char*> names) {
  json.key(key).begin_array();
  for (const LogRow& row : rows) {
    json.begin_object();
    std::size_t i = 0;
    for (const char* name : names) json.field(name, row.names[i++]);
    json.field("requests", row.tally.requests).field("refused", row.tally.refused).field("errors", row.tally.errors);
    json.field("seatSeconds", row.tally.seat_seconds).end_object();
  }
  json.end_array();
}

void write_time(JsonWriter& json, const char* name, const std::optional<Nanos>& time) {
  json.key(name);
  time ? json.value(*time) : json.null();
}

void write_refused(JsonWriter& json, const LogSummary& s) {
  std::uint64_t in_flight = 0;
  for (const LogAnswers& a : s.answers) in_flight += a.cause == AnswerCause::max_in_flight ? a.requests : 0;
  json.key("refused").begin_object().field("total", s.total.refused).field("apf", s.total.refused - in_flight);
  write_time(json, "firstNs", s.first_refused);
  write_time(json, "lastNs", s.last_refused);
  json.key("worstMinute");
  if (s.worst_minute)
    json.begin_object()
        .field("beginNs", s.worst_minute->begin)
        .field("refused", s.worst_minute->tally.refused)
        .field("requests", s.worst_minute->tally.requests)
        .end_object();
  else json.null();
  write_rows(json, "byUser", s.users, {"user"});
  write_rows(json, "byUserAgent", s.agents, {"userAgent"});
  write_rows(json, "byAddress", s.addresses, {"address"});
  write_rows(json, "byLevel", s.schemas, {"flowSchema", "priorityLevel"});
  write_rows(json, "byResource", s.resources, {"verb", "resource"});
  json.end_object();
}

void write_answers(JsonWriter& json, const LogSummary& s) {
  json.key("answers").begin_array();
  for (const LogAnswers& a : s.answers) {
    json.begin_object().field("code", a.code).field("cause", to_string(a.cause)).field("requests", a.requests);
    json.field("firstNs", a.first).field("lastNs", a.last).key("clients").begin_array();
    for (const LogRow& row : a.clients)
      json.begin_object().field("client", row.names.front()).field("requests", row.tally.requests).end_object();
    json.end_array().end_object();
  }
  json.end_array();
}

void write_slow(JsonWriter& json, const LogSummary& s) {
  const auto parts = [&](const SlowRequests& slow) {
    json.key("parts").begin_object();
    if (slow.with_parts > 0)
      for (std::size_t i = 0; i < kLatencyParts; ++i) json.field(to_string(static_cast<LatencyPart>(i)), slow.parts[i]);
    json.end_object();
  };
  json.key("time").begin_array();
  if (s.slow_total.with_parts > 0)
    for (const Spent& part : spent(s.slow_total))
      json.begin_object()
          .field("what", part.what)
          .field("sumNs", part.sum)
          .field("requests", s.slow_total.with_parts)
          .end_object();
  json.end_array().key("slow").begin_array();
  for (const SlowRequests& slow : s.slow) {
    json.begin_object().field("client", slow.user).field("verb", slow.verb).field("resource", slow.resource);
    json.field("requests", slow.requests).field("withParts", slow.with_parts).field("sumNs", slow.total);
    parts(slow);
    json.end_object();
  }
  json.end_array();
  json.key("waits")
      .begin_object()
      .field("requests", s.total.waited)
      .field("sumNs", s.total.wait)
      .field("latencySumNs", s.total.wait_and_run)
      .end_object();
}

void write_clients(JsonWriter& json, const LogSummary& s) {
  json.key("clients").begin_array();
  for (const ClientFinding& f : s.clients) {
    const ClientFaultRow& row = row_of(f.fault);
    json.begin_object().field("code", row.code).field("user", f.user).field("userAgent", f.agent);
    json.field("request", f.what).field("path", f.path).field("requests", f.requests).field("hits", f.hits);
    json.field("share", f.share).field("seatShare", f.seat_share).field("firstNs", f.first).field("lastNs", f.last);
    json.field("message", row.title).field("advice", row.advice).key("examples").begin_array();
    for (const std::string& example : f.examples) json.value(example);
    json.end_array().end_object();
  }
  json.end_array();
  json.key("throttling").begin_object().field("lines", s.throttling.lines);
  json.field("shortestNs", s.throttling.shortest)
      .field("longestNs", s.throttling.longest)
      .field("sumNs", s.throttling.sum);
  json.key("requests").begin_array();
  for (const LogRow& row : s.throttling.targets)
    json.begin_object()
        .field("request", row.names.front())
        .field("lines", row.tally.requests)
        .field("sumNs", row.tally.wait)
        .end_object();
  json.end_array().end_object();
}

void write_minutes(JsonWriter& json, const LogSummary& s) {
  json.key("minutes").begin_array();
  for (const LogMinute& m : s.minutes) {
    json.begin_object().field("beginNs", m.begin).field("priorityLevel", m.level).field("requests", m.tally.requests);
    json.field("refused", m.tally.refused).field("waited", m.tally.waited).field("waitNs", m.tally.wait);
    json.field("seatSeconds", m.tally.seat_seconds).end_object();
  }
  json.end_array();
}

}  // namespace

std::string render(const LogSummary& summary, const LogSummaryFrame& frame, Notation notation, const TextStyle& style) {
  const bool brief = notation == Notation::text && !style.full;
  return render(LogSummaryDocument(summary, frame, brief).build(), notation, style);
}

std::string render_json(const LogSummary& s, const LogSummaryFrame& frame) {
  JsonWriter json;
  json.begin_object().field("requests", s.total.requests);
  write_time(json, "firstArrivalNs", s.first);
  write_time(json, "lastArrivalNs", s.last);
  write_time(json, "lastEndNs", s.stat.last_end);
  write_refused(json, s);
  write_answers(json, s);
  write_rows(json, "load", s.load, {"verb", "resource"});
  write_rows(json, "loadByClient", s.load_of, {"client"});
  json.field("withSeats", s.total.with_seats);
  write_slow(json, s);
  write_clients(json, s);
  write_minutes(json, s);
  write_log_stat(json, s.stat, frame);
  json.end_object();
  return json.take();
}

std::string render_csv(const LogSummary& summary) {
  CsvTable out;
  for (const LogDimension dimension : summary.dimensions) out.text(to_string(dimension));
  for (const char* name : {"requests", "refused", "errors", "waited", "wait_s", "seat_seconds"}) out.text(name);
  out.end_row();
  for (const LogRow& row : summary.by) {
    for (const std::string& name : row.names) out.text(name);
    const LogTally& t = row.tally;
    for (const std::uint64_t number : {t.requests, t.refused, t.errors, t.waited}) out.number(number);
    out.seconds(static_cast<double>(t.wait));
    out.number(t.seat_seconds);
    out.end_row();
  }
  return out.take();
}

}  // namespace apf
