// Reads kube-apiserver's debug dumps: tables with commas behind their cells (k8s.io/apiserver,
// pkg/util/flowcontrol/apf_controller_debug.go, releases 1.20 to 1.36).
#include "logs/server/server_dump.h"

#include <algorithm>

#include <apf/error.h>
#include <apf/input.h>
#include <fmt/core.h>

#include "base/decimal.h"
#include "base/text.h"

namespace apf {

namespace {

// A row's cells: where each begins and ends in the line.
struct Cells {
  std::string_view line;
  std::vector<std::pair<std::size_t, std::size_t>> ends;
  std::size_t size() const { return ends.size(); }
  // Those from `first` to before `last` with the commas between them.
  std::string_view text(std::size_t first, std::size_t last) const {
    return trimmed(line.substr(ends[first].first, ends[last - 1].second - ends[first].first));
  }
  std::string_view operator[](std::size_t at) const { return text(at, at + 1); }
};

Cells split_cells(std::string_view line) {
  Cells out{line, {}};
  std::size_t begin = 0;
  for (;;) {
    const std::size_t comma = line.find(',', begin);
    out.ends.emplace_back(begin, comma == line.npos ? line.size() : comma);
    if (comma == line.npos) return out;
    begin = comma + 1;
  }
}

constexpr std::string_view kNone = "<none>";  // of levels without queues

}  // namespace

bool parse_work(std::string_view text, std::uint64_t& out) {
  if (text.ends_with("ss")) text.remove_suffix(2);
  const std::size_t dot = text.find('.');
  const std::string_view decimals = dot == text.npos ? std::string_view() : text.substr(dot + 1);
  std::uint64_t whole = 0, part = 0;
  if (decimals.size() > kWorkDecimals || !read_integer(text.substr(0, dot), whole)) return false;
  if (!decimals.empty() && !read_integer(decimals, part)) return false;
  for (std::size_t i = decimals.size(); i < kWorkDecimals; ++i) part *= 10;
  return !__builtin_mul_overflow(whole, kWorkUnits, &whole) && !__builtin_add_overflow(whole, part, &out);
}

namespace {

bool parse_flag(std::string_view text, bool& out) {
  out = text == "true";
  return out || text == "false";
}

bool parse_instant(std::string_view text, Nanos& out) {
  const std::optional<Nanos> time = parse_rfc3339(text);
  if (!time || !is_time_in_range(*time)) return false;
  out = *time;
  return true;
}

bool parse_lingering(std::string_view text, Nanos& out) {
  const std::optional<Nanos> duration = parse_go_duration(text);
  if (!duration || !is_duration_in_range(*duration)) return false;
  out = *duration;
  return true;
}

// What a cell sets. False: the cell is none of its column.
template <class Row>
struct Column {
  std::string_view title;
  bool (*set)(Row& row, std::string_view cell);
};

template <class Row, auto member>
bool set_text(Row& row, std::string_view cell) {
  row.*member = cell;
  return true;
}
template <class Row, auto member>
bool set_level(Row& row, std::string_view cell) {
  row.*member = cell;
  return cell.find_first_of(" \t>|`$") == cell.npos;  // not what stands before a row that was copied
}
template <class Row, auto member>
bool set_number(Row& row, std::string_view cell) {
  if (cell == kNone) row.*member = kNotDumped;
  return cell == kNone || (read_integer(cell, row.*member) && is_dump_number(row.*member));
}
template <class Row, auto member>
bool set_count(Row& row, std::string_view cell) {
  return cell == kNone || (read_integer(cell, (row.*member).emplace()) && is_dump_number(*(row.*member)));
}
template <class Row, auto member>
bool set_flag(Row& row, std::string_view cell) {
  return cell == kNone || parse_flag(cell, row.*member);
}
template <class Row, auto member>
bool set_work(Row& row, std::string_view cell) {
  return parse_work(cell, row.*member);
}

constexpr Column<LevelDump> kLevelColumns[] = {
    {"PriorityLevelName", set_level<LevelDump, &LevelDump::name>},
    {"ActiveQueues", set_number<LevelDump, &LevelDump::active_queues>},
    {"IsIdle", set_flag<LevelDump, &LevelDump::idle>},
    {"IsQuiescing", set_flag<LevelDump, &LevelDump::quiescing>},
    {"WaitingRequests", set_number<LevelDump, &LevelDump::waiting>},
    {"ExecutingRequests", set_number<LevelDump, &LevelDump::executing>},
    {"DispatchedRequests", set_count<LevelDump, &LevelDump::dispatched>},
    {"RejectedRequests", set_count<LevelDump, &LevelDump::rejected>},
    {"TimedoutRequests", set_count<LevelDump, &LevelDump::timed_out>},
    {"CancelledRequests", set_count<LevelDump, &LevelDump::cancelled>},
};

constexpr Column<QueueDump> kQueueColumns[] = {
    {"PriorityLevelName", set_level<QueueDump, &QueueDump::level>},
    {"Index", set_number<QueueDump, &QueueDump::index>},
    {"PendingRequests", set_number<QueueDump, &QueueDump::waiting>},
    {"ExecutingRequests", set_number<QueueDump, &QueueDump::executing>},
    {"SeatsInUse", set_number<QueueDump, &QueueDump::seats>},
    {"NextDispatchR", set_work<QueueDump, &QueueDump::next_dispatch_r>},
    {"InitialSeatsSum", set_number<QueueDump, &QueueDump::initial_seats>},
    {"MaxSeatsSum", set_number<QueueDump, &QueueDump::max_seats>},
    {"TotalWorkSum", set_work<QueueDump, &QueueDump::total_work>},
};

constexpr std::string_view kDistinguisher = "FlowDistingsher", kUser = "UserName", kPath = "APIPath";

constexpr Column<RequestDump> kRequestColumns[] = {
    {"PriorityLevelName", set_level<RequestDump, &RequestDump::level>},
    {"FlowSchemaName", set_text<RequestDump, &RequestDump::flow_schema>},
    {"QueueIndex", set_number<RequestDump, &RequestDump::queue>},
    {"RequestIndexInQueue", set_number<RequestDump, &RequestDump::index>},
    {kDistinguisher, set_text<RequestDump, &RequestDump::distinguisher>},
    {"ArriveTime", [](RequestDump& row, std::string_view cell) { return parse_instant(cell, row.arrived); }},
    {"InitialSeats", set_number<RequestDump, &RequestDump::initial_seats>},
    {"FinalSeats", set_number<RequestDump, &RequestDump::final_seats>},
    {"AdditionalLatency",
     [](RequestDump& row, std::string_view cell) { return parse_lingering(cell, row.additional_latency); }},
    {"StartTime",
     [](RequestDump& row, std::string_view cell) {
       return cell.starts_with("0001-01-01T") || parse_instant(cell, row.started.emplace());
     }},
    {kUser, set_text<RequestDump, &RequestDump::user>},
    {"Verb", set_text<RequestDump, &RequestDump::verb>},
    {kPath, set_text<RequestDump, &RequestDump::path>},
    {"Namespace", set_text<RequestDump, &RequestDump::ns>},
    {"Name", set_text<RequestDump, &RequestDump::name>},
    {"APIVersion", set_text<RequestDump, &RequestDump::api_version>},
    {"Resource", set_text<RequestDump, &RequestDump::resource>},
    {"SubResource", set_text<RequestDump, &RequestDump::subresource>},
};

struct Table {
  std::vector<std::string_view> titles;
  std::size_t find(std::string_view title) const {
    return static_cast<std::size_t>(std::find(titles.begin(), titles.end(), title) - titles.begin());
  }
  bool has(std::string_view title) const { return find(title) < titles.size(); }
};

// The cells of a request by column: names may hold commas, which the server writes as they are. They are put together
// again by what follows them: the time of arrival, the path.
std::vector<std::string_view> request_cells(const Table& table, const Cells& cells) {
  const std::size_t flow = table.find(kDistinguisher), user = table.find(kUser), path = table.find(kPath);
  std::vector<std::string_view> out;
  std::size_t at = 0;
  while (at < cells.size() && out.size() < flow) out.push_back(cells[at++]);
  if (at >= cells.size()) return out;
  std::size_t arrived = at + 1;
  while (arrived < cells.size() && !parse_rfc3339(cells[arrived])) ++arrived;
  if (arrived == cells.size()) arrived = at + 1;
  out.push_back(cells.text(at, arrived));
  at = arrived;
  while (at < cells.size() && out.size() < user) out.push_back(cells[at++]);
  if (user == table.titles.size() || at >= cells.size()) return out;
  std::size_t slash = at + 2;
  while (slash < cells.size() && !cells[slash].starts_with('/')) ++slash;
  if (slash >= cells.size()) slash = std::min(at + 2, cells.size());
  const std::size_t verb = std::max(at + 1, slash - 1);
  out.push_back(cells.text(at, std::min(verb, cells.size())));
  if (verb < cells.size()) out.push_back(cells[verb]);
  const std::size_t behind = table.titles.size() - std::min(path + 1, table.titles.size());
  at = verb + 1;
  if (at < cells.size()) {
    const std::size_t end = cells.size() > behind + at + 1 ? cells.size() - behind : at + 1;
    out.push_back(cells.text(at, end));
    at = end;
  }
  while (at < cells.size()) out.push_back(cells[at++]);
  return out;
}

// What is wrong with the row; empty if nothing is.
template <class Row, std::size_t kColumns>
std::string take(const Table& table, const std::vector<std::string_view>& cells, const Column<Row> (&columns)[kColumns],
                 std::size_t at_least, std::vector<Row>& out) {
  if (cells.size() < at_least)
    return fmt::format("this row has {} and its header {}",
                       cells.size() == 1 ? "1 column" : fmt::format("{} columns", cells.size()), table.titles.size());
  Row row;
  for (std::size_t i = 0; i < std::min(cells.size(), table.titles.size()); ++i)
    for (const Column<Row>& column : columns)
      if (column.title == table.titles[i] && !column.set(row, cells[i]))
        return fmt::format("'{}' is not a value of {}", cells[i], column.title);
  out.push_back(std::move(row));
  return {};
}

enum class Kind { none, levels, queues, requests };

Kind kind_of(const Table& table) {
  if (table.has("ActiveQueues")) return Kind::levels;
  if (table.has(kDistinguisher)) return Kind::requests;
  return table.has("PendingRequests") ? Kind::queues : Kind::none;
}

// The headers that servers have written, by which a piece of a dump without its header is read.
constexpr std::string_view kHeaders[] = {
    "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests",
    "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, "
    "RejectedRequests, TimedoutRequests, CancelledRequests",
    "PriorityLevelName, Index, PendingRequests, ExecutingRequests, VirtualStart",
    "PriorityLevelName, Index, PendingRequests, ExecutingRequests, SeatsInUse, NextDispatchR, InitialSeatsSum, "
    "MaxSeatsSum, TotalWorkSum",
    "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime",
    "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime, InitialSeats, "
    "FinalSeats, AdditionalLatency, StartTime",
    "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime, UserName, Verb, "
    "APIPath, Namespace, Name, APIVersion, Resource, SubResource",
    "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime, InitialSeats, "
    "FinalSeats, AdditionalLatency, StartTime, UserName, Verb, APIPath, Namespace, Name, APIVersion, Resource, "
    "SubResource",
};

Table table_of(std::string_view header) {
  Table out;
  const Cells cells = split_cells(header);
  for (std::size_t i = 0; i < cells.size(); ++i) out.titles.push_back(cells[i]);
  return out;
}

template <class Row, std::size_t kColumns>
bool fits(const Table& table, const std::vector<std::string_view>& cells, const Column<Row> (&columns)[kColumns]) {
  std::vector<Row> rows;
  return cells.size() == table.titles.size() && take(table, cells, columns, cells.size(), rows).empty() &&
         !cells[0].empty();
}

// The header that the row may have stood under, as nothing else in it is of another form; empty: there is none. Of
// several the one with most columns.
std::string_view header_of(const Cells& cells) {
  std::vector<std::string_view> row;
  for (std::size_t i = 0; i < cells.size(); ++i) row.push_back(cells[i]);
  if (row.size() > 1 && row.back().empty()) row.pop_back();
  const auto is_of = [&](const Table& table) {
    switch (kind_of(table)) {
      case Kind::levels:
        return fits(table, row, kLevelColumns);
      case Kind::queues:
        return fits(table, row, kQueueColumns);
      case Kind::requests:
        return fits(table, request_cells(table, cells), kRequestColumns);
      case Kind::none:
        break;
    }
    return false;
  };
  std::string_view out;
  std::size_t most = 0;
  for (const std::string_view header : kHeaders) {
    const Table table = table_of(header);
    if (table.titles.size() <= most || !is_of(table)) continue;
    out = header;
    most = table.titles.size();
  }
  return out;
}

class Reader {
 public:
  Reader(const std::string& name, ServerDump& dump) : name_(name), dump_(dump) {}

