// What to change, as text and as JSON.
#include <apf/report.h>
#include <fmt/core.h>

#include <algorithm>

#include "report/agreement.h"
#include "report/doubts.h"
#include "report/ranges.h"
#include "report/remarks.h"
#include "report/suggest_words.h"
#include "report/table.h"
#include "report/units.h"

namespace apf {

namespace {

std::string count_of(std::uint64_t low, std::uint64_t high) {
  return low == high ? grouped(low) : grouped(low) + "-" + grouped(high);
}

std::string wait_of(Nanos low, Nanos high) {
  const std::string from = human_duration(low), to = human_duration(high);
  return from == to ? from : from + "-" + to;
}

constexpr std::size_t kListed = 5;  // losers

class SuggestText {
 public:
  SuggestText(const SuggestReport& report, std::span<const ConfigText> before, const TextStyle& style)
      : report_(report), before_(before), style_(style), width_(static_cast<std::size_t>(std::max(style.width, 40))) {}

  std::string render() {
    for (const std::string& doubt : doubts_of(report_.log)) say(doubt, Tone::caution);
    verdict();
    for (const std::string& sentence : first_sentences(report_.log)) say(sentence);
    goals();
    proof();
    patch();
    levels();
    losers();
    rejected();
    list("Assumptions", texts_of(report_.log.assumptions));
    list("Warnings", log_warnings(report_.log));
    return std::move(out_);
  }

 private:
  void say(const std::string& sentence, Tone tone = Tone::plain) {
    out_ += toned(wrapped(printable(sentence), width_, 0), tone, style_) + "\n";
  }
  void item(const std::string& sentence) { out_ += "- " + wrapped(printable(sentence), width_, 2) + "\n"; }
  void title(const char* text) { out_ += "\n" + toned(text, Tone::strong, style_) + "\n"; }

  void verdict();
  void goals();
  void proof();
  void patch();
  void levels();
  void losers();
  void rejected();
  void list(const char* heading, const std::vector<std::string>& sentences) {
    if (sentences.empty()) return;
    title(heading);
    for (const std::string& sentence : sentences) item(sentence);
  }

