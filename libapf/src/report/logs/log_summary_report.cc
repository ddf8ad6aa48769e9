// What a log says of what happened, as a document.
#include <apf/logs_report.h>
#include <apf/output.h>
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/identities.h"
#include "base/joined.h"
#include "base/rfc3339.h"
#include "base/sort_stably.h"
#include "logs/answer_cause.h"
#include "logs/server_names.h"
#include "report/core/remarks.h"
#include "report/core/units.h"
#include "report/core/why_words.h"
#include "report/core/writers.h"
#include "report/logs/left_out.h"
#include "report/logs/log_stat_report.h"
#include "report/logs/log_summary_words.h"
#include "report/logs/refusal_words.h"

namespace apf {
namespace {

class LogSummaryDocument {
 public:
  LogSummaryDocument(const LogSummary& summary, const LogSummaryFrame& frame, const View& view)
      : s_(summary), frame_(frame), brief_(view.is_brief()), on_page_(view.notation == Notation::html) {}

  Document build() {
    std::vector<std::string> files;
    for (const auto& file : s_.stat.files) files.push_back(file.name);
    const std::string names = log_names(files);
    out_.title = names.empty() ? "Log" : names;
    verdict();
    say_doubts();
    lead(names);
    out_.section().judge(verdict_.what, verdict_.tone);
    asked();
    Passage& head = s_.by.empty() ? out_.sections.back() : out_.section();
    head.list(verdict_.sentences, "");
    for (std::string& sentence : lead_) head.explain(std::move(sentence));
    if (on_page_) section(course_of_clients(s_));
    if (!brief_) out_.add(why_passages(s_.why));
    refused();
    if (!brief_) answers();
    clients();
    throttling();
    if (!brief_ || s_.total.requests == 0) section(time_passage(s_));
    if (!brief_) load();
    if (!brief_) acting();
    if (brief_) also();
    else section(replayable_passage(s_.stat, frame_));
    if (!brief_)
      for (Passage& passage : log_stat_passages(s_.stat, frame_)) section(std::move(passage), true);
    Passage next("Next");
    // A replay has each server by itself, not all of them together.
    for (const Remark& remark : s_.stat.warnings)
      if (brief_ && remark.kind == RemarkKind::servers_in_files && remark.name.empty())
        next.type("apfctl replay " + remark.detail);
    for (const std::string& command : brief_ ? frame_.next : frame_.further)
      if (!command.empty()) next.type(command);
    section(std::move(next));
    return std::move(out_);
  }

 private:
  void section(Passage passage, bool folded = false) { out_.add(std::move(folded ? passage.folded() : passage)); }
  std::size_t shown(std::size_t rows, std::size_t brief) const { return brief_ ? std::min(rows, brief) : rows; }

