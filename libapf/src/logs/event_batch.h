// What reading one chunk comes to, for any use of its events: counts, notes of the server, times.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <apf/logs.h>

#include "logs/line_order.h"
#include "logs/log_event.h"
#include "logs/log_format.h"
#include "logs/origins.h"

namespace apf {

// A sentence of the server itself: ServerNote with a text of its own.
struct KeptNote {
  ServerNote::Kind kind = ServerNote::Kind::created;
  Nanos time = 0;
  std::string level;
  std::int64_t value = 0;
};

// Lines without a place in what is made of a log.
struct UnusableLines {
  std::uint64_t by_reason[static_cast<int>(Unusable::kCount)] = {};
  std::uint64_t lines = 0;
  std::vector<BadLines::Line> first;  // their texts are added when the chunk has been read

  void add(Unusable reason, std::uint64_t line) {
    ++by_reason[static_cast<int>(reason)];
    if (lines++ < BadLines::kMostFirst) first.push_back({line, to_string(reason), {}});
  }
};

// Answers 429 of an audit log, by their causes.
struct RefusalCounts {
  std::array<std::uint64_t, static_cast<std::size_t>(AnswerCause::kCount)> by_cause{};
  template <class Event>
  void count(const Event& event) {
    if (event.code == 429 && !event.http && event.stage >= Stage::response_complete)
      ++by_cause[static_cast<std::size_t>(event.cause)];
  }
  void add(const RefusalCounts& other) {
    for (std::size_t i = 0; i < by_cause.size(); ++i) by_cause[i] += other.by_cause[i];
  }
  void remove(const RefusalCounts& other) {
    for (std::size_t i = 0; i < by_cause.size(); ++i) by_cause[i] -= std::min(by_cause[i], other.by_cause[i]);
  }
};

// Errors and warnings of the server's flow controller. What follows the first colon differs from line to line.
struct TroubleCounts {
  struct Row {
    std::string words;  // of the first
    std::uint64_t count = 0;
    Nanos first = 0;
  };
  static constexpr std::size_t kMostRows = 8;  // the last of them is for all other kinds
  std::vector<Row> rows;

  void add(const Row& more) {
    const auto kind = [](const Row& row) { return std::string_view(row.words).substr(0, row.words.find(':')); };
    const auto same = [&](const Row& row) { return kind(row) == kind(more); };
    auto row = std::find_if(rows.begin(), rows.end(), same);
    if (row == rows.end()) {
      if (rows.size() < kMostRows) {
        rows.push_back(more);
        return;
      }
      row = rows.end() - 1;
      row->words = "other errors and warnings of the flow controller";
    }
    row->count += more.count;
    row->first = std::min(row->first, more.first);
  }
};

struct EventBatch {
  std::vector<KeptNote> notes;
  UnusableLines unusable;
  // Which process or server wrote the events, one entry where it changes: of audit events (even) and of lines of klog
  // (odd), which say it differently, each for itself.
  std::vector<std::uint32_t> origins;
  std::uint32_t last_origin[2] = {0, 0};
  std::vector<std::uint32_t> renewals;  // servers that renewed their own leases, one entry where it is another one
  std::uint64_t lines = 0;
  std::uint64_t other_lines = 0;  // of the server's log, about no request
  RefusalCounts refusals;
  std::uint64_t implied_groups = 0;  // events whose groups are what follows from the user's name
  std::uint32_t file = 0;            // index into the source's names
  LogFormat format = kAnyFormat;     // of the chunk
  const char* label = "";            // the same
  LineOrder order;                   // of the events, by when they were written

  void clear() {
    notes.clear();
    unusable = {};
    origins.clear();
    renewals.clear();
    refusals = {};
    last_origin[0] = last_origin[1] = 0;
    lines = other_lines = implied_groups = 0;
    order = {};
  }
  bool has_events() const { return !order.empty() || !notes.empty(); }
  void note_origin(std::uint32_t origin) {
    constexpr std::size_t kMost = 1024;
    std::uint32_t& last = last_origin[origin & 1];
    if (origin == 0 || origin == last || origins.size() == kMost) return;
    origins.push_back(last = origin);
  }
  // Of an update of a lease.
  void note_renewal(const LogEvent& event) {
    const std::uint32_t server = server_of_lease(event.uri, event.user_agent);
    if (server != 0 && (renewals.empty() || renewals.back() != server)) renewals.push_back(server);
  }
};

}  // namespace apf