  void line(std::string_view text, std::size_t number) {
    const std::string_view row = trimmed(text);
    if (row.empty() || row.find_first_not_of('.') == row.npos) return;
    number_ = number;
    if (row.starts_with("PriorityLevelName")) {
      begin_table(row);
      return;
    }
    Cells cells = split_cells(text);
    // Until 1.25 a comma followed the last column, too.
    if (comma_at_end_ && cells.size() > 1 && cells[cells.size() - 1].empty()) cells.ends.pop_back();
    if (kind_ == Kind::none || piece_ == kind_)
      if (const std::string_view header = header_of(cells); !header.empty() && kind_of(table_of(header)) != kind_)
        begin_piece(header);
    const std::string fault =
        kind_ == Kind::none ? "no header of a dump (PriorityLevelName, ...) comes before this line" : take_row(cells);
    if (!fault.empty())
      faults_.push_back(fmt::format("{}:{}: {}; save the answer of the debug endpoint as it is", name_, number, fault));
  }
  bool found() const { return found_; }
  std::vector<std::string> faults() {
    end_piece();
    return std::move(faults_);
  }

 private:
  void end_piece() {
    if (piece_ == Kind::levels) drop_cut(dump_.levels, &LevelDump::name);
    if (piece_ == Kind::queues) drop_cut(dump_.queues, &QueueDump::level);
    if (piece_ == Kind::requests) drop_cut(dump_.requests, &RequestDump::level);
    piece_ = Kind::none;
  }