  void verdict() {
    Verdict& v = verdict_;
    const LogTally& t = s_.total;
    if (t.requests == 0) {
      v.tone = Tone::caution;
      v.sentences = client_sentences(s_.throttling);
      v.what = s_.slow_total.requests > 0
                   ? "The log has no requests but those that the server traced: " + slow_sentence(s_)
                   : "No requests.";
      if (!v.sentences.empty() && s_.slow_total.requests == 0) {
        v.what = std::move(v.sentences.front());
        v.sentences.erase(v.sentences.begin());
      }
      if (s_.slow_total.requests > 1) v.sentences.push_back(most_traced());
      return;
    }
    if (t.refused > 0) {
      v.tone = Tone::bad;
      v.what = refused_sentence(s_);
      say_unanswered();
      if (std::string most = most_refused_sentence(s_); !most.empty()) v.sentences.push_back(std::move(most));
      for (std::string& sentence : refusal_evidence(s_, frame_.configuration))
        v.sentences.push_back(std::move(sentence));
    } else if (t.answered == 0) {
      v.tone = Tone::caution;
      v.what = "The log does not say how requests were answered: whether any was refused is not known.";
    } else {
      v.tone = s_.clients.empty() && refusals_of_others(s_) == 0 ? Tone::good : Tone::caution;
      v.what = fmt::format(
          "{} refused none of {}.",
          s_.evidence.filter == RefusalEvidence::Filter::off ? "Max-in-flight" : "API Priority and Fairness",
          answered_requests(t));
      say_unanswered();
    }
    for (std::string& sentence : why_sentences(s_.why, s_.total.refused)) v.sentences.push_back(std::move(sentence));
    if (const std::string others = refusals_of_others_in_words(s_); !others.empty()) v.sentences.push_back(others);
    for (std::string& sentence : failure_sentences(s_)) v.sentences.push_back(std::move(sentence));
    for (SaidChange& said : said_changes(s_)) v.sentences.push_back(std::move(said.sentence));
    constexpr std::uint64_t kFew = 20;  // one of
    if (t.waited * kFew >= t.requests) {
      v.sentences.push_back(waits_sentence(s_));
      if (v.tone == Tone::good) v.tone = Tone::caution;
    }
    const bool is_of_clients = s_.why.verdict == WhyVerdict::client_limiter;
    std::vector<std::string> said_by_clients = client_sentences(s_.throttling);
    const auto say_clients = [&] {
      for (std::string& sentence : said_by_clients) v.sentences.push_back(std::move(sentence));
    };
    if (is_of_clients) say_clients();
    if (std::string busiest = busiest_sentence(s_); !busiest.empty()) v.sentences.push_back(std::move(busiest));
    if (s_.slow_total.with_parts > 0 || s_.slow_rise) v.sentences.push_back(slow_sentence(s_));
    if (!s_.clients.empty()) v.sentences.push_back(accusation());
    if (!is_of_clients) say_clients();
  }

  std::string most_traced() const {
    const auto most = std::max_element(s_.slow.begin(), s_.slow.end(),
                                       [](const auto& a, const auto& b) { return a.requests < b.requests; });
    const Nanos span = most->last - most->first;
    std::string out = fmt::format(
        "{}{} {}: {}", most->requests * 2 >= s_.slow_total.requests ? "Most of them are " : "The most frequent are ",
        most->verb, most->resource, grouped(most->requests));
    if (const std::string rate = rate_in_words(most->requests, span); !rate.empty())
      out += fmt::format(" in {}, {}", human_duration(span), rate);
    return out + (most->user.empty() ? "; the traces do not say who sent them, an audit log does."
                                     : ", from " + short_name_of(most->user) + ".");
  }

  void say_unanswered() {
    const std::uint64_t missing = s_.total.requests - s_.total.answered;
    if (missing > 0)
      verdict_.sentences.push_back(
          fmt::format("The answers to {} are not in the log.", part_of(missing, s_.total.requests)));
  }

  std::uint64_t unusable_lines() const {
    std::uint64_t out = 0;
    for (const auto& [reason, lines] : s_.stat.unusable) out += lines;
    return out;
  }

  // What follows is only of the part that can be read, and of the selection that the log is.
  void say_doubts() {
    Verdict& v = verdict_;
    const auto say_first = [&](const Remark& remark) {
      std::string former = std::exchange(v.what, render_text(remark));
      if (remark.kind != RemarkKind::no_request_ends || s_.total.refused > 0)
        v.sentences.insert(v.sentences.begin(), std::move(former));
      if (v.tone == Tone::good) v.tone = Tone::caution;
    };
    std::vector<const Remark*> selections;
    for (const Remark& remark : s_.stat.incomplete)
      if (is_of_selection(remark)) selections.push_back(&remark);
    if (brief_ && !selections.empty()) selections.resize(1);  // "of one user" says enough beside "of one verb"
    for (auto remark = selections.rbegin(); remark != selections.rend(); ++remark) say_first(**remark);
    for (auto remark = s_.stat.warnings.rbegin(); remark != s_.stat.warnings.rend(); ++remark)
      if (remark->kind == RemarkKind::log_damaged) say_first(*remark);
    if (s_.stat.interrupted) {
      const std::string times = s_.first ? clock_of(*s_.first) + " to " + clock_of(*s_.last) : std::string("a part");
      const LogProgress& at = s_.stat.reached;
      const std::string part =
          at.bytes_total > 0 ? fmt::format(", {} of its bytes", human_percent(at.bytes_read, at.bytes_total)) : "";
      v.what = fmt::format("Interrupted: this covers {} of the log{}. {}", times, part, v.what);
      v.tone = Tone::caution;
    }
    // Each may be a request that was refused.
    const std::uint64_t unusable = unusable_lines();
    if (!are_too_many(unusable, s_.stat.lines) || s_.total.requests == 0) return;
    v.what += fmt::format(" {} of {} cannot be used.", grouped(unusable), counted(s_.stat.lines, "line", "lines"));
    if (v.tone == Tone::good) v.tone = Tone::caution;
  }

