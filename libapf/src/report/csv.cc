// Tables for spreadsheets: RFC 4180, and no cell that a spreadsheet would compute.

#include <apf/json.h>
#include <apf/report.h>

#include <iterator>
#include <string>

namespace apf {

namespace {

class CsvTable {
 public:
  // Control characters made visible: a table may be shown on a terminal, too.
  void text(std::string_view name) {
    separate();
    const std::string value = printable(name);
    // What begins like this is a formula to a spreadsheet; the apostrophe makes it text.
    const bool formula = !value.empty() && std::string_view("=+-@").find(value.front()) != std::string_view::npos;
    if (!formula && value.find_first_of(",\"\r\n") == std::string_view::npos) {
      out_ += value;
      return;
    }
    out_ += '"';
    if (formula) out_ += '\'';
    for (const char c : value) {
      if (c == '"') out_ += '"';
      out_ += c;
    }
    out_ += '"';
  }
  template <class Number>
  void number(Number value) {
    separate();
    out_ += std::to_string(value);
  }
  void number(double value) {
    separate();
    append_json_double(out_, value);
  }
  void seconds(double nanos) { number(nanos / 1e9); }
  void empty() { separate(); }
  void end_row() {
    out_ += "\r\n";
    first_ = true;
  }
  std::string take() { return std::move(out_); }

