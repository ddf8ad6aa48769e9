#include "report/advise/compare_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include "base/sort_stably.h"
#include "report/core/remarks.h"
#include "report/core/units.h"
#include "report/replay/agreement.h"
#include "report/replay/doubts.h"
#include "report/replay/ranges.h"

namespace apf {

namespace {

using What = ComparedChange::What;
using Metric = ComparedChange::Metric;
using Effect = ComparedSubject::Effect;

constexpr std::size_t kMostHeadlines = 3;  // of a kind

std::string rounded_duration(double nanos) { return human_duration(whole_nanos(nanos)); }

std::string share_of(const ComparedFigure& figure) {
  return share_text({rounded_count(figure.value), rounded_count(figure.low), rounded_count(figure.high)},
                    figure.requests);
}

std::string wait_of(const ComparedFigure& figure) {
  return range_text(Range<double>{figure.value, figure.low, figure.high}, rounded_duration);
}

double rejected_part_of(const ComparedFigure& figure) {
  return figure.requests == 0 ? 0 : figure.value / static_cast<double>(figure.requests);
}

// Not all replays of the two sides that share a phase show it.
std::string phases_words(const ComparedChange& change) {
  if (!change.beyond_chance || change.pairs < 2 || change.pairs_alike == change.pairs) return {};
  return fmt::format(" (in {} of {} phases)", change.pairs_alike, change.pairs);
}

// What decides whether somebody is better off.
const ComparedChange* deciding(const ComparedSubject& subject) {
  for (const ComparedChange* change : subject.by_metric)
    if (change && change->beyond_chance) return change;
  return nullptr;
}

void judge(ComparedSubject& subject) {
  const ComparedChange& change = *deciding(subject);
  const double requests = static_cast<double>(subject.requests);
  const bool refusals = change.metric <= Metric::hung_up;
  subject.is_protected = change.is_protected;
  if (change.metric == Metric::rejected && change.old_figure.most <= 0) subject.effect = Effect::new_refusals;
  else subject.effect = change.verdict == ComparedChange::Verdict::worse ? Effect::worse : Effect::better;
  subject.harm = refusals ? (rejected_part_of(change.new_figure) - rejected_part_of(change.old_figure)) * requests
                          : (change.new_figure.value - change.old_figure.value) / 1e9 * requests;
}

bool is_of_refusals(const ComparedSubject& subject) { return deciding(subject)->metric == Metric::rejected; }

std::uint64_t all_requests(const CompareReport& comparison, std::size_t side) {
  return std::max<std::uint64_t>(
      1, std::max(comparison.old_report.total.requests, comparison.new_reports[side].total.requests));
}

const char* title_of(What what) {
  switch (what) {
    case What::level:
      return "Priority levels";
    case What::flow_schema:
      return "FlowSchemas";
    case What::flow:
      return "Flows";
    case What::user_agent:
      return "User agents";
  }
  return "";
}

std::string more_words(std::size_t more) {
  return fmt::format("And {} more; -o json and -o csv have them all.", grouped(static_cast<std::uint64_t>(more)));
}

Passage changes_of(const CompareReport& comparison, std::size_t side, What what,
                   const std::vector<ComparedSubject>& subjects, std::size_t most_rows) {
  Passage out(title_of(what));
  Table table;
  table.left("WHO", 12).left("").right("REQUESTS").right("SHARE").drop(1).left("REFUSED %").left("WAIT");
  std::size_t more = 0;
  std::map<bool, std::size_t> rows;
  for (const ComparedSubject& subject : subjects) {
    if (subject.what != what) continue;
    if (++rows[subject.effect == Effect::better] > most_rows) {
      ++more;
      continue;
    }
    const Tone tone = tone_of(subject);
    table.row({{printable(subject.name), Tone::strong, {}, true},
               {to_string(subject.effect), tone, {}},
               {grouped(subject.requests), Tone::plain, {}},
               {human_percent(subject.requests, all_requests(comparison, side)), Tone::faint, {}},
               {refused_words(subject), is_of_refusals(subject) ? tone : Tone::plain, {}},
               {wait_words(subject), is_of_refusals(subject) ? Tone::plain : tone, {}}});
  }
  out.show(std::move(table));
  if (more > 0) out.explain(more_words(more));
  return out;
}

Passage moves_of(const CompareReport& comparison, std::size_t side, std::size_t most_rows) {
  Passage out("Requests that move");
  Table table;
  table.left("FLOWSCHEMA", 16).left("LEVEL", 16).right("REQUESTS").left("MOST OF", 16);
  std::size_t more = 0;
  for (const ComparedMove& move : comparison.moved) {
    if (move.new_side != side) continue;
    if (table.rows().size() >= most_rows) {
      ++more;
      continue;
    }
    const auto arrow = [](const std::string& a, const std::string& b) {
      return printable(a == b ? a : a + kArrow + b);
    };
    table.row({{arrow(move.from_schema, move.to_schema), Tone::plain, {}, true},
               {arrow(move.from_level, move.to_level), Tone::strong, {}, true},
               {grouped(move.requests), Tone::plain, {}},
               {printable(short_name(who_moves(move))), Tone::plain, {}, !move.flow.empty()}});
  }
  out.show(std::move(table));
  if (more > 0) out.explain(more_words(more));
  return out;
}

std::string side_words(const std::string& which, const std::string& name, const ReplayReport& report) {
  std::string out = fmt::format("{}: {}", which, name);
  if (report.summed > 0) return out;
  return out + fmt::format(", Kubernetes {}, {}", report.version.str(),
                           report.in_flight ? std::string("API Priority and Fairness off")
                                            : seats_in_words(report.server_concurrency_limit) +
                                                  (report.seats_by_log ? " (by the server's log)" : ""));
}

std::string chance_words(const CompareReport& comparison) {
  if (comparison.spread == 0) return "Without further replays (--spread), every difference counts.";
  return fmt::format(
      "Each side was replayed {} with jitter in arrivals and ends, and with the 10 s clock in other phases. "
      "Differences that are smaller than those between these replays are chance, and left out.",
      counted(static_cast<std::uint64_t>(comparison.spread), "more time", "more times"));
}

void add_once(std::vector<std::string> texts, std::vector<std::string>& to) {
  for (std::string& text : texts)
    if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(std::move(text));
}

}  // namespace

Tone tone_of(const ComparedSubject& subject) {
  if (subject.effect == Effect::better) return Tone::good;
  return is_of_refusals(subject) ? Tone::bad : Tone::caution;
}

const char* to_string(Effect effect) {
  return effect == Effect::new_refusals ? "NEW REFUSALS" : effect == Effect::worse ? "WORSE" : "BETTER";
}

std::string short_name(const std::string& name) {
  constexpr std::string_view kPrefix = "system:serviceaccount:";
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() ? name.substr(kPrefix.size()) : name;
}

std::vector<ComparedSubject> compared_subjects(const CompareReport& comparison, std::size_t side) {
  std::vector<ComparedSubject> out;
  std::map<std::pair<What, std::string>, std::size_t> places;
  for (const ComparedChange& change : comparison.changes) {
    if (change.new_side != side || change.name.empty()) continue;
    const auto [at, is_new] = places.try_emplace({change.what, change.name}, out.size());
    if (is_new) out.push_back({change.what, change.name});
    ComparedSubject& subject = out[at->second];
    subject.by_metric[static_cast<std::size_t>(change.metric)] = &change;
    subject.requests = std::max(change.old_figure.requests, change.new_figure.requests);
  }
  // What is too small to be seen in the figures is no row.
  std::erase_if(out, [](const ComparedSubject& subject) {
    return !deciding(subject) || (refused_words(subject).empty() && wait_words(subject).empty());
  });
  for (ComparedSubject& subject : out) judge(subject);
  sort_stably(out, [](const ComparedSubject& a, const ComparedSubject& b) {
    return std::tuple(a.effect, a.what, b.requests, a.name) < std::tuple(b.effect, b.what, a.requests, b.name);
  });
  return out;
}

namespace {

// Refusals that change within chance, and against what decides: they would look like a contradiction.
bool is_chance(const ComparedSubject& subject) {
  const ComparedChange* change = subject.of(Metric::rejected);
  if (!change || change->beyond_chance) return false;
  const double more = rejected_part_of(change->new_figure) - rejected_part_of(change->old_figure);
  return subject.effect == Effect::better ? more > 0 : more < 0;
}

}  // namespace

std::string refused_words(const ComparedSubject& subject) {
  const ComparedChange* change = subject.of(Metric::rejected);
  if (!change || share_of(change->old_figure) == share_of(change->new_figure)) return {};
  return share_of(change->old_figure) + kArrow + share_of(change->new_figure) +
         (is_chance(subject) ? " (chance)" : phases_words(*change));
}

std::string hung_up_words(const ComparedSubject& subject) {
  const ComparedChange* change = subject.of(Metric::hung_up);
  if (!change || !change->beyond_chance) return {};
  const std::string before = share_of(change->old_figure), after = share_of(change->new_figure);
  return before == after ? std::string() : "hung up " + before + kArrow + after + phases_words(*change);
}

std::string wait_alone_words(const ComparedSubject& subject) {
  // How many times as long; below the jitter nothing counts.
  const auto factor = [](const ComparedChange* change) {
    if (!change) return 0.0;
    const auto [less, more] = std::minmax(change->old_figure.value, change->new_figure.value);
    return std::max(more, 1e6) / std::max(less, 1e6);
  };
  const ComparedChange *p99 = subject.of(Metric::p99_wait), *mean = subject.of(Metric::mean_wait);
  // What it shows must not point the other way than what decides.
  const bool decides = p99 && (p99->beyond_chance || (is_of_refusals(subject) && !(mean && mean->beyond_chance)));
  const bool shows_p99 = decides && (factor(p99) * 1.5 >= factor(mean) || is_of_refusals(subject));
  for (const ComparedChange* change : {shows_p99 ? p99 : mean, shows_p99 ? mean : p99}) {
    if (!change) continue;
    const std::string before = wait_of(change->old_figure), after = wait_of(change->new_figure);
    if (before != after)
      return (change == p99 ? "p99 " : "mean ") + before + kArrow + after +
             (change == deciding(subject) ? phases_words(*change) : "");
  }
  return {};
}

std::string wait_words(const ComparedSubject& subject) {
  const std::string hung_up = hung_up_words(subject), wait = wait_alone_words(subject);
  return hung_up.empty() || wait.empty() ? hung_up + wait : hung_up + "; " + wait;
}

namespace {

std::string named_wait(const ComparedSubject& subject) {
  std::string wait = wait_words(subject);
  return wait.empty() || wait.starts_with("hung up") ? wait : wait.insert(wait.find(' '), " wait");
}

}  // namespace

std::string deciding_words(const ComparedSubject& subject) {
  const std::string refused = refused_words(subject), wait = named_wait(subject);
  return !refused.empty() && (is_of_refusals(subject) || wait.empty()) ? "refused " + refused : wait;
}

std::string move_words(const ComparedMove& move) {
  if (move.from_schema != move.to_schema) return move.from_schema + kArrow + move.to_schema;
  return move.from_schema + ": " + move.from_level + kArrow + move.to_level;
}

std::string who_moves(const ComparedMove& move) {
  if (move.flow.empty()) return {};
  return move.flows <= 1 ? move.flow
                         : fmt::format("{} and {}", move.flow, counted(move.flows - 1, "more flow", "more flows"));
}

namespace {

Table headline_changes(const CompareReport& comparison, std::size_t side) {
  Table out;
  out.left("").left("", 16).left("").left("");
  std::vector<ComparedSubject> subjects = compared_subjects(comparison, side);
  const bool has_flows = std::any_of(subjects.begin(), subjects.end(),
                                     [](const ComparedSubject& subject) { return subject.what == What::flow; });
  const auto must_be_said = [](const ComparedSubject& subject) {
    return subject.what == What::flow_schema && subject.is_protected && subject.effect == Effect::new_refusals;
  };
  std::erase_if(subjects, [&](const ComparedSubject& subject) {
    return subject.what != (has_flows ? What::flow : What::level) && !must_be_said(subject);
  });
  sort_stably(subjects, [](const ComparedSubject& a, const ComparedSubject& b) {
    const auto rank = [](const ComparedSubject& s) {
      return std::tuple(s.effect, !s.is_protected, !is_of_refusals(s), -std::abs(s.harm));
    };
    return rank(a) < rank(b);
  });
  std::map<Effect, std::size_t> rows;
  for (const ComparedSubject& subject : subjects) {
    if (!must_be_said(subject) && ++rows[subject.effect] > kMostHeadlines) continue;
    // What is chance stands in the tables alone.
    const std::string refused = is_chance(subject) ? std::string() : refused_words(subject);
    out.row({{to_string(subject.effect), tone_of(subject), {}},
             {printable(short_name(subject.name)), Tone::strong, {}, true},
             {refused.empty() ? "" : "refused " + refused, Tone::plain, {}},
             {named_wait(subject), Tone::plain, {}}});
  }
  return out;
}

Table headline_moves(const CompareReport& comparison, std::size_t side) {
  Table out;
  out.left("").left("").left("", 16).left("", 16);
  for (const ComparedMove& move : comparison.moved) {
    if (move.new_side != side || out.rows().size() >= kMostHeadlines) continue;
    const std::string who = who_moves(move);
    out.row({{"MOVED", Tone::plain, {}},
             {counted(move.requests, "request", "requests"), Tone::plain, {}},
             {printable(move_words(move)), Tone::plain, {}, true},
             {printable(who.empty() ? who : "(" + short_name(who) + ")"), Tone::faint, {}, !who.empty()}});
  }
  return out;
}

}  // namespace

std::vector<Table> compare_headlines(const CompareReport& comparison, std::size_t side) {
  std::vector<Table> out = {headline_changes(comparison, side), headline_moves(comparison, side)};
  std::erase_if(out, [](const Table& table) { return table.empty(); });
  return out;
}

std::size_t rows_of(const CompareReport& comparison) { return static_cast<std::size_t>(std::max(comparison.top, 0)); }

std::vector<Passage> compare_passages(const CompareReport& comparison, std::size_t side, std::size_t rows) {
  const std::vector<ComparedSubject> subjects = compared_subjects(comparison, side);
  std::vector<Passage> out;
  for (const What what : {What::level, What::flow_schema, What::flow, What::user_agent})
    out.push_back(changes_of(comparison, side, what, subjects, rows));
  out.push_back(moves_of(comparison, side, rows));
  std::erase_if(out, [](const Passage& passage) { return passage.empty(); });
  return out;
}

Table compare_summary(const CompareReport& comparison, const std::vector<std::string>& names, std::size_t first,
                      std::size_t count) {
  const std::size_t end = first + std::min(count, comparison.new_reports.size() - first);
  Table out;
  out.left("").right("OLD");
  for (std::size_t i = first; i < end; ++i) out.right(printable(names[i]));
  const auto add = [&](const char* what, const auto& value) {
    std::vector<Table::Cell> row = {{what, Tone::strong, {}}, {value(comparison.old_report), Tone::plain, {}}};
    for (std::size_t i = first; i < end; ++i) row.push_back({value(comparison.new_reports[i]), Tone::plain, {}});
    out.row(std::move(row));
  };
  const auto tally = [](const ReplayReport& r) { return versions_of(r).part(&ReplayReport::total); };
  add("refused", [&](const ReplayReport& r) {
    return fmt::format("{} ({})", count_text(tally(r).range(refused_of)), refused_share(tally(r)));
  });
  add("waited", [&](const ReplayReport& r) {
    return count_text(tally(r).range([](const RequestTally& t) { return t.queued; }));
  });
  add("p99 wait", [&](const ReplayReport& r) { return wait_text(tally(r), 0.99); });
  const auto add_new = [&](const char* what, const auto& value) {
    std::vector<Table::Cell> row = {{what, Tone::strong, {}}, {"", Tone::plain, {}}};
    for (std::size_t i = first; i < end; ++i) row.push_back({value(i), Tone::plain, {}});
    out.row(std::move(row));
  };
  add_new("change level", [&](std::size_t i) { return grouped(comparison.moved_between_levels(i)); });
  const auto flows = [&](std::size_t i, bool better) {
    std::uint64_t n = 0;
    for (const ComparedSubject& s : compared_subjects(comparison, i))
      n += s.what == What::flow && (s.effect == Effect::better) == better ? 1 : 0;
    return grouped(n);
  };
  add_new("flows worse off", [&](std::size_t i) { return flows(i, false); });
  add_new("flows better off", [&](std::size_t i) { return flows(i, true); });
  return out;
}

namespace {

std::string new_side(const CompareReport& comparison, std::size_t i) {
  return comparison.new_reports.size() > 1 ? fmt::format("NEW {}", i + 1) : "NEW";
}

// Whether the sides take lists to be of different widths.
bool has_widths_of_sides(const CompareReport& comparison) {
  const auto asked = [](const ReplayReport& report) {
    return report.list_widths ? report.list_widths->asked : ListWidths();
  };
  return std::any_of(comparison.new_reports.begin(), comparison.new_reports.end(),
                     [&](const ReplayReport& after) { return asked(after) != asked(comparison.old_report); });
}

}  // namespace

std::vector<std::string> compare_notes(const CompareReport& comparison, const CompareFrame& frame) {
  std::vector<std::string> out;
  const ReplayReport& before = comparison.old_report;
  if (before.first_arrival && before.last_arrival) {
    const std::string logs = comparison.servers.empty()
                                 ? log_names(before.logs)
                                 : fmt::format("The logs of {} servers", comparison.servers.size());
    out.push_back(fmt::format("{}: {} in {}, from {}.", logs, counted(before.total.requests, "request", "requests"),
                              human_duration(*before.last_arrival - *before.first_arrival),
                              first_in_words(*before.first_arrival, before.warnings)));
  }
  out.push_back(side_words("OLD", frame.old_name, before) +
                (before.what_if ? "." : ", which is assumed to be what the server ran when the log was written."));
  for (std::size_t i = 0; i < comparison.new_reports.size(); ++i)
    out.push_back(side_words(new_side(comparison, i), frame.new_names[i], comparison.new_reports[i]) + ".");
  const bool has_widths = has_widths_of_sides(comparison);
  for (std::string& sentence : first_sentences(before, !has_widths)) out.push_back(std::move(sentence));
  if (has_widths) {
    if (before.list_widths) out.push_back("OLD: " + widths_sentence(before));
    for (std::size_t i = 0; i < comparison.new_reports.size(); ++i)
      if (const ReplayReport& after = comparison.new_reports[i]; after.list_widths)
        out.push_back(new_side(comparison, i) + ": " + widths_sentence(after));
  }
  if (const std::string agreement = agreement_sentence(before); !agreement.empty()) out.push_back(agreement);
  if (before.filled > 0)
    out.push_back(fmt::format("{} were added on both sides, because the log lacks them.",
                              counted(before.filled, "of the requests", "of the requests")));
  const auto waits = [](const ReplayReport& report) {
    return std::any_of(report.clients.begin(), report.clients.end(),
                       [](const ClientReport& client) { return client.applied && !client.asked_for; });
  };
  if (!waits(before) && std::any_of(comparison.new_reports.begin(), comparison.new_reports.end(), waits))
    out.push_back(
        "Clients that wait for their answers are replayed as the log shows them; ranges also cover the replay in which "
        "they send at the recorded times.");
  out.push_back(chance_words(comparison));
  return out;
}

std::vector<std::string> compare_assumptions(const CompareReport& comparison) {
  std::vector<std::string> out;
  add_once(texts_of(comparison.old_report.assumptions), out);
  for (const ReplayReport& report : comparison.new_reports) add_once(texts_of(report.assumptions), out);
  return out;
}

std::vector<std::string> compare_warnings(const CompareReport& comparison) {
  std::vector<std::string> out;
  add_once(log_warnings(comparison.old_report), out);
  for (const ReplayReport& report : comparison.new_reports) add_once(further_warnings(report), out);
  return out;
}

}  // namespace apf