  std::string accusation() const {
    const ClientFinding& first = s_.clients.front();
    const std::string who = accused(first);
    std::vector<std::string> names;
    for (const ClientFinding& f : s_.clients) names.push_back(f.user.empty() ? f.agent : f.user);
    std::sort(names.begin(), names.end());
    const auto clients = static_cast<std::uint64_t>(std::unique(names.begin(), names.end()) - names.begin());
    const std::string what = fmt::format("{} {} ({})", who, row_of(first.fault).title, cost_in_words(first));
    return clients == 1 ? "One client uses the API as it should not: " + what + "."
                        : fmt::format("{} clients use the API as they should not, first of all {}.", clients, what);
  }

  static std::string accused(const ClientFinding& f) {
    const std::string who = f.user.empty() ? f.agent : short_name_of(f.user);
    if (f.users < 2) return who;
    return who + (f.user == kAllNodes ? fmt::format(" ({} nodes)", grouped(f.users))
                                      : " and " + counted(f.users - 1, "other user", "other users"));
  }

  static std::string cost_in_words(const ClientFinding& f) {
    std::string out = share_in_words(f.share) + " of requests";
    if (f.seat_share > 0.005) out += fmt::format(", {} of seat-seconds", share_in_words(f.seat_share));
    return out;
  }

  void lead(const std::string& all_names) {
    const std::size_t files = s_.stat.files.size();
    const std::string names = brief_ && files > 2 ? fmt::format("{} logs", files) : all_names;
    if (s_.first)
      lead_.push_back(
          fmt::format("{}: {}{} {}.{}", names, counted(s_.total.requests, "request", "requests"),
                      s_.first == s_.last ? ", at" : fmt::format(" in {}, from", human_duration(*s_.last - *s_.first)),
                      first_in_words(*s_.first, s_.stat.warnings),
                      s_.classified > 0 ? " Levels by " + frame_.configuration + "." : ""));
    else if (!names.empty() && s_.throttling.any())
      lead_.push_back(names + ": the log of a client, without requests of an API server.");
    else if (!names.empty() && s_.slow_total.requests == 0)
      lead_.push_back(names + ": no requests of an API server, and no traces of half a second or longer.");
    if (s_.stat.in_both > 0)
      lead_.push_back(fmt::format("{} of them {} in both the audit log and the server's own log, and counted once.",
                                  s_.stat.in_both == s_.total.requests ? "All" : grouped(s_.stat.in_both),
                                  s_.stat.in_both == 1 ? "is" : "are"));
    if (s_.stat.duplicates > 0)
      lead_.push_back(sentence_of({.kind = RemarkKind::duplicate_events, .count = s_.stat.duplicates}));
    for (const Remark& remark : s_.stat.warnings)
      if (brief_ && remark.kind == RemarkKind::servers_in_files)
        lead_.push_back(
            fmt::format("These look like the logs of {} servers, each with seats of its own: they overlap in "
                        "time, and their names begin with different nodes. They are counted together.",
                        grouped(remark.count.value_or(0))));
      else if (brief_ && remark.kind == RemarkKind::servers_mixed)
        lead_.push_back(
            "The log mixes lines of several servers (or processes of one), each with seats of its own. They are "
            "counted together; replay takes each server's log by itself (--server NAME=LOG).");
      else if (is_of_several_servers(remark) || remark.kind == RemarkKind::aggregated_repeats ||
               remark.kind == RemarkKind::server_trouble)
        lead_.push_back(render_text(remark));
    const std::uint64_t unusable = unusable_lines();
    if (unusable == 0 || (s_.throttling.any() && s_.total.requests == 0)) return;
    lead_.push_back(fmt::format("{} of the log cannot be used{}", counted(unusable, "line", "lines"),
                                s_.stat.bad_lines.empty() ? "." : ":"));
    for (std::string& sentence : bad_line_sentences(s_.stat.bad_lines)) lead_.push_back(std::move(sentence));
  }

