// Systems side by side.
#include <apf/output.h>
#include <apf/replays_report.h>
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/sort_stably.h"
#include "report/core/remarks.h"
#include "report/core/units.h"
#include "report/core/writers.h"
#include "report/replay/stages.h"

namespace apf {

namespace {

using Remarks = std::vector<Remark> ReplayReport::*;

// What one system did to the requests of one user.
struct UserFigures {
  std::uint64_t delayed = 0, refused = 0;
  double delay_sum = 0;
};

const StageReport* stage_of(const SystemsTable& table, std::size_t system) {
  for (const StageReport& stage : table.systems[system].stages)
    if (stage.stage == table.stages[system]) return &stage;
  return nullptr;
}

Passage outcomes_of(const SystemsTable& table) {
  Table out;
  out.left("SYSTEM")
      .right("SEEN")
      .right("BYPASSED")
      .drop(2)
      .right("PASSED")
      .drop(4)
      .right("DELAYED")
      .right("P50")
      .drop(3)
      .right("P99")
      .right("MAX");
  out.right("REFUSED").right("").left("WHY").drop(1);
  for (std::size_t i = 0; i < table.systems.size(); ++i) {
    const StageReport* stage = stage_of(table, i);
    if (!stage) continue;
    using Stage = const StageReport&;
    const Versions<StageReport> versions = versions_of(*stage, table.systems[i]);
    std::vector<Table::Cell> row = {{printable(table.systems[i].server), Tone::strong, {}, true},
                                    count_cell(versions.range([](Stage s) { return s.seen(); }), Tone::plain),
                                    count_cell(versions.range([](Stage s) { return s.bypassed; }), Tone::plain),
                                    count_cell(versions.range([](Stage s) { return s.passed; }), Tone::plain),
                                    count_cell(versions.range([](Stage s) { return s.delayed; }), Tone::caution)};
    for (const double q : {0.5, 0.99, 1.0}) row.push_back(delay_cell(versions, q));
    const auto refused = versions.range([](Stage s) { return s.refused; });
    row.push_back(count_cell(refused, Tone::bad));
    row.push_back({share_text(versions.range([](Stage s) {
                     return Share{s.refused, s.seen()};
                   })),
                   refused.high == 0 ? Tone::faint : Tone::bad,
                   {}});
    const std::string why = reasons_text(versions);
    row.push_back({why.empty() ? "-" : why, why.empty() ? Tone::faint : Tone::plain, {}});
    out.row(std::move(row));
  }
  Passage passage("What each system alone would have done");
  passage.show(std::move(out));
  passage.explain({{{"BYPASSED"}, "requests that the system doesn't limit."},
                   {{"P50", "P99", "MAX"}, "how long delayed requests waited, in the client or in a queue."}});
  return passage;
}

using Users = std::map<std::string, std::vector<UserFigures>>;  // by user; each by system

Users users_of(const SystemsTable& table) {
  Users users;
  for (std::size_t i = 0; i < table.systems.size(); ++i) {
    const StageReport* stage = stage_of(table, i);
    if (!stage) continue;
    const auto at = [&](const RequesterReport& r) -> UserFigures& {
      auto& systems = users[r.user];
      systems.resize(table.systems.size());
      return systems[i];
    };
    for (const RequesterReport& r : stage->delayed_most) {
      UserFigures& figures = at(r);
      figures.delayed += r.delayed;
      figures.delay_sum += r.delay_sum;
    }
    for (const RequesterReport& r : stage->refused_most) at(r).refused += r.refused;
  }
  return users;
}

Passage whom_of(const SystemsTable& table) {
  const Users users = users_of(table);
  std::vector<std::pair<std::uint64_t, const Users::value_type*>> ranked;
  for (const auto& user : users) {
    std::uint64_t hit = 0;
    for (const UserFigures& figures : user.second) hit += figures.refused + figures.delayed;
    if (hit > 0) ranked.emplace_back(hit, &user);
  }
  sort_stably(ranked, [](const auto& a, const auto& b) { return a.first > b.first; });
  Passage passage(fmt::format("Users affected most (of {})", grouped(ranked.size())));
  if (ranked.empty()) return passage;
  if (ranked.size() > static_cast<std::size_t>(std::max(table.top, 0)))
    ranked.resize(static_cast<std::size_t>(std::max(table.top, 0)));
  Table out;
  out.left("USER", 16).left("SYSTEM").right("REFUSED").right("DELAYED").right("MEAN");
  for (const auto& [hit, user] : ranked) {
    bool first = true;
    for (std::size_t i = 0; i < user->second.size(); ++i) {
      const UserFigures& figures = user->second[i];
      if (figures.refused + figures.delayed == 0) continue;
      Table::Cell name;
      if (first)
        name = {user->first.empty() ? "(unknown)" : printable(user->first), Tone::strong, {}, !user->first.empty()};
      first = false;
      out.row({name,
               {printable(table.systems[i].server), Tone::plain, {}, true},
               {grouped(figures.refused), figures.refused == 0 ? Tone::faint : Tone::bad, {}},
               {grouped(figures.delayed), figures.delayed == 0 ? Tone::faint : Tone::caution, {}},
               {figures.delayed == 0 ? "-" : delay_text(figures.delay_sum / static_cast<double>(figures.delayed)),
                figures.delayed == 0 ? Tone::faint : Tone::plain,
                {}}});
    }
  }
  passage.show(std::move(out));
  passage.explain("DELAYED, MEAN: requests that waited, and how long on average.");
  return passage;
}

// A remark of some of the systems, or of all: then `systems` is empty.
struct SystemsRemark {
  Remark remark;
  std::vector<std::string> systems;
};

std::vector<SystemsRemark> remarks_of(const SystemsTable& table, Remarks of) {
  std::vector<SystemsRemark> out;
  for (const ReplayReport& system : table.systems) {
    for (const Remark& remark : system.*of) {
      auto at =
          std::find_if(out.begin(), out.end(), [&](const SystemsRemark& known) { return known.remark == remark; });
      if (at == out.end()) at = out.insert(out.end(), {remark, {}});
      at->systems.push_back(system.server);
    }
  }
  for (SystemsRemark& entry : out)
    if (entry.systems.size() == table.systems.size()) entry.systems.clear();
  return out;
}

void write_remarks(JsonWriter& json, const char* key, const std::vector<SystemsRemark>& remarks) {
  json.key(key).begin_array();
  for (const SystemsRemark& entry : remarks) {
    json.begin_object();
    write_remark_fields(json, entry.remark);
    if (!entry.systems.empty()) {
      json.key("systems").begin_array();
      for (const std::string& system : entry.systems) json.value(system);
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
}

// Each once; in front, the systems it is of unless it is of all.
std::vector<std::string> systems_texts(const SystemsTable& table, Remarks of) {
  std::vector<std::string> texts;
  for (const SystemsRemark& entry : remarks_of(table, of)) {
    if (entry.remark.kind == RemarkKind::seats_assumed) continue;  // said above
    std::string names;
    for (const std::string& system : entry.systems) names += (names.empty() ? "" : ", ") + system;
    texts.push_back((names.empty() ? "" : names + ": ") + render_text(entry.remark));
  }
  return texts;
}

}  // namespace

Document document_of(const SystemsTable& table, const ReportFrame& frame, const View& view) {
  const ReplayReport& any = table.systems.front();
  Document out("Replay of " + log_names(any.logs) + ", once for each system");
  std::string span = "no requests";
  if (any.first_arrival && any.last_arrival)
    span = fmt::format("{} in {}, from {}", counted(any.requests, "request", "requests"),
                       human_duration(*any.last_arrival - *any.first_arrival),
                       first_in_words(*any.first_arrival, any.warnings));
  Passage& head = out.section(out.title).begins_report();
  head.say(span, Tone::plain, 2);
  if (view.notation != Notation::text && !frame.configuration.empty())
    head.say("Configuration: " + frame.configuration);
  out.add(expectations_passage(frame.expectations, view));
  out.add(outcomes_of(table));
  out.add(whom_of(table));
  out.section("Assumptions").folded().list(systems_texts(table, &ReplayReport::assumptions));
  out.section("Warnings").folded().list(systems_texts(table, &ReplayReport::warnings));
  return out;
}

std::string render_json(const SystemsTable& table) {
  JsonWriter json;
  const ReplayReport& any = table.systems.front();
  json.begin_object().key("logs").begin_array();
  for (const std::string& log : any.logs) json.value(log);
  json.end_array().field("requests", any.requests).key("firstArrivalNs");
  any.first_arrival ? json.value(*any.first_arrival) : json.null();
  json.key("lastArrivalNs");
  any.last_arrival ? json.value(*any.last_arrival) : json.null();
  json.key("systems").begin_array();
  for (std::size_t i = 0; i < table.systems.size(); ++i) {
    const StageReport* stage = stage_of(table, i);
    if (!stage) continue;
    json.begin_object().field("name", table.systems[i].server);
    write_stage(json, versions_of(*stage, table.systems[i]), std::max(table.top, 0));
    json.end_object();
  }
  json.end_array();
  write_remarks(json, "assumptions", remarks_of(table, &ReplayReport::assumptions));
  write_remarks(json, "warnings", remarks_of(table, &ReplayReport::warnings));
  json.end_object();
  return json.take();
}

}  // namespace apf