  void begin_table(std::string_view row) {
    end_piece();
    comma_at_end_ = row.ends_with(',');
    if (comma_at_end_) row.remove_suffix(1);
    const Cells cells = split_cells(row);
    table_.titles.clear();
    for (std::size_t i = 0; i < cells.size(); ++i) table_.titles.push_back(cells[i]);
    kind_ = kind_of(table_);
    if (kind_ == Kind::none)
      throw Error(
          fmt::format("{}:{}: these are not the columns of a dump that kube-apiserver writes: give the answer of "
                      "dump_priority_levels, dump_queues or dump_requests",
                      name_, number_));
    bool& has = kind_ == Kind::levels   ? dump_.has_levels
                : kind_ == Kind::queues ? dump_.has_queues
                                        : dump_.has_requests;
    const bool details = kind_ == Kind::requests && table_.has(kUser);
    // Requests with details say all that those without do.
    skips_ = kind_ == Kind::requests && has && details != dump_.has_details && dump_.has_details;
    if (kind_ == Kind::requests && has && details && !dump_.has_details) dump_.requests.clear(), has = false;
    if (has && !skips_)
      throw Error(fmt::format("{}:{}: this is a second dump of the {}; give those of one instant", name_, number_,
                              kind_ == Kind::levels   ? "priority levels"
                              : kind_ == Kind::queues ? "queues"
                                                      : "requests"));
    has = found_ = true;
    if (details) dump_.has_details = true;
  }