  void refused() {
    if (s_.total.refused == 0) return;
    Passage out("Refused, by whom and when");
    Table table;
    table.left("BY").left("NAME", 20).right("REFUSED");
    table.right(s_.total.answered < s_.total.requests ? "ANSWERED" : "REQUESTS").right("SHARE").drop(1);
    const auto rows = [&](const char* by, const std::vector<LogRow>& list, auto name) {
      std::size_t left = shown(list.size(), 2);
      const char* title = by;
      for (const LogRow& row : list) {
        if (left == 0 || row.tally.refused == 0) break;
        --left;
        Table::Cell cell = name_cell(name(row));
        if (&list == &s_.users || &list == &s_.agents) cell.place = place_of_client(row.names.front());
        table.row({{title, Tone::faint, {}},
                   std::move(cell),
                   {grouped(row.tally.refused), Tone::bad, {}},
                   {grouped(row.tally.answered), Tone::plain, {}},
                   {human_percent(row.tally.refused, row.tally.answered), Tone::plain, {}}});
        title = "";
      }
    };
    const auto first = [](const LogRow& row) { return client_in_words(row); };
    const auto both = [](const LogRow& row) { return row.names[0] + " " + row.names[1]; };
    rows("user", s_.users, first);
    rows("agent", s_.agents, [&](const LogRow& row) {  // "kubectl/v1.36.0", without its platform
      const std::string& name = row.names.front();
      return brief_ ? name.substr(0, name.find(' ')) : name;
    });
    if (s_.users.empty()) rows("address", s_.addresses, first);
    rows("FlowSchema", s_.schemas, [](const LogRow& row) { return row.names[0] + " (" + row.names[1] + ")"; });
    rows("request", s_.resources, both);
    out.show(std::move(table));
    out.say(when_refused(s_));
    section(std::move(out));
  }

