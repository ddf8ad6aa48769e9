#include "sweep/cell.h"

#include <algorithm>

#include <apf/error.h>
#include <apf/output.h>
#include <simdjson.h>

#include "sweep/json_fields.h"

namespace apf {

namespace {

constexpr std::uint64_t kMostCount = std::uint64_t{1} << 53;  // what JSON readers keep
constexpr std::uint64_t kSteps = 64;                          // of an octave of a distribution
constexpr std::uint64_t kMostPlace = 63 * kSteps;             // of the longest Nanos

}  // namespace

// Its buckets as pairs of place and count, those of 0 left out.
struct DistributionCodec {
  static void write(JsonWriter& json, const DurationDistribution& from) {
    json.begin_object().field("count", from.count_).field("zeros", from.zeros_).field("maxNs", from.max_);
    json.key("sumSeconds").decimal_string(from.sum_seconds_).key("sumNanos").decimal_string(from.sum_nanos_);
    json.key("buckets").begin_array();
    for (std::size_t octave = 0; octave < from.octaves_.size(); ++octave)
      for (std::size_t step = 0; step < from.octaves_[octave].size(); ++step)
        if (const std::uint64_t count = from.octaves_[octave][step]; count > 0)
          json.value(static_cast<std::uint64_t>(octave * kSteps + step)).value(count);
    json.end_array().end_object();
  }

  static DurationDistribution read(const JsonFields& fields) {
    DurationDistribution out;
    out.count_ = fields.number("count", kMostCount);
    out.zeros_ = fields.number("zeros", out.count_);
    out.max_ = static_cast<Nanos>(fields.number("maxNs", INT64_MAX));
    out.sum_seconds_ = fields.decimal("sumSeconds");
    out.sum_nanos_ = fields.decimal("sumNanos");
    std::uint64_t seen = out.zeros_;
    const std::vector<std::uint64_t> numbers = fields.numbers("buckets");
    if (numbers.size() % 2 != 0) throw Error("\"buckets\" has a place without a count");
    for (std::size_t i = 0; i < numbers.size(); i += 2) {
      const std::uint64_t place = numbers[i], count = numbers[i + 1];
      if (place >= kMostPlace || count > kMostCount) throw Error("\"buckets\" has a number out of range");
      const auto octave = static_cast<std::size_t>(place / kSteps);
      if (out.octaves_.size() <= octave) out.octaves_.resize(octave + 1);
      if (out.octaves_[octave].empty()) out.octaves_[octave].resize(kSteps);
      out.octaves_[octave][place % kSteps] += count;
      seen += count;
    }
    if (seen != out.count_) throw Error("\"buckets\" do not add up to \"count\"");
    return out;
  }
};

namespace {

const char* key_of(const OutcomeRow& row) { return row.outcome == Outcome::executed ? "executed" : row.json; }

// Outcomes without requests are left out.
void write_tally(JsonWriter& json, const RequestTally& tally) {
  json.field("requests", tally.requests).field("queued", tally.queued).key("outcomes").begin_object();
  for (const OutcomeRow& row : kOutcomeTable)
    if (tally.outcomes[row.outcome] > 0) json.field(key_of(row), tally.outcomes[row.outcome]);
  json.end_object().field("seatSeconds", tally.seat_seconds);
  if (tally.too_wide > 0) {
    json.key("tooWide").begin_object().field("requests", tally.too_wide).field("seatsWanted", tally.seats_wanted);
    json.field("seatsAllowed", tally.seats_allowed).field("widest", tally.widest).end_object();
  }
  json.key("wait");
  DistributionCodec::write(json, tally.wait);
}

RequestTally read_tally(const JsonFields& fields) {
  RequestTally tally;
  tally.requests = fields.number("requests", kMostCount);
  tally.queued = fields.number("queued", kMostCount);
  const JsonFields outcomes = fields.object("outcomes");
  std::size_t known = 0;
  for (const OutcomeRow& row : kOutcomeTable) {
    if (!outcomes.has(key_of(row))) continue;
    ++known;
    tally.outcomes[row.outcome] = outcomes.number(key_of(row), kMostCount);
  }
  if (known != outcomes.size()) throw Error("\"outcomes\" has one that is unknown");
  tally.seat_seconds = fields.real("seatSeconds");
  if (fields.has("tooWide")) {
    const JsonFields wide = fields.object("tooWide");
    tally.too_wide = wide.number("requests", kMostCount);
    tally.seats_wanted = wide.number("seatsWanted", kMostCount);
    tally.seats_allowed = wide.number("seatsAllowed", kMostCount);
    tally.widest = static_cast<int>(wide.number("widest", INT32_MAX));
  }
  tally.wait = DistributionCodec::read(fields.object("wait"));
  return tally;
}

}  // namespace

SweepCell::Replay cell_replay(const ReplayReport& report) {
  SweepCell::Replay out;
  out.total = report.total;
  for (const LevelReport& level : report.levels) out.levels.push_back({level.name, level.exempt, level.tally});
  return out;
}

std::string write_cell(const SweepCell& cell) {
  JsonWriter json;
  json.begin_object().field("replay", cell.number).key("log").begin_object().field("name", cell.log.name);
  json.field("bytes", cell.log.bytes).field("requests", cell.log.requests).field("unusable", cell.log.unusable);
  json.end_object().key("results").begin_array();
  for (const SweepCell::Replay& replay : cell.replays) {
    json.begin_object().key("total").begin_object();
    write_tally(json, replay.total);
    json.end_object().key("levels").begin_array();
    for (const SweepCell::Level& level : replay.levels) {
      json.begin_object().field("name", level.name).field("exempt", level.exempt);
      write_tally(json, level.tally);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.take();
}

SweepCell read_cell(std::string_view line) {
  const JsonLine text(line);
  const JsonFields fields = text.fields();
  SweepCell cell;
  cell.number = fields.number("replay", kMostCount);
  const JsonFields log = fields.object("log");
  cell.log.name = log.text("name");
  cell.log.bytes = log.number("bytes", kMostCount);
  cell.log.requests = log.number("requests", kMostCount);
  cell.log.unusable = log.number("unusable", kMostCount);
  for (const JsonFields& result : fields.objects("results")) {
    SweepCell::Replay& replay = cell.replays.emplace_back();
    replay.total = read_tally(result.object("total"));
    for (const JsonFields& level : result.objects("levels"))
      replay.levels.push_back({level.text("name"), level.flag("exempt"), read_tally(level)});
  }
  if (cell.replays.empty() || cell.replays.size() > 2) throw Error("\"results\" has neither one result nor two");
  return cell;
}

}  // namespace apf
