// What to change, as text and as JSON.
#include <apf/advice_report.h>
#include <fmt/core.h>

#include <algorithm>

#include "report/advise/suggest_words.h"
#include "report/core/remarks.h"
#include "report/core/units.h"
#include "report/replay/agreement.h"
#include "report/replay/doubts.h"
#include "report/replay/ranges.h"

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

class SuggestDocument {
 public:
  SuggestDocument(const SuggestReport& report, std::span<const ConfigText> before, const View& view)
      : report_(report), before_(before), on_page_(view.notation == Notation::html) {}

  Document build() {
    verdict();
    if (on_page_) levels();
    goals();
    if (!report_.met)
      out_.section(report_.proof.seats_by_counting > 0 ? "Proof" : "With more seats").list(proof_of(report_));
    patch();
    if (!on_page_) levels();
    losers();
    rejected();
    out_.section("Assumptions").list(texts_of(report_.log.assumptions));
    out_.section("Warnings").list(log_warnings(report_.log));
    return std::move(out_);
  }

 private:
  void verdict();
  void goals();
  void patch();
  void levels();
  void losers();
  void rejected();

  const SuggestReport& report_;
  const std::span<const ConfigText> before_;
  const bool on_page_;
  Document out_{"What to change"};
};

void SuggestDocument::verdict() {
  Passage& out = out_.section();
  for (const std::string& doubt : doubts_of(report_.log)) out.judge(doubt, Tone::caution);
  out.judge(verdict_of(report_), !report_.met                     ? Tone::bad
                                 : doubts_of(report_.log).empty() ? Tone::good
                                                                  : Tone::caution);
  for (const SuggestChange& change : report_.changes) out.item(words_of(change));
  if (report_.interrupted && report_.met)
    out.say("Interrupted: this is the best that was found until then.", Tone::caution);
  else if (report_.out_of_budget && report_.met)
    out.say("The budget is used up: a smaller change may exist.", Tone::caution);
  for (const std::string& sentence : first_sentences(report_.log)) out.say(sentence);
}

void SuggestDocument::goals() {
  Passage& out = out_.section(report_.met ? "Goals, and results" : "Goals, and results without changes");
  for (std::size_t i = 0; i < report_.goals.size(); ++i) {
    std::string sentence = report_.goals[i];
    if (!report_.found[i].empty()) sentence += ": " + report_.found[i];
    if (!report_.met_before && i < report_.found_after.size() && !report_.found_after[i].empty())
      sentence += "; with the " + std::string(report_.changes.size() == 1 ? "change" : "changes") + ", " +
                  report_.found_after[i];
    out.item(sentence);
  }
}

// patch -p1 leaves alone what is not below the current folder by its name.
bool leads_outside(std::string_view file) {
  return file.starts_with("../") || file.find("/../") != std::string_view::npos;
}

void SuggestDocument::patch() {
  Passage& out = out_.section("Patch");
  std::string diff;
  for (const ConfigText& text : report_.texts) {
    const auto old =
        std::find_if(before_.begin(), before_.end(), [&](const ConfigText& t) { return t.name == text.name; });
    const bool is_new = old == before_.end();
    const std::string changes =
        unified_diff(is_new ? std::string_view() : std::string_view(old->text), text.text, text.name, is_new);
    diff += changes;
    if (changes.empty()) continue;
    if (is_new && !before_.empty()) out.item(text.name + " is a new file: also name it with -f.", "");
    const bool is_absolute = text.name.starts_with('/');
    if (is_absolute || leads_outside(text.name))
      out.item(fmt::format("{} is {}, so patch -p1 leaves it alone: use 'patch {}'.", text.name,
                           is_absolute ? "named by its absolute path" : "outside of this folder", text.name),
               "");
  }
  out.quote(std::move(diff));
}