  void begin_piece(std::string_view header) {
    begin_table(header);
    piece_ = kind_;
    first_of_piece_ = number_;
    rows_before_ = kind_ == Kind::levels   ? dump_.levels.size()
                   : kind_ == Kind::queues ? dump_.queues.size()
                                           : dump_.requests.size();
    faults_.push_back(
        fmt::format("{}:{}: the header of this dump is missing: it is read as a piece of dump_{}, and what the rest "
                    "of it has is not counted",
                    name_, number_,
                    kind_ == Kind::levels   ? "priority_levels"
                    : kind_ == Kind::queues ? "queues"
                                            : "requests"));
  }

  // Of the first row of a piece the beginning may be missing: then its name is the end of another one's.
  template <class Row>
  void drop_cut(std::vector<Row>& rows, std::string Row::*level) {
    if (rows.size() <= rows_before_ + 1) return;
    const std::string name = rows[rows_before_].*level;
    bool cut = false;
    for (std::size_t i = rows_before_ + 1; i < rows.size(); ++i) {
      if (rows[i].*level == name) return;
      cut = cut || (rows[i].*level).ends_with(name);
    }
    if (!cut) return;
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(rows_before_));
    faults_.push_back(fmt::format("{}:{}: the beginning of this row is cut off ('{}'); it is left out", name_,
                                  first_of_piece_, name));
  }