  const SuggestReport& report_;
  const std::span<const ConfigText> before_;
  const TextStyle& style_;
  const std::size_t width_;
  std::string out_;
};

void SuggestText::verdict() {
  say(verdict_of(report_), !report_.met                     ? Tone::bad
                           : !report_.met_before            ? Tone::strong
                           : doubts_of(report_.log).empty() ? Tone::good
                                                            : Tone::caution);
  for (const SuggestChange& change : report_.changes) item(words_of(change));
  if (report_.interrupted && report_.met)
    say("Interrupted: this is the best that was found until then.", Tone::caution);
  else if (report_.out_of_budget && report_.met)
    say("The budget is used up: a smaller change may exist.", Tone::caution);
}

void SuggestText::goals() {
  if (report_.goals.empty()) return;
  title(report_.met ? "Goals, and results" : "Goals, and results without changes");
  for (std::size_t i = 0; i < report_.goals.size(); ++i) {
    std::string sentence = report_.goals[i];
    if (!report_.found[i].empty()) sentence += ": " + report_.found[i];
    if (!report_.met_before && i < report_.found_after.size() && !report_.found_after[i].empty())
      sentence += "; with the " + std::string(report_.changes.size() == 1 ? "change" : "changes") + ", " +
                  report_.found_after[i];
    item(sentence);
  }
}

void SuggestText::proof() {
  const std::vector<std::string> sentences = proof_of(report_);
  if (report_.met || sentences.empty()) return;
  title(report_.proof.seats_by_counting > 0 ? "Proof" : "With more seats");
  for (const std::string& sentence : sentences) item(sentence);
}

// patch -p1 leaves alone what is not below the current folder by its name.
bool leads_outside(std::string_view file) {
  return file.starts_with("../") || file.find("/../") != std::string_view::npos;
}

void SuggestText::patch() {
  std::string diff;
  std::vector<std::string> hints;
  for (const ConfigText& text : report_.texts) {
    const auto old =
        std::find_if(before_.begin(), before_.end(), [&](const ConfigText& t) { return t.name == text.name; });
    const bool is_new = old == before_.end();
    const std::string changes =
        unified_diff(is_new ? std::string_view() : std::string_view(old->text), text.text, text.name, is_new);
    diff += changes;
    if (changes.empty()) continue;
    if (is_new && !before_.empty()) hints.push_back(text.name + " is a new file: also name it with -f.");
    const bool is_absolute = text.name.starts_with('/');
    if (is_absolute || leads_outside(text.name))
      hints.push_back(fmt::format("{} is {}, so patch -p1 leaves it alone: use 'patch {}'.", text.name,
                                  is_absolute ? "named by its absolute path" : "outside of this folder", text.name));
  }
  if (diff.empty()) return;
  title("Patch");
  for (const std::string& hint : hints) say(hint);
  out_ += diff;
}

void SuggestText::levels() {
  if (report_.levels.empty()) return;
  title(report_.changes.empty() ? "Priority levels" : "Before and after");
  Table table;
  table.left("LEVEL", 12).left("").right("REQUESTS").right("SEATS").right("REFUSED").right("P99");
  const auto row = [&](const std::string& name, const SuggestLevel::Figures& f, const char* when) {
    table.row({{printable(name), Tone::strong, {}, true},
               {when, Tone::faint, {}},
               {grouped(f.requests), Tone::plain, {}},
               {grouped(f.seats), Tone::plain, {}},
               {count_of(f.rejected_low, f.rejected_high), f.rejected_high > 0 ? Tone::bad : Tone::faint, {}},
               {wait_of(f.p99_low, f.p99_high), f.p99_high >= kSecond ? Tone::caution : Tone::plain, {}}});
  };
  for (const SuggestLevel& level : report_.levels) {
    if (level.before) row(level.name, *level.before, report_.changes.empty() ? "" : "before");
    if (level.after && !report_.changes.empty()) row(level.before ? "" : level.name, *level.after, "after");
  }
  out_ += table.render(style_);
  if (report_.variants > 1)
    out_ += toned(wrapped(fmt::format("SEATS: nominal. Ranges are from {} each.",
                                      counted(static_cast<std::uint64_t>(report_.variants), "replay", "replays")),
                          width_, 0),
                  Tone::faint, style_) +
            "\n";
}

void SuggestText::losers() {
  if (!report_.met || report_.met_before) return;
  title("What it costs, and whom");
  if (report_.losers.empty()) return item("Nobody waits longer or is refused more often.");
  std::size_t listed = 0, more = 0, perhaps = 0;
  for (const SuggestLoser& loser : report_.losers) {
    const bool is_sure = loser.more_refused || loser.longer_waits;
    perhaps += !is_sure;
    more += is_sure && listed == kListed;
    if (!is_sure || listed == kListed) continue;
    ++listed;
    const SuggestLevel::Figures &was = loser.before, &is = loser.after;
    std::string what;
    if (loser.more_refused)
      what = fmt::format("{} {} refused instead of {}", count_of(is.rejected_low, is.rejected_high),
                         is.rejected_high == 1 ? "request" : "requests", count_of(was.rejected_low, was.rejected_high));
    if (loser.longer_waits)
      what += fmt::format("{}p99 of its waits {} instead of {}", what.empty() ? "" : "; ",
                          wait_of(is.p99_low, is.p99_high), wait_of(was.p99_low, was.p99_high));
    item(fmt::format("{}: {}.", loser.flow, what));
  }
  if (more > 0) item(fmt::format("And {} more; -o json has them all.", counted(more, "client", "clients")));
  if (perhaps > 0)
    item(fmt::format("{} in some replays, and not in others.",
                     perhaps == 1 ? "One client waits longer or is refused more often"
                                  : grouped(perhaps) + " clients wait longer or are refused more often"));
}

void SuggestText::rejected() {
  if (!report_.rejected.empty()) {
    title("Tried and rejected");
    for (const SuggestTried& tried : report_.rejected)
      item(fmt::format("{}: {}.", words_of(tried.changes), reason_of(tried, report_)));
  }
  if (report_.met_before) return;
  out_ += "\n" +
          toned(fmt::format("{}, {}.", counted(report_.configurations, "configuration", "configurations"),
                            counted(report_.replays, "replay", "replays")),
                Tone::faint, style_) +
          "\n";
}

void write_changes(JsonWriter& json, const char* key, const std::vector<SuggestChange>& changes) {
  json.key(key).begin_array();
  for (const SuggestChange& change : changes) {
    json.begin_object().field("field", key_of(change.field)).key("priorityLevel");
    change.level.empty() ? json.null() : json.value(change.level);
    if (change.field == SuggestField::level) {
      json.field("shares", change.to).field("user", change.user).key("matchingPrecedence");
      change.precedence > 0 ? json.value(change.precedence) : json.null();
      json.key("flowSchemas").begin_array();
      for (const std::string& name : change.flow_schemas) json.value(name);
      json.end_array();
    } else {
      json.key("from");
      change.from < 0 ? json.null() : json.value(change.from);
      json.key("to");
      change.to < 0 ? json.null() : json.value(change.to);
    }
    json.end_object();
  }
  json.end_array();
}

void write_side(JsonWriter& json, const char* key, const SuggestReport& report, int seats,
                std::optional<SuggestLevel::Figures> SuggestLevel::*side) {
  json.key(key).begin_object().field("serverConcurrencyLimit", seats).key("levels").begin_array();
  for (const SuggestLevel& level : report.levels) {
    const auto& figures = level.*side;
    if (!figures) continue;
    json.begin_object().field("priorityLevel", level.name).field("requests", figures->requests);
    json.field("nominalCL", figures->seats);
    write_figure(json, "rejected",
                 Range<std::uint64_t>{figures->rejected, figures->rejected_low, figures->rejected_high});
    write_figure(json, "p99WaitNs", Range<Nanos>{figures->p99, figures->p99_low, figures->p99_high});
    json.end_object();
  }
  json.end_array().end_object();
}

void write_proof(JsonWriter& json, const SuggestReport& report) {
  const SuggestProof& proof = report.proof;
  json.key("seatsNeeded");
  proof.seats ? json.value(*proof.seats) : json.null();
  json.key("proof");
  if (report.met || (!proof.seats && proof.seats_by_counting == 0)) {
    json.null();
    return;
  }
  json.begin_object();
  write_changes(json, "with", proof.with);
  json.field("goal", proof.goal).field("found", proof.found).key("counting");
  if (proof.seats_by_counting == 0) {
    json.null();
  } else {
    json.begin_object().field("subject", proof.subject).field("fromNs", proof.from).field("toNs", proof.to);
    json.field("requests", proof.requests).field("seatSeconds", proof.seat_seconds);
    json.field("seats", proof.seats_by_counting).end_object();
  }
  json.end_object();
}

}  // namespace

std::string render_text(const SuggestReport& report, std::span<const ConfigText> before, const TextStyle& style) {
  return SuggestText(report, before, style).render();
}

std::string render_yaml(const SuggestReport& report) {
  std::string out;
  for (const std::string& object : report.objects) out += (out.empty() ? "" : "---\n") + object;
  return out;
}

std::string render_json(const SuggestReport& report) {
  JsonWriter json;
  json.begin_object()
      .field("goalsMet", report.met)
      .field("metBefore", report.met_before)
      .field("harms", report.harms)
      .key("goals")
      .begin_array();
  for (std::size_t i = 0; i < report.goals.size(); ++i) {
    json.begin_object().field("goal", report.goals[i]).field("before", report.found[i]).key("after");
    i < report.found_after.size() ? json.value(report.found_after[i]) : json.null();
    json.end_object();
  }
  json.end_array();
  write_changes(json, "change", report.changes);
  json.field("cost", report.cost);
  json.field("yaml", render_yaml(report));
  write_side(json, "before", report, report.seats_before, &SuggestLevel::before);
  write_side(json, "after", report, report.seats_after, &SuggestLevel::after);
  json.key("losers").begin_array();
  for (const SuggestLoser& loser : report.losers) {
    const SuggestLevel::Figures &was = loser.before, &is = loser.after;
    json.begin_object().field("flow", loser.flow).field("protected", loser.is_protected);
    json.field("moreRefused", loser.more_refused).field("longerWaits", loser.longer_waits);
    write_figure(json, "rejectedBefore", Range<std::uint64_t>{was.rejected, was.rejected_low, was.rejected_high});
    write_figure(json, "rejectedAfter", Range<std::uint64_t>{is.rejected, is.rejected_low, is.rejected_high});
    write_figure(json, "p99WaitBeforeNs", Range<Nanos>{was.p99, was.p99_low, was.p99_high});
    write_figure(json, "p99WaitAfterNs", Range<Nanos>{is.p99, is.p99_low, is.p99_high});
    json.end_object();
  }
  json.end_array().key("rejected").begin_array();
  for (const SuggestTried& tried : report.rejected) {
    json.begin_object();
    write_changes(json, "change", tried.changes);
    json.field("cost", tried.cost).field("why", reason_of(tried, report)).end_object();
  }
  json.end_array();
  write_proof(json, report);
  json.field("tried", report.replays).field("configurations", report.configurations);
  json.field("interrupted", report.interrupted).field("outOfBudget", report.out_of_budget);
  write_remarks(json, "assumptions", report.log.assumptions);
  write_remarks(json, "warnings", report.log.warnings);
  json.end_object();
  return json.take();
}

}  // namespace apf
