// The seats of the priority levels of one server, as text and as JSON.
#include "report/lint/limits_report.h"

#include <algorithm>

#include <apf/findings_report.h>
#include <fmt/core.h>

#include "report/core/units.h"

namespace apf {

namespace {

const char* kind_of(const LevelLimits& level) { return level.exempt ? "Exempt" : level.reject ? "Reject" : "Queue"; }

// What a level gets when all others lend what they may: more than that is allowed, but not there.
int reachable_seats(const LevelLimits& level, const LimitsTable& table) {
  std::int64_t out = level.nominal_cl;
  for (const LevelLimits& other : table.levels)
    if (other.name != level.name) out += other.lendable_cl;
  return static_cast<int>(std::min<std::int64_t>(out, level.max_cl));
}

Table seats_table(const LimitsTable& table) {
  Table out;
  out.left("LEVEL", 12).left("TYPE").right("SHARES / SUM × SEATS").right("NOMINAL").right("LENDS").right("MIN");
  out.right("BORROWS").drop(1).right("MAX").right("REACH").drop(2).right("START").drop(3);
  for (const LevelLimits& level : table.levels) {
    out.row({{level.name, Tone::strong},
             kind_of(level),
             {nominal_arithmetic(level, table), Tone::faint},
             {grouped(level.nominal_cl), Tone::strong},
             {grouped(level.lendable_cl), level.lendable_cl > 0 ? Tone::plain : Tone::faint},
             grouped(level.min_cl),
             level.exempt ? "-" : grouped(level.borrowing_cl),
             level.exempt ? "-" : grouped(level.max_cl),
             level.exempt ? "-" : grouped(reachable_seats(level, table)),
             grouped(level.initial_cl)});
  }
  return out;
}

Table queues_table(const LimitsTable& table) {
  Table out;
  out.left("LEVEL", 12).right("QUEUES").right("HAND").right("QUEUE LENGTH").drop(1).right("CAN WAIT");
  out.left("WIDEST REQUEST");
  for (const LevelLimits& level : table.levels) {
    const auto number = [&](std::int64_t of) -> Table::Cell {
      return level.queues == 0 ? Table::Cell("-", Tone::faint) : grouped(static_cast<std::uint64_t>(of));
    };
    const std::int64_t waiting = static_cast<std::int64_t>(level.queues) * level.queue_length_limit;
    out.row({{level.name, Tone::strong},
             number(level.queues),
             number(level.hand_size),
             number(level.queue_length_limit),
             level.queues > 0 ? number(waiting)
             : level.exempt   ? "no need"
                              : "0",
             level.max_seats > 0 ? seats_in_words(level.max_seats) : "the release's limit for its verb"});
  }
  return out;
}

}  // namespace

std::string nominal_arithmetic(const LevelLimits& level, const LimitsTable& table) {
  if (table.share_sum <= 0) return "no shares";
  const double exact = static_cast<double>(table.server_concurrency_limit) *
                       static_cast<double>(level.nominal_concurrency_shares) / static_cast<double>(table.share_sum);
  return fmt::format("{} / {} × {} = {}", grouped(static_cast<std::uint64_t>(level.nominal_concurrency_shares)),
                     grouped(static_cast<std::uint64_t>(table.share_sum)), grouped(table.server_concurrency_limit),
                     decimals(exact, 2));
}

Document document_of(const LimitsTable& table) {
  Document out("Seats of the priority levels");
  out.section().show(seats_table(table));
  Passage& words = out.section();
  words.say(fmt::format(
      "NOMINAL = SHARES / SUM × SEATS, rounded up; their sum is {}, for {}. MIN = NOMINAL - LENDS, MAX = "
      "NOMINAL + what the level may borrow.",
      grouped(static_cast<std::uint64_t>(table.nominal_sum)), seats_in_words(table.server_concurrency_limit)));
  words.explain({{{"REACH"}, "what a level gets when all others lend what they may."},
                 {{"START"}, "the limit of a server that has just started."}});
  out.section().show(queues_table(table));
  return out;
}

void write_level(JsonWriter& json, const LevelLimits& level, std::optional<int> reachable) {
  json.begin_object().field("name", level.name).field("type", level.exempt ? "Exempt" : "Limited");
  json.field("nominalConcurrencyShares", level.nominal_concurrency_shares);
  json.field("nominalCL", level.nominal_cl)
      .field("lendableCL", level.lendable_cl)
      .field("borrowingCL", level.borrowing_cl);
  json.field("minCL", level.min_cl)
      .field("maxCL", level.max_cl)
      .field("initialCL", level.initial_cl)
      .field("maxSeats", level.max_seats);
  if (reachable) json.field("reachableCL", *reachable);
  json.field("queues", level.queues)
      .field("handSize", level.hand_size)
      .field("queueLengthLimit", level.queue_length_limit);
  json.end_object();
}

std::string render_json(const LimitsTable& table, const std::vector<Remark>& warnings) {
  JsonWriter json;
  json.begin_object();
  json.field("serverConcurrencyLimit", table.server_concurrency_limit)
      .field("shareSum", table.share_sum)
      .field("nominalSum", table.nominal_sum);
  json.key("levels").begin_array();
  for (const LevelLimits& level : table.levels) {
    write_level(json, level, level.exempt ? std::nullopt : std::optional(reachable_seats(level, table)));
  }
  json.end_array();
  if (!warnings.empty()) write_remarks(json, "warnings", warnings);
  json.end_object();
  return json.take();
}

}  // namespace apf
