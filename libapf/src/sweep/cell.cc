#include "sweep/cell.h"

#include <algorithm>
#include <iterator>
#include <span>

#include <apf/error.h>
#include <apf/logs.h>
#include <apf/output.h>
#include <fmt/core.h>

#include "base/thousands.h"
#include "base/unusable.h"
#include "replay/passes/servers.h"
#include "sweep/json_fields.h"

namespace apf {

namespace {

constexpr std::uint64_t kMostCount = std::uint64_t{1} << 53;  // what JSON readers keep
constexpr std::uint64_t kSteps = 64;                          // of an octave of a distribution
constexpr std::uint64_t kMostPlace = 63 * kSteps;             // of the longest Nanos

// What a sweep says of a log, and of a set of flags.
constexpr RemarkKind kLogWarnings[] = {
    RemarkKind::log_damaged,     RemarkKind::log_empty,     RemarkKind::duplicate_events,
    RemarkKind::no_request_ends, RemarkKind::only_refusals, RemarkKind::one_user,
    RemarkKind::one_verb,        RemarkKind::only_slow,     RemarkKind::reads_missing};
constexpr RemarkKind kContradiction[] = {RemarkKind::log_contradicts_replay, RemarkKind::log_contradicts_recorded,
                                         RemarkKind::log_contradicts_at_end, RemarkKind::seats_while_refusing};
constexpr RemarkKind kUnusedEntries[] = {RemarkKind::client_model_unused, RemarkKind::client_timeout_unused,
                                         RemarkKind::client_limit_unused, RemarkKind::scale_unused};

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

void write_stages(JsonWriter& json, const std::vector<StageReport>& stages) {
  json.key("stages").begin_array();
  for (const StageReport& stage : stages) {
    json.begin_object().field("name", to_string(stage.stage)).field("bypassed", stage.bypassed);
    json.field("passed", stage.passed).field("delayed", stage.delayed).key("delay");
    DistributionCodec::write(json, stage.delay);
    json.field("refused", stage.refused).key("reasons").begin_object();
    for (const auto& [reason, count] : stage.reasons) json.field(reason.c_str(), count);
    json.end_object().end_object();
  }
  json.end_array();
}

// The counts that are left out where all of them are 0.
struct CountRow {
  const char* key;
  std::uint64_t SweepStages::*member;
};
constexpr CountRow kUndecidable[] = {{"eventRateLimit", &SweepStages::undecidable_events},
                                     {"resourceQuota", &SweepStages::undecidable_quotas}};
constexpr CountRow kLists[] = {{"lists", &SweepStages::lists}, {"bytesUnknown", &SweepStages::lists_of_unknown_bytes}};
constexpr CountRow kRetries[] = {{"attempts", &SweepStages::retries},
                                 {"gaveUp", &SweepStages::gave_up},
                                 {"beyondLog", &SweepStages::retries_beyond_log},
                                 {"dropped", &SweepStages::retries_dropped}};

void write_counts(JsonWriter& json, const char* key, std::span<const CountRow> rows, const SweepStages& stages) {
  if (std::all_of(rows.begin(), rows.end(), [&](const CountRow& row) { return stages.*row.member == 0; })) return;
  json.key(key).begin_object();
  for (const CountRow& row : rows) json.field(row.key, stages.*row.member);
  json.end_object();
}

void read_counts(const JsonFields& fields, const char* key, std::span<const CountRow> rows, SweepStages& stages) {
  if (!fields.has(key)) return;
  const JsonFields counts = fields.object(key);
  for (const CountRow& row : rows) stages.*row.member = counts.number(row.key, kMostCount);
}

StageReport read_stage(const JsonFields& fields) {
  StageReport out;
  const std::string name = fields.text("name");
  const auto row =
      std::find_if(std::begin(kStageTable), std::end(kStageTable), [&](const StageRow& r) { return name == r.name; });
  if (row == std::end(kStageTable)) throw Error("\"stages\" has one that is unknown");
  out.stage = row->stage;
  out.bypassed = fields.number("bypassed", kMostCount);
  out.passed = fields.number("passed", kMostCount);
  out.delayed = fields.number("delayed", kMostCount);
  out.delay = DistributionCodec::read(fields.object("delay"));
  out.refused = fields.number("refused", kMostCount);
  const JsonFields reasons = fields.object("reasons");
  for (std::string& reason : reasons.keys()) {
    const std::uint64_t count = reasons.number(reason, kMostCount);
    out.reasons.emplace(std::move(reason), count);
  }
  return out;
}

SweepStages read_stages(const JsonFields& fields) {
  SweepStages out;
  if (fields.has("stages")) {
    for (const JsonFields& stage : fields.objects("stages")) {
      out.stages.push_back(read_stage(stage));
      if (out.stages.size() > 1 && out.stages.end()[-2].stage >= out.stages.back().stage)
        throw Error("\"stages\" are not in their order");
    }
  }
  read_counts(fields, "undecidable", kUndecidable, out);
  read_counts(fields, "listBytes", kLists, out);
  read_counts(fields, "retries", kRetries, out);
  return out;
}

bool is_without_flags(const StageReport& stage) {
  return stage.stage == AdmissionStage::apf || stage.stage == AdmissionStage::max_in_flight;
}

SweepStages stages_of(const ReplayReport& report) {
  SweepStages out;
  if (!std::all_of(report.stages.begin(), report.stages.end(), is_without_flags))
    for (const StageReport& stage : report.stages) add_stage(out.stages, stage);
  if (report.event_rate_limit)
    for (const EventLimitReport& limit : report.event_rate_limit->limits) out.undecidable_events += limit.undecidable;
  if (report.resource_quota) out.undecidable_quotas = report.resource_quota->undecidable;
  if (report.list_widths && report.list_widths->asked.bytes > 0) {
    out.lists = report.list_widths->lists;
    out.lists_of_unknown_bytes = report.list_widths->lists - report.list_widths->by_bytes;
  }
  out.retries = report.retries;
  out.gave_up = report.gave_up;
  out.retries_beyond_log = report.retries_beyond_log;
  out.retries_dropped = report.retries_dropped;
  return out;
}

}  // namespace

CellLog cell_log(const std::string& name, const LogReport& report) {
  CellLog out;
  out.name = name;
  out.bytes = report.bytes;
  out.requests = report.requests;
  for (const auto& [reason, lines] : report.unusable) out.unusable += lines;
  out.digest = report.digest;
  for (const Remark& remark : report.warnings)
    if (std::find(std::begin(kLogWarnings), std::end(kLogWarnings), remark.kind) != std::end(kLogWarnings))
      out.warnings.push_back(remark);
  if (is_more_than_a_tenth(out.unusable, report.lines))
    out.warnings.push_back({.kind = RemarkKind::log_damaged,
                            .name = name,
                            .detail = fmt::format("has {} of {} lines that cannot be used",
                                                  with_thousands(out.unusable), with_thousands(report.lines))});
  std::copy_if(report.incomplete.begin(), report.incomplete.end(), std::back_inserter(out.warnings), is_of_selection);
  return out;
}

void merge(SweepStages& into, const SweepStages& stages) {
  for (const StageReport& stage : stages.stages) add_stage(into.stages, stage);
  for (const auto rows : {std::span<const CountRow>(kUndecidable), std::span<const CountRow>(kLists),
                          std::span<const CountRow>(kRetries)})
    for (const CountRow& row : rows) into.*row.member += stages.*row.member;
}

SweepCell::Replay cell_replay(const ReplayReport& report) {
  SweepCell::Replay out;
  out.total = report.total;
  for (const LevelReport& level : report.levels) out.levels.push_back({level.name, level.exempt, level.tally});
  out.stages = stages_of(report);
  return out;
}

namespace {

// What remarks of a sweep have. None: they are left out.
void write_sweep_remarks(JsonWriter& json, const char* key, const std::vector<Remark>& remarks) {
  if (remarks.empty()) return;
  json.key(key).begin_array();
  for (const Remark& remark : remarks) {
    json.begin_object().field("kind", to_string(remark.kind));
    if (remark.count) json.field("count", *remark.count);
    if (remark.total) json.field("total", *remark.total);
    if (remark.other) json.field("other", *remark.other);
    if (remark.time) json.field("timeNs", *remark.time);
    if (!remark.name.empty()) json.field("name", remark.name);
    if (!remark.detail.empty()) json.field("detail", remark.detail);
    if (remark.duration) json.field("durationNs", *remark.duration);
    json.end_object();
  }
  json.end_array();
}

std::vector<Remark> read_sweep_remarks(const JsonFields& fields, const char* key, std::span<const RemarkKind> kinds) {
  std::vector<Remark> out;
  if (!fields.has(key)) return out;
  for (const JsonFields& remark : fields.objects(key)) {
    const std::string name = remark.text("kind");
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](RemarkKind k) { return name == to_string(k); });
    if (kind == kinds.end()) throw Error("\"" + std::string(key) + "\" has a kind that is unknown");
    Remark& into = out.emplace_back();
    into.kind = *kind;
    if (remark.has("count")) into.count = remark.number("count", kMostCount);
    if (remark.has("total")) into.total = remark.number("total", kMostCount);
    if (remark.has("other")) into.other = remark.number("other", kMostCount);
    if (remark.has("timeNs")) into.time = static_cast<Nanos>(remark.number("timeNs", INT64_MAX));
    if (remark.has("name")) into.name = remark.text("name");
    if (remark.has("detail")) into.detail = remark.text("detail");
    if (remark.has("durationNs")) into.duration = static_cast<Nanos>(remark.number("durationNs", INT64_MAX));
  }
  return out;
}

}  // namespace

