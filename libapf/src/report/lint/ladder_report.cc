// The order in which FlowSchemas are asked, and places on it, as text and as JSON.
#include <algorithm>

#include <apf/findings_report.h>
#include <fmt/core.h>

#include "report/core/units.h"

namespace apf {

namespace {

std::string gap_numbers(const LadderGap& gap) {
  return gap.first == gap.last ? fmt::format("{}", gap.first) : fmt::format("{} to {}", gap.first, gap.last);
}

// Free gap_numbers between neighbours, as a line of the ladder.
std::string gap_text(std::int32_t before, std::int32_t after) {
  if (after - before < 2) return {};
  return gap_numbers({before + 1, after - 1});
}

void write_gap(JsonWriter& json, const char* key, const std::optional<LadderGap>& gap) {
  json.key(key);
  if (!gap) json.null();
  else json.begin_object().field("first", gap->first).field("last", gap->last).end_object();
}

std::string named(const std::vector<LadderLoss>& losses, bool general) {
  std::string out;
  for (const LadderLoss& loss : losses) {
    if (loss.general == general)
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", loss.matching_precedence, loss.flow_schema);
  }
  return out;
}

void add_steps(Document& out, const Ladder& ladder) {
  Table table;
  table.right("NUMBER").left("FLOWSCHEMA", 16).left("LEVEL", 12).left("FREE AFTER").left("WHOSE REQUESTS", 20);
  bool ties = false;
  for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
    const LadderStep& step = ladder.steps[i];
    const bool last = i + 1 == ladder.steps.size();
    ties = ties || step.tied;
    table.row({{fmt::format("{}", step.matching_precedence), step.tied ? Tone::caution : Tone::plain},
               name_cell(step.flow_schema + (step.tied ? " (tie)" : ""), Tone::strong),
               name_cell(step.priority_level),
               {last ? "" : gap_text(step.matching_precedence, ladder.steps[i + 1].matching_precedence), Tone::faint},
               step.reached ? step.who : Table::Cell("no request reaches it", Tone::caution)});
  }
  out.section().show(std::move(table));
  std::string words = "The server asks from the top; the first FlowSchema that matches takes the request.";
  if (ties) words += " A tie is decided by name, in byte order.";
  out.section().say(words);
}

void add_place(Document& out, const LadderPlace& place) {
  if (place.losses.empty()) {
    out.section().say(fmt::format("{} matches no request: its rules name nobody or nothing.", place.flow_schema),
                      Tone::bad, 2);
    return;
  }
  const std::string own = named(place.losses, false), general = named(place.losses, true);
  Passage& advice = out.section(
      place.without_harm
          ? fmt::format("{}: give it a number from {}.", place.flow_schema, gap_numbers(*place.without_harm))
          : fmt::format("{}: no number gives it requests that no other FlowSchema has.", place.flow_schema));
  if (place.without_harm)
    advice.item(own.empty() ? fmt::format("There it gets all its requests, and takes them from {} alone.", general)
                            : fmt::format("There it takes requests from {} alone, and leaves those of {} to them.",
                                          general, own),
                "  ");
  else
    advice.item(general.empty() ? fmt::format("All its requests are taken by {}.", own)
                                : "There is no free number after those that have requests of their own and before the "
                                  "general FlowSchemas.",
                "  ");
  if (!own.empty() || !place.without_harm)
    advice.item(place.for_all
                    ? fmt::format("To get all its requests, it needs a number from {}; all below lose what they show.",
                                  gap_numbers(*place.for_all))
                    : "No free number gets it all its requests: the first that takes some has the smallest number.",
                "  ");
  for (const LadderLoss& loss : place.losses) {
    Passage& lost = out.section(
        fmt::format("{} {} ({}) would lose", loss.matching_precedence, loss.flow_schema, loss.priority_level));
    lost.list(loss.requests, "  ");
    if (!loss.command.empty()) lost.type(loss.command, "      ", Tone::faint);
  }
}

}  // namespace

Document document_of(const Ladder& ladder, const std::vector<LadderPlace>& places) {
  Document out("The order in which FlowSchemas are asked");
  if (places.empty()) add_steps(out, ladder);
  for (const LadderPlace& place : places) add_place(out, place);
  return out;
}

std::string render_json(const Ladder& ladder, const std::vector<LadderPlace>& places) {
  JsonWriter json;
  json.begin_object().key("steps").begin_array();
  for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
    const LadderStep& step = ladder.steps[i];
    json.begin_object().field("matchingPrecedence", step.matching_precedence).field("flowSchema", step.flow_schema);
    json.field("priorityLevel", step.priority_level).field("who", step.who).field("tied", step.tied);
    json.field("reached", step.reached);
    std::optional<LadderGap> gap;
    if (i + 1 < ladder.steps.size() && ladder.steps[i + 1].matching_precedence - step.matching_precedence > 1)
      gap = LadderGap{step.matching_precedence + 1, ladder.steps[i + 1].matching_precedence - 1};
    write_gap(json, "freeAfter", gap);
    json.end_object();
  }
  json.end_array().key("places").begin_array();
  for (const LadderPlace& place : places) {
    json.begin_object().field("flowSchema", place.flow_schema);
    write_gap(json, "withoutHarm", place.without_harm);
    write_gap(json, "forAllRequests", place.for_all);
    json.key("losses").begin_array();
    for (const LadderLoss& loss : place.losses) {
      json.begin_object().field("matchingPrecedence", loss.matching_precedence).field("flowSchema", loss.flow_schema);
      json.field("priorityLevel", loss.priority_level).field("general", loss.general).key("requests").begin_array();
      for (const std::string& requests : loss.requests) json.value(requests);
      json.end_array();
      if (!loss.command.empty()) json.field("command", loss.command);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace apf