  void answers() {
    Passage out("Answers that are errors");
    Table table;
    table.left("CODE").left("WHAT", 30).left("FROM", 20);
    for (const LogAnswers& a : s_.answers) {
      std::string who;
      for (const LogRow& client : a.clients) {
        const std::string& name = client.names.front();
        who += (who.empty() ? "" : ", ") + (name.empty() ? "(unknown)" : client_in_words(client)) + " " +
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
      std::string who = accused(f);
      if (!f.user.empty() && !f.agent.empty() && !brief_) who += " (" + f.agent + ")";
      std::string text = fmt::format("{} {}: {}, {} ({})", who, row.title, f.what, evidence(f), cost_in_words(f));
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
    const ClientThrottling& of = s_.throttling;
    if (!of.any()) return;
    Passage out("What clients say");
    Table table;
    table.left("BY").left("REQUEST", 30).right("LINES").right("WAITED");
    const auto rows = [&](const char* by, const std::vector<LogRow>& list) {
      for (std::size_t i = 0; i < shown(list.size(), 4); ++i)
        table.row({{i == 0 ? by : "", Tone::faint, {}},
                   name_cell(list[i].names.front()),
                   {grouped(list[i].tally.requests), Tone::plain, {}},
                   {list[i].tally.wait > 0 ? human_duration(list[i].tally.wait) : "-", Tone::plain, {}}});
    };
    rows("own limiter", of.targets);
    if (of.gave_up > 0)
      table.row({{of.targets.empty() ? "own limiter" : "", Tone::faint, {}},
                 {"(after its deadline)", Tone::plain, {}},
                 {grouped(of.gave_up), Tone::plain, {}},
                 {"-", Tone::plain, {}}});
    rows("server (429)", of.refused_targets);
    for (const auto& [by, what, lines] : {std::tuple("disruption budget", "evictions", of.evictions),
                                          std::tuple("EventRateLimit", "events", of.events)})
      if (lines > 0) table.row({{by, Tone::faint, {}}, {what}, {grouped(lines), Tone::plain, {}}, {"-"}});
    rows("FlowSchema", of.schemas);
    out.show(std::move(table));
    if (of.lines + of.gave_up > 0) out.say(row_of(ClientFault::throttled).advice);
    section(std::move(out));
  }

  void say_unknown_runs(Passage& out) const {
    if (s_.runs_unknown > 0)
      out.say(fmt::format(
          "{} answered 504 without an execution time in the server's log: whether they ran, and for how long they held "
          "seats, is not in the log. They count as holding none.",
          counted(s_.runs_unknown, "request was", "requests were")));
  }

  // In brief what tables say otherwise.
  void also() {
    Passage out("Besides");
    for (const Remark& warning : s_.stat.warnings)
      if (warning.kind == RemarkKind::out_of_order) out.say(sentence_of(warning));
    if (const std::string others = other_errors(s_); !others.empty()) out.say("Other errors: " + others + ".");
    if (!s_.load.empty() && s_.total.seat_seconds > 0) {
      const LogRow& first = s_.load.front();
      if (first.names[0] + " " + first.names[1] != (s_.busiest ? s_.busiest->most : ""))
        out.say(fmt::format("Most seat-seconds{}: {} {} ({}).", s_.total.with_seats == 0 ? ", estimated" : "",
                            first.names[0], first.names[1],
                            share_in_words(first.tally.seat_seconds / s_.total.seat_seconds)));
    }
    if (const std::string acting = acting_sentence(s_); !acting.empty()) out.say(acting);
    say_unknown_runs(out);
    if (s_.total.requests > 0) {
      std::string replayable = replayable_sentence(s_.stat, frame_);
      // Why not is said once.
      if (const std::size_t why = replayable.find(": ");
          why != replayable.npos && verdict_.what == replayable.substr(why + 2))
        replayable = replayable.substr(0, why) + ".";
      out.say(std::move(replayable));
    }
    section(std::move(out));
  }

  void load() {
    if (s_.total.seat_seconds <= 0) return;
    Passage out("Who loads the server");
    Table table;
    table.left("BY").left("NAME", 20).right("REQUESTS").right("SHARE").right("RATE").drop(1);
    table.right("SEAT-SECONDS").right("SHARE");
    const auto rows = [&](const char* by, const std::vector<LogRow>& list) {
      const char* title = by;
      for (std::size_t i = 0; i < shown(list.size(), 2); ++i) {
        const LogRow& row = list[i];
        if (row.names.size() == 2 && row.tally.seat_seconds <= 0) break;
        Table::Cell cell = name_cell(row.names.size() > 1 ? joined(row.names, " ")
                                     : &list == &s_.agents_load && row.stands_for > 1
                                         ? fmt::format("{} ({} users)", row.names.front(), grouped(row.stands_for))
                                     : &list == &s_.load_of ? client_in_words(row)
                                                            : row.names.front());
        if (&list != &s_.load) cell.place = place_of_client(row.names.front());
        table.row({{title, Tone::faint, {}},
                   std::move(cell),
                   {grouped(row.tally.requests), Tone::plain, {}},
                   {human_percent(row.tally.requests, s_.total.requests), Tone::plain, {}},
                   {rate_in_words(row.tally.requests, *s_.last - *s_.first), Tone::plain, {}},
                   {seat_seconds(row.tally.seat_seconds), Tone::plain, {}},
                   {share_in_words(row.tally.seat_seconds / s_.total.seat_seconds), Tone::plain, {}}});
        title = "";
      }
    };
    rows("request", s_.load);
    rows(s_.with_user > 0 ? "client" : "agent", s_.load_of);
    rows("agent", s_.agents_load);
    out.show(std::move(table));
    say_unknown_runs(out);
    const LogTally& t = s_.total;
    if (t.with_seats < t.requests)
      out.explain(t.with_seats == 0
                      ? std::string("Seat-seconds are estimated, as the log does not record seats: ") +
                            (s_.objects_known ? "by how many objects there are."
                                              : "a list counts one seat, however many objects it reads (--objects "
                                                "says how many there are).")
                      : fmt::format("Seats and execution times are recorded for {}; the others are estimated.",
                                    part_of(t.with_seats, t.requests)));
    show_seat_course(s_, out);
    section(std::move(out));
  }

  void acting() {
    Passage out("Who acts for whom");
    Table table;
    table.left("IMPERSONATOR", 20).left("USER", 12).right("REQUESTS").right("SHARE").right("REFUSED");
    for (const LogRow& row : s_.impersonated)
      table.row({name_cell(short_name_of(row.names.front())),
                 name_cell(short_name_of(row.names.back())),
                 {grouped(row.tally.requests), Tone::plain, {}},
                 {human_percent(row.tally.requests, s_.total.requests), Tone::plain, {}},
                 {grouped(row.tally.refused), row.tally.refused > 0 ? Tone::bad : Tone::faint, {}}});
    out.show(std::move(table));
    section(std::move(out));
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
    const bool waits = s_.total.waited > 0, by_minute = s_.dimensions == std::vector{LogDimension::minute};
    table.right("REQUESTS").right("REFUSED").right("ERRORS").drop(by_minute ? 2 : 0);
    if (waits) table.right("WAITED").right("MEAN WAIT");
    table.right(by_minute ? "SEATS" : "SEAT-SECONDS");
    // An hour by the minute is one table: a minute that is left out of it reads as one without requests.
    const std::size_t most = !s_.dimensions.empty() && s_.dimensions.front() == LogDimension::minute ? 60 : 20;
    const std::vector<LogRow> rows = rows_by(s_, brief_ ? most : SIZE_MAX, brief_);
    for (const LogRow& row : rows) {
      std::vector<Table::Cell> cells;
      for (const std::string& name : row.names)
        cells.push_back(name.empty() ? Table::Cell{"-", Tone::faint, {}} : name_cell(name));
      cells.push_back({grouped(row.tally.requests), Tone::plain, {}});
      cells.push_back({grouped(row.tally.refused), row.tally.refused > 0 ? Tone::bad : Tone::faint, {}});
      cells.push_back({grouped(row.tally.errors), row.tally.errors > 0 ? Tone::caution : Tone::faint, {}});
      if (waits) {
        const std::uint64_t waited = row.tally.waited;
        cells.push_back({grouped(waited), waited > 0 ? Tone::caution : Tone::faint, {}});
        cells.push_back(
            {waited > 0 ? human_duration(row.tally.wait / static_cast<Nanos>(waited)) : "-", Tone::plain, {}});
      }
      cells.push_back({by_minute ? decimals(row.tally.seat_seconds / 60, 1) : seat_seconds(row.tally.seat_seconds),
                       Tone::plain,
                       {}});
      table.row(std::move(cells));
    }
    out.show(std::move(table));
    if (by_minute) out.explain("SEATS: in use on average in that minute.");
    if (const std::size_t left = rows_by(s_, SIZE_MAX, brief_).size() - rows.size(); left > 0)
      out.explain(counted(left, "more row has", "more rows have") +
                  " fewer refusals, or no refusal and fewer requests: -o wide and -o csv show all.");
    section(std::move(out));
  }

  const LogSummary& s_;
  const LogSummaryFrame& frame_;
  const bool brief_, on_page_;
  Verdict verdict_;
  std::vector<std::string> lead_;  // what it is about, and under which facts it holds
  Document out_;
};

}  // namespace

Document document_of(const LogSummary& summary, const LogSummaryFrame& frame, const View& view) {
  return LogSummaryDocument(summary, frame, view).build();
}

}  // namespace apf