std::string write_cell(const SweepCell& cell) {
  JsonWriter json;
  json.begin_object().field("replay", cell.number).key("log").begin_object().field("name", cell.log.name);
  json.field("bytes", cell.log.bytes).field("requests", cell.log.requests).field("unusable", cell.log.unusable);
  json.field("digest", fmt::format("{:016x}", cell.log.digest));
  write_sweep_remarks(json, "warnings", cell.log.warnings);
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
    json.end_array();
    if (!replay.stages.stages.empty()) write_stages(json, replay.stages.stages);
    write_counts(json, "undecidable", kUndecidable, replay.stages);
    write_counts(json, "listBytes", kLists, replay.stages);
    write_counts(json, "retries", kRetries, replay.stages);
    json.end_object();
  }
  json.end_array();
  if (cell.clients_open) json.field("clientsOpen", true);
  if (cell.agrees) json.field("agreesWithLog", true);
  write_sweep_remarks(json, "contradiction", cell.contradiction);
  write_sweep_remarks(json, "unused", cell.unused);
  json.end_object();
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
  cell.log.digest = log.hexadecimal("digest");
  cell.log.warnings = read_sweep_remarks(log, "warnings", kLogWarnings);
  for (const JsonFields& result : fields.objects("results")) {
    SweepCell::Replay& replay = cell.replays.emplace_back();
    replay.total = read_tally(result.object("total"));
    for (const JsonFields& level : result.objects("levels"))
      replay.levels.push_back({level.text("name"), level.flag("exempt"), read_tally(level)});
    replay.stages = read_stages(result);
  }
  if (fields.has("clientsOpen")) cell.clients_open = fields.flag("clientsOpen");
  if (fields.has("agreesWithLog")) cell.agrees = fields.flag("agreesWithLog");
  cell.contradiction = read_sweep_remarks(fields, "contradiction", kContradiction);
  cell.unused = read_sweep_remarks(fields, "unused", kUnusedEntries);
  if (cell.replays.empty() || cell.replays.size() > 2) throw Error("\"results\" has neither one result nor two");
  return cell;
}

}  // namespace apf
