#include "replay/books/culprit_book.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace apf {

namespace {

// Less is what sums of fractions leave over.
constexpr double kNoRefusal = 1e-6;

}  // namespace

void CulpritBook::Holder::add_timed_out(Nanos dispatch, Nanos end) {
  first_of_those = timed_out_running++ == 0 ? dispatch : std::min(first_of_those, dispatch);
  last_of_those = std::max(last_of_those, end);
}

void CulpritBook::on_refuse(const LiveRequest& request, Outcome outcome) {
  if (!request.in_report) return;
  const Parties of = parties(request);
  const bool late = outcome == Outcome::time_out;
  ++of.level.refused;
  of.level.timed_out_waiting += late;
  for (Holder* holder : of.holders) {
    ++holder->refused;
    holder->timed_out_waiting += late;
    if (of.level.seats > 0) holder->own_refusals += static_cast<double>(holder->seats) / of.level.seats;
  }
  if (of.level.seats > 0) of.level.refusals_per_seat += 1.0 / of.level.seats;
}

void CulpritBook::fill(ReplayReport& report, const std::vector<FlowReport>& flows, const NumberTables& numbers,
                       int most) const {
  const auto make = [&](Holder holder) {
    const Level& of = levels_[holder.level];
    settle(holder, of);
    CulpritReport out;
    out.seat_seconds = holder.seat_seconds;
    out.level_seat_seconds = of.seat_seconds;
    out.refusals_own = holder.own_refusals;
    const double others = holder.refusals - holder.own_refusals;
    out.refusals_others = others < kNoRefusal ? 0 : others;
    out.refused = holder.refused;
    out.level_refused = of.refused;
    out.timed_out_running = holder.timed_out_running;
    const double minutes = static_cast<double>(holder.last_of_those - holder.first_of_those) / 60e9;
    if (minutes > 0) out.timed_out_running_per_minute = static_cast<double>(holder.timed_out_running) / minutes;
    out.others_timed_out_waiting = of.timed_out_waiting - holder.timed_out_waiting;
    return out;
  };
  const auto keep_most = [&](std::vector<CulpritReport>& all) {
    const auto name = [](const CulpritReport& c) {
      return std::tie(c.flow_schema, c.distinguisher, c.user, c.user_agent, c.verb, c.resource);
    };
    std::sort(all.begin(), all.end(), [&](const CulpritReport& a, const CulpritReport& b) {
      const double x = a.refusals_others + a.refusals_own, y = b.refusals_others + b.refusals_own;
      if (x != y) return x > y;
      if (a.seat_seconds != b.seat_seconds) return a.seat_seconds > b.seat_seconds;
      return name(a) < name(b);
    });
    std::map<std::string, int> kept;
    std::erase_if(all, [&](const CulpritReport& c) { return ++kept[c.priority_level] > most; });
  };
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    if (!flows_[i].used || flows_[i].seat_seconds <= 0) continue;
    CulpritReport out = make(flows_[i]);
    out.by = CulpritReport::By::flow;
    out.priority_level = flows[i].priority_level;
    out.flow_schema = flows[i].flow_schema;
    out.distinguisher = flows[i].distinguisher;
    out.user = flows[i].user;
    report.culprit_flows.push_back(std::move(out));
  }
  // A level's name is that of its flows.
  std::map<std::uint32_t, std::string> names;
  for (std::size_t i = 0; i < flows_.size(); ++i)
    if (flows_[i].used) names.emplace(flows_[i].level, flows[i].priority_level);
  // `name(report, i)`: says whose the i-th holder of a level is.
  const auto add = [&](std::vector<Holder> Level::*holders, std::vector<CulpritReport>& to, auto name) {
    for (std::uint32_t id = 0; id < levels_.size(); ++id) {
      const std::vector<Holder>& all = levels_[id].*holders;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (!all[i].used || all[i].seat_seconds <= 0) continue;
        CulpritReport& out = to.emplace_back(make(all[i]));
        out.priority_level = names[id];
        name(out, i);
      }
    }
  };
  add(&Level::agents, report.culprit_agents, [&](CulpritReport& out, std::size_t i) {
    if (i < numbers.agents.size()) out.user_agent = numbers.agents[i];
  });
  add(&Level::services, report.culprit_requests, [&](CulpritReport& out, std::size_t i) {
    out.by = CulpritReport::By::request;
    const auto service = numbers.services.find(service_keys_[i]);
    if (service == numbers.services.end()) return;
    out.verb = service->second.verb;
    out.resource = service->second.resource;
  });
  keep_most(report.culprit_flows);
  keep_most(report.culprit_agents);
  keep_most(report.culprit_requests);
}

}  // namespace apf