 private:
  void separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  std::string out_;
  bool first_ = true;
};

constexpr const char* kRequestColumns[] = {"requests", "executed", "queued", "rejected"};  // then a column a refusal
constexpr const char* kWaitColumns[] = {"seat_seconds",     "wait_mean_seconds", "wait_p50_seconds",
                                        "wait_p90_seconds", "wait_p99_seconds",  "wait_max_seconds"};
constexpr const char* kLimitColumns[] = {
    "nominal_seats",   "min_seats",        "max_seats",         "limit_min_seats",    "limit_avg_seats",
    "limit_max_seats", "in_use_avg_seats", "in_use_peak_seats", "borrowed_avg_seats", "lent_avg_seats",
    "queues",          "hand_size",        "queue_length_limit"};

constexpr const char* kStageColumns[] = {"stage",
                                         "seen",
                                         "bypassed",
                                         "passed",
                                         "delayed",
                                         "delay_mean_seconds",
                                         "delay_p50_seconds",
                                         "delay_p90_seconds",
                                         "delay_p99_seconds",
                                         "delay_max_seconds",
                                         "refused",
                                         "reasons"};
constexpr const char* kAgreementColumns[] = {
    "priority_level",           "refused_in_log",          "refused_in_replay",       "waits",
    "log_wait_mean_seconds",    "log_wait_p50_seconds",    "log_wait_p90_seconds",    "log_wait_p99_seconds",
    "replay_wait_mean_seconds", "replay_wait_p50_seconds", "replay_wait_p90_seconds", "replay_wait_p99_seconds"};
constexpr const char* kSpreadColumns[] = {"priority_level",          "replays",
                                          "rejected_least",          "rejected_most",
                                          "wait_mean_least_seconds", "wait_mean_most_seconds",
                                          "wait_p50_least_seconds",  "wait_p50_most_seconds",
                                          "wait_p90_least_seconds",  "wait_p90_most_seconds",
                                          "wait_p99_least_seconds",  "wait_p99_most_seconds"};

void write_tally(CsvTable& csv, const RequestTally& tally) {
  for (const std::uint64_t count : {tally.requests, tally.executed(), tally.queued, tally.rejected()})
    csv.number(count);
  for (const OutcomeRow& row : refusals()) csv.number(tally.outcomes[row.outcome]);
  csv.number(tally.seat_seconds);
  csv.seconds(tally.wait.mean());
  for (const double q : {0.5, 0.9, 0.99}) csv.seconds(static_cast<double>(tally.wait.quantile(q)));
  csv.seconds(static_cast<double>(tally.wait.max()));
}

void write_limits(CsvTable& csv, const LevelReport& level) {
  for (const int n : {level.nominal_cl, level.min_cl}) csv.number(n);
  if (level.exempt) {  // no limit is in force there
    for (int i = 0; i < 4; ++i) csv.empty();
  } else {
    csv.number(level.max_cl);
    csv.number(level.current_cl_min);
    csv.number(level.current_cl_avg);
    csv.number(level.current_cl_max);
  }
  csv.number(level.seats_avg);
  csv.number(level.seats_peak);
  csv.number(level.borrowed_avg);
  csv.number(level.lent_avg);
  for (const int n : {level.queues, level.hand_size, level.queue_length_limit}) csv.number(n);
}

void write_header(CsvTable& csv, CsvRows rows, bool several) {
  const auto columns = [&](auto&& names) {
    for (const char* name : names) csv.text(name);
  };
  using Names = std::initializer_list<const char*>;
  if (several) csv.text("server");
  switch (rows) {
    case CsvRows::levels:
      columns(Names{"priority_level", "type"});
      break;
    case CsvRows::flow_schemas:
      columns(Names{"flow_schema", "priority_level", "matching_precedence"});
      break;
    case CsvRows::flows:
      columns(Names{"flow_schema", "priority_level", "flow_distinguisher"});
      break;
    case CsvRows::stages:
      columns(kStageColumns);
      break;
    case CsvRows::agreement:
      columns(kAgreementColumns);
      break;
    case CsvRows::spread:
      columns(kSpreadColumns);
      break;
  }
  if (rows == CsvRows::levels || rows == CsvRows::flow_schemas || rows == CsvRows::flows) {
    columns(kRequestColumns);
    for (const OutcomeRow& row : refusals()) csv.text(row.column);
    columns(kWaitColumns);
  }
  if (rows == CsvRows::levels) columns(kLimitColumns);
  csv.end_row();
}

// Rows of one server; `begin_row` writes the first cells of each.
template <class BeginRow>
void write_levels(CsvTable& csv, const ReplayReport& report, const BeginRow& begin_row) {
  for (const LevelReport& level : report.levels) {
    begin_row();
    csv.text(level.name);
    if (report.in_flight) csv.empty();
    else csv.text(level.exempt ? "Exempt" : level.reject ? "Reject" : "Queue");
    write_tally(csv, level.tally);
    if (!report.in_flight) write_limits(csv, level);
    else
      for (std::size_t i = 0; i < std::size(kLimitColumns); ++i) csv.empty();
    csv.end_row();
  }
}

template <class BeginRow>
void write_schemas(CsvTable& csv, const ReplayReport& report, const BeginRow& begin_row) {
  for (const SchemaReport& schema : report.schemas) {
    begin_row();
    csv.text(schema.name);
    csv.text(schema.priority_level);
    csv.number(schema.matching_precedence);
    write_tally(csv, schema.tally);
    csv.end_row();
  }
}

template <class BeginRow>
void write_flows(CsvTable& csv, const ReplayReport& report, const BeginRow& begin_row) {
  for (const FlowReport& flow : report.all_flows) {
    if (flow.tally.requests == 0) continue;
    begin_row();
    csv.text(flow.flow_schema);
    csv.text(flow.priority_level);
    csv.text(flow.distinguisher);
    write_tally(csv, flow.tally);
    csv.end_row();
  }
}

template <class BeginRow>
void write_stages(CsvTable& csv, const ReplayReport& report, const BeginRow& begin_row) {
  for (const StageReport& stage : report.stages) {
    begin_row();
    csv.text(to_string(stage.stage));
    for (const std::uint64_t count : {stage.seen(), stage.bypassed, stage.passed, stage.delayed}) csv.number(count);
    csv.seconds(stage.delay.mean());
    for (const double q : {0.5, 0.9, 0.99}) csv.seconds(static_cast<double>(stage.delay.quantile(q)));
    csv.seconds(static_cast<double>(stage.delay.max()));
    csv.number(stage.refused);
    std::string reasons;
    for (const auto& [reason, count] : stage.reasons)
      reasons += (reasons.empty() ? "" : " ") + reason + ":" + std::to_string(count);
    csv.text(reasons);
    csv.end_row();
  }
}

template <class BeginRow>
void write_agreement(CsvTable& csv, const ReplayReport& report, const BeginRow& begin_row) {
  for (const RecordedReport::Level& level : report.recorded.levels) {
    begin_row();
    csv.text(level.name);
    csv.number(level.refused_log);
    csv.number(level.refused_replay);
    csv.number(level.wait_log.count());
    for (const DurationDistribution* wait : {&level.wait_log, &level.wait_replay}) {
      csv.seconds(wait->mean());
      for (const double q : {0.5, 0.9, 0.99}) csv.seconds(static_cast<double>(wait->quantile(q)));
    }
    csv.end_row();
  }
}

template <class BeginRow>
void write_spread(CsvTable& csv, const ReplayReport& report, const BeginRow& begin_row) {
  for (const Spread::Level& level : report.spread.levels) {
    begin_row();
    csv.text(level.name.empty() ? "total" : level.name);
    csv.number(report.spread.runs);
    csv.number(level.rejected_least);
    csv.number(level.rejected_most);
    csv.seconds(level.mean_wait_least);
    csv.seconds(level.mean_wait_most);
    for (const Nanos wait :
         {level.p50_least, level.p50_most, level.p90_least, level.p90_most, level.p99_least, level.p99_most})
      csv.seconds(static_cast<double>(wait));
    csv.end_row();
  }
}

}  // namespace

std::string render_csv(std::span<const ReplayReport> servers, CsvRows rows) {
  CsvTable csv;
  const bool several = !servers.empty() && !servers.front().server.empty();
  write_header(csv, rows, several);
  for (const ReplayReport& report : servers) {
    const auto begin_row = [&] {
      if (several) csv.text(report.server);
    };
    switch (rows) {
      case CsvRows::levels:
        write_levels(csv, report, begin_row);
        break;
      case CsvRows::flow_schemas:
        write_schemas(csv, report, begin_row);
        break;
      case CsvRows::flows:
        write_flows(csv, report, begin_row);
        break;
      case CsvRows::stages:
        write_stages(csv, report, begin_row);
        break;
      case CsvRows::agreement:
        write_agreement(csv, report, begin_row);
        break;
      case CsvRows::spread:
        write_spread(csv, report, begin_row);
        break;
    }
  }
  return csv.take();
}

}  // namespace apf