void SuggestDocument::levels() {
  Passage& out = out_.section(report_.changes.empty() ? "Priority levels" : "Before and after");
  Table table;
  table.left("LEVEL", 12).left("").right("REQUESTS").right("SEATS").right("REFUSED").right("P99");
  const auto row = [&](const std::string& name, const SuggestLevel::Figures& f, const char* when) {
    table.row({name_cell(name, Tone::strong),
               {when, Tone::faint},
               grouped(f.requests),
               grouped(f.seats),
               {count_of(f.rejected_low, f.rejected_high), f.rejected_high > 0 ? Tone::bad : Tone::faint},
               {wait_of(f.p99_low, f.p99_high), f.p99_high >= kSecond ? Tone::caution : Tone::plain}});
  };
  for (const SuggestLevel& level : report_.levels) {
    if (level.before) row(level.name, *level.before, report_.changes.empty() ? "" : "before");
    if (level.after && !report_.changes.empty()) row(level.before ? "" : level.name, *level.after, "after");
  }
  if (table.empty()) return;
  out.show(std::move(table));
  const auto hang_up = [](const LevelReport& level) { return level.tally.outcomes[Outcome::gave_up] > 0; };
  const auto has_hung_up = [&](const ReplayReport& report) {
    return std::any_of(report.levels.begin(), report.levels.end(), hang_up);
  };
  const std::vector<ReplayReport>& others = report_.log.others;
  const bool hung_up = has_hung_up(report_.log) || std::any_of(others.begin(), others.end(), has_hung_up);
  std::string notes = hung_up ? "REFUSED counts requests whose clients hung up while they waited, too." : "";
  if (report_.variants > 1)
    notes = fmt::format("SEATS: nominal. {}Ranges are from {} each.", notes.empty() ? "" : notes + " ",
                        counted(static_cast<std::uint64_t>(report_.variants), "replay", "replays"));
  if (!notes.empty()) out.explain(notes);
}

void SuggestDocument::losers() {
  if (!report_.met || report_.met_before) return;
  Passage& out = out_.section("What it costs, and whom");
  if (report_.losers.empty()) return out.item("Nobody waits longer or is refused more often.");
  std::size_t listed = 0, more = 0, perhaps = 0;
  for (const SuggestLoser& loser : report_.losers) {
    const bool is_sure = loser.more_refused || loser.longer_waits;
    perhaps += !is_sure;
    const bool is_left_out = listed == kListed && !on_page_;
    more += is_sure && is_left_out;
    if (!is_sure || is_left_out) continue;
    ++listed;
    const SuggestLevel::Figures &was = loser.before, &is = loser.after;
    std::string what;
    if (loser.more_refused)
      what = fmt::format("{} {} refused instead of {}", count_of(is.rejected_low, is.rejected_high),
                         is.rejected_high == 1 ? "request" : "requests", count_of(was.rejected_low, was.rejected_high));
    if (loser.longer_waits)
      what += fmt::format("{}p99 of its waits {} instead of {}", what.empty() ? "" : "; ",
                          wait_of(is.p99_low, is.p99_high), wait_of(was.p99_low, was.p99_high));
    out.item(fmt::format("{}: {}.", loser.flow, what));
  }
  if (more > 0) out.item(fmt::format("And {} more; -o json has them all.", counted(more, "client", "clients")));
  if (perhaps > 0)
    out.item(fmt::format("{} in some replays, and not in others.",
                         perhaps == 1 ? "One client waits longer or is refused more often"
                                      : grouped(perhaps) + " clients wait longer or are refused more often"));
}

void SuggestDocument::rejected() {
  Passage& out = out_.section("Tried and rejected");
  for (const SuggestTried& tried : report_.rejected)
    out.item(fmt::format("{}: {}.", words_of(tried.changes), reason_of(tried, report_)));
  if (!report_.met_before)
    out_.section().explain(fmt::format("{}, {}.", counted(report_.configurations, "configuration", "configurations"),
                                       counted(report_.replays, "replay", "replays")));
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

Document document_of(const SuggestReport& report, std::span<const ConfigText> before, const View& view) {
  return SuggestDocument(report, before, view).build();
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