  // Servers that write no seats give each request one (before 1.23).
  static void fill_seats(QueueDump& queue) {
    queue.seats = queue.executing;
    queue.initial_seats = queue.waiting;
    queue.max_seats = queue.waiting;
  }

  std::string take_row(const Cells& cells) {
    if (skips_) return {};
    std::vector<std::string_view> row;
    if (kind_ == Kind::requests) row = request_cells(table_, cells);
    else
      for (std::size_t i = 0; i < cells.size(); ++i) row.push_back(cells[i]);
    if (kind_ == Kind::levels) return take(table_, row, kLevelColumns, table_.titles.size(), dump_.levels);
    if (row.size() > 1 && row[1] == kNone) return {};  // a level without queues
    if (kind_ == Kind::queues) {
      const std::string fault = take(table_, row, kQueueColumns, table_.titles.size(), dump_.queues);
      if (fault.empty() && !table_.has("SeatsInUse")) fill_seats(dump_.queues.back());
      return fault;
    }
    // What the path leads to may be cut off: that of no resource has none.
    return take(table_, row, kRequestColumns, std::min(table_.titles.size(), table_.find(kPath) + 1), dump_.requests);
  }

  const std::string& name_;
  ServerDump& dump_;
  Table table_;
  Kind kind_ = Kind::none, piece_ = Kind::none;  // piece_: whose header is missing
  std::size_t first_of_piece_ = 0, rows_before_ = 0;
  bool comma_at_end_ = false, skips_ = false, found_ = false;
  std::size_t number_ = 1;
  std::vector<std::string> faults_;
};

// A row behind the mark of a quotation, or behind the number that cat -n writes.
std::string_view without_margin(std::string_view line) {
  while (line.starts_with("> ")) line.remove_prefix(2);
  const std::size_t number = line.find_first_not_of(' ');
  const std::size_t end = line.find_first_not_of("0123456789", std::min(number, line.size()));
  return end != line.npos && end > number && line[end] == '\t' ? line.substr(end + 1) : line;
}

}  // namespace

std::vector<std::string> read_dump(std::string_view given, const std::string& name, ServerDump& dump) {
  std::string kept;
  std::string_view text = inflated(given, name, kept);
  if (trimmed(text).starts_with('{')) {
    read_json_dump(text, name, dump);
    return {};
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Reader reader(name, dump);
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    reader.line(without_margin(text.substr(0, newline)), ++number);
    text.remove_prefix(newline == text.npos ? text.size() : newline + 1);
  }
  if (!reader.found())
    throw Error(name +
                " is not a dump of kube-apiserver: save the answer of kubectl get --raw "
                "/debug/api_priority_and_fairness/dump_priority_levels, dump_queues or dump_requests; a scrape of "
                "/metrics is given with --metrics");
  return reader.faults();
}

}  // namespace apf
