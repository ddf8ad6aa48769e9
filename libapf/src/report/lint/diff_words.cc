#include "report/lint/diff_words.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <apf/findings_report.h>
#include <fmt/core.h>

#include "base/joined.h"
#include "report/core/units.h"
#include "report/lint/limits_report.h"
#include "schedule/level_state.h"

namespace apf {

namespace {

std::string change_words(std::int64_t before, std::int64_t after) {
  if (before == 0) return after > 0 ? "new" : "";
  const double percent = 100.0 * static_cast<double>(after - before) / static_cast<double>(before);
  if (std::abs(percent) < 0.95) return fmt::format("{:+.1f} %", percent);
  return fmt::format("{:+.0f} %", percent);
}

const char* type_of(const LevelLimits& level) { return level.exempt ? "exempt" : level.reject ? "reject" : "queue"; }

// One row for each number that differs.
class LimitsRows {
 public:
  LimitsRows(const ConfigDiff& diff, Table& out) : diff_(diff), out_(out) {}

  void add(const LimitsChange& change) {
    name_ = change.priority_level;
    const LevelLimits none;
    const LevelLimits &a = change.old_limits ? *change.old_limits : none,
                      &b = change.new_limits ? *change.new_limits : none;
    if (!change.old_limits) row("level", "-", "new", "", Tone::plain, "");
    if (!change.new_limits)
      row("level", "there", "gone", "", Tone::caution, "it lingers with its shares until its requests are done");
    if (change.old_limits && change.new_limits && std::string_view(type_of(a)) != type_of(b))
      row("type", type_of(a), type_of(b), "", Tone::caution, "");
    const bool both = change.old_limits && change.new_limits;
    number("nominal", a.nominal_cl, b.nominal_cl, why_nominal(change), true);
    number("lends", a.lendable_cl, b.lendable_cl, "", false);
    number("min", a.min_cl, b.min_cl, both ? "nominal - lends" : "", true);
    if (!(a.exempt || b.exempt)) {
      number("borrows", a.borrowing_cl, b.borrowing_cl, "", true);
      number("max", a.max_cl, b.max_cl, both ? "nominal + borrows" : "", true);
    }
    if (!(a.exempt && b.exempt))
      number("start", a.initial_cl, b.initial_cl, both ? "the limit of a server that just started" : "", true);
    number("queues", a.queues, b.queues, "", true);
    number("hand", a.hand_size, b.hand_size, "", true);
    number("queue length", a.queue_length_limit, b.queue_length_limit, "", true);
    number("widest request", a.max_seats, b.max_seats, "", true);
  }

 private:
  void row(const char* what, std::string before, std::string after, std::string change, Tone tone, std::string why) {
    out_.row({{printable(name_), Tone::strong, {}, !name_.empty()},
              {what, Tone::plain, {}},
              {std::move(before), Tone::plain, {}},
              {std::move(after), tone, {}},
              {std::move(change), tone, {}},
              {std::move(why), Tone::faint, {}}});
    name_.clear();  // once
  }
  void number(const char* what, int before, int after, std::string why, bool less_is_bad) {
    if (before == after) return;
    const Tone tone = after < before && less_is_bad ? Tone::caution : Tone::plain;
    row(what, grouped(before), grouped(after), change_words(before, after), tone, std::move(why));
  }
  std::string why_nominal(const LimitsChange& change) const {
    const auto arithmetic = [](const LevelLimits& level, const LimitsTable& table) {
      return fmt::format("{}/{} × {}", level.nominal_concurrency_shares, table.share_sum,
                         table.server_concurrency_limit);
    };
    const std::string before = change.old_limits ? arithmetic(*change.old_limits, diff_.old_limits) : "",
                      after = change.new_limits ? arithmetic(*change.new_limits, diff_.new_limits) : "";
    return before.empty() ? after : after.empty() ? before : before + " → " + after;
  }

  const ConfigDiff& diff_;
  Table& out_;
  std::string name_;
};

// The level itself is written otherwise, and has not only other seats because of others' shares.
bool is_own(const LimitsChange& change) {
  if (!change.old_limits || !change.new_limits) return true;
  const LevelLimits &a = *change.old_limits, &b = *change.new_limits;
  return std::string_view(type_of(a)) != type_of(b) || a.nominal_concurrency_shares != b.nominal_concurrency_shares ||
         a.queues != b.queues || a.hand_size != b.hand_size || a.queue_length_limit != b.queue_length_limit;
}

std::string listed(const std::vector<std::string>& names) { return joined_first(names, 5); }

}  // namespace

std::string diff_verdict(const ConfigDiff& diff) {
  if (diff.equal() && !diff.complete) return "Not decided: nothing that was looked at changes.";
  if (diff.equal()) {
    return diff.schemas.empty()
               ? "Nothing changes."
               : "Equal in effect: every request keeps its FlowSchema and level, every level its seats and queues.";
  }
  std::vector<std::string> parts;
  const GroupedRegions regions = grouped_regions(diff);
  if (!regions.moved.empty())
    parts.push_back(counted(regions.moved.size(), "region of requests moves", "regions of requests move"));
  else parts.emplace_back("no request moves");
  if (!regions.renamed.empty()) parts.push_back(counted(regions.renamed.size(), "rename", "renames"));
  if (!diff.limits.empty()) parts.push_back(counted(diff.limits.size(), "level changes", "levels change"));
  std::set<std::string> dealt;
  for (const FlowChange& change : diff.flows) dealt.insert(change.flow_schema);
  if (!dealt.empty())
    parts.push_back(
        counted(dealt.size(), "FlowSchema gets other flows or hands", "FlowSchemas get other flows or hands"));
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : "; ") + part;
  if (out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out + ".";
}

std::vector<std::string> diff_alarms(const ConfigDiff& diff) {
  std::vector<std::string> out, places, shrunk;
  for (const MovedRegion& region : diff.regions) {
    if (!region.system || region.renamed) continue;
    const std::string words = region.from.flow_schema + " → " + region.to.flow_schema;
    if (std::find(places.begin(), places.end(), words) == places.end()) places.push_back(words);
  }
  if (!places.empty()) out.push_back("System traffic moves: " + listed(places) + ".");
  for (const LimitsChange& change : diff.limits) {
    static const std::set<std::string> kProtected = {"system", "node-high", "leader-election", "workload-high"};
    if (!kProtected.contains(change.priority_level) || !change.old_limits) continue;
    const int before = change.old_limits->nominal_cl, after = change.new_limits ? change.new_limits->nominal_cl : 0;
    if (after < before) shrunk.push_back(fmt::format("{} {} → {} seats", change.priority_level, before, after));
  }
  if (!shrunk.empty()) out.push_back("Levels that protect the cluster shrink: " + listed(shrunk) + ".");
  if (diff.one_group_each && !diff.regions.empty())
    out.emplace_back("With so many groups, a region may have users of further groups whose requests go elsewhere.");
  if (!diff.complete)
    out.emplace_back("There are too many groups or pieces of regions to look at all: regions may be missing.");
  return out;
}

std::string places_words(const RequestPlace& from, const RequestPlace& to) {
  const std::string levels = from.priority_level == to.priority_level ? "the same level, " + from.priority_level
                                                                      : from.priority_level + " → " + to.priority_level;
  const std::string schemas =
      from.flow_schema == to.flow_schema ? from.flow_schema : from.flow_schema + " → " + to.flow_schema;
  return schemas + " (" + levels + ")";
}

GroupedRegions grouped_regions(const ConfigDiff& diff) {
  GroupedRegions out;
  for (const MovedRegion& region : diff.regions) {
    if (!region.renamed) {
      out.moved.push_back(&region);
      continue;
    }
    std::string sentence;
    if (region.from.flow_schema != region.to.flow_schema) {
      sentence = fmt::format(
          "FlowSchema {} is renamed {}: the same requests, {}", region.from.flow_schema, region.to.flow_schema,
          region.from.priority_level == region.to.priority_level ? "the same level" : "a level that is also renamed");
    } else {
      sentence = fmt::format("priority level {} is renamed {}: the same requests, the same seats and queues",
                             region.from.priority_level, region.to.priority_level);
    }
    if (std::find(out.renamed.begin(), out.renamed.end(), sentence) == out.renamed.end())
      out.renamed.push_back(std::move(sentence));
  }
  return out;
}

std::vector<std::string> schema_sentences(const ConfigDiff& diff) {
  std::vector<std::string> out;
  for (const SchemaChange& change : diff.schemas) {
    if (change.what == SchemaChange::What::renamed) continue;
    const char* moves =
        change.what == SchemaChange::What::changed ? "the same requests, the same level" : "no request moves";
    const char* what = change.what == SchemaChange::What::added     ? "is new"
                       : change.what == SchemaChange::What::removed ? "is gone"
                                                                    : "is written otherwise";
    if (change.moves && change.what == SchemaChange::What::changed) continue;
    out.push_back(fmt::format("{} {}{}{}", change.name, what, change.moves ? "" : ": ", change.moves ? "" : moves));
  }
  return out;
}

std::vector<std::string> maintenance_sentences(const ConfigDiff& diff) {
  std::vector<std::string> out;
  for (const Maintained& object : diff.new_side.maintained) {
    const bool deleted = object.what == Maintained::What::deleted, created = object.what == Maintained::What::created;
    std::string sentence = fmt::format("it {} {} {}",
                                       deleted   ? "deletes"
                                       : created ? "creates"
                                                 : "restores",
                                       object.kind, object.name);
    if (deleted) sentence += ", which it does not build in";
    if (!object.changes.empty()) sentence += " (" + object.changes + ")";
    if (!object.managers.empty()) sentence += fmt::format("; {} wrote its spec", joined(object.managers, " and "));
    out.push_back(std::move(sentence));
  }
  return out;
}

std::vector<std::string> flow_sentences(const ConfigDiff& diff) {
  std::vector<std::string> out;
  for (const FlowChange& change : diff.flows) {
    if (change.what == FlowChange::What::distinguisher) {
      const auto words = [](const std::string& text) {
        return text.empty() ? std::string("not at all") : text == "none" ? "as one flow" : text;
      };
      out.push_back(fmt::format("{} distinguishes its flows otherwise: {} → {}", change.flow_schema,
                                words(change.old_text), words(change.new_text)));
    } else {
      out.push_back(fmt::format("every flow of {} gets another hand ({} → {})", change.flow_schema, change.old_text,
                                change.new_text));
    }
  }
  return out;
}

std::vector<std::string> limits_reasons(const ConfigDiff& diff) {
  std::vector<std::string> out;
  if (diff.limits.empty()) return out;
  const LimitsTable &a = diff.old_limits, &b = diff.new_limits;
  if (diff.old_side.version != diff.new_side.version)
    out.push_back(fmt::format("Kubernetes {} → {}", diff.old_side.version.str(), diff.new_side.version.str()));
  if (a.server_concurrency_limit != b.server_concurrency_limit) {
    out.push_back(fmt::format("the server's seats {} → {}", grouped(a.server_concurrency_limit),
                              grouped(b.server_concurrency_limit)));
  }
  if (a.share_sum != b.share_sum) {
    out.push_back(fmt::format("sum of shares {} → {}: one share is {} → {} seats", a.share_sum, b.share_sum,
                              decimals(static_cast<double>(a.server_concurrency_limit) /
                                           static_cast<double>(std::max<std::int64_t>(a.share_sum, 1)),
                                       2),
                              decimals(static_cast<double>(b.server_concurrency_limit) /
                                           static_cast<double>(std::max<std::int64_t>(b.share_sum, 1)),
                                       2)));
  }
  for (const LevelLimits& level : b.levels) {
    const LevelLimits* before = find_level(a, level.name);
    if (before && before->nominal_concurrency_shares != level.nominal_concurrency_shares) {
      out.push_back(fmt::format("shares of {} {} → {}", level.name, before->nominal_concurrency_shares,
                                level.nominal_concurrency_shares));
    }
  }
  return out;
}

Table limits_table(const ConfigDiff& diff) {
  Table out;
  out.left("LEVEL", 12).left("LIMIT").right("OLD").right("NEW").right("CHANGE").left("WHY", 12);
  LimitsRows rows(diff, out);
  // The levels that were changed, then those whose seats follow from them.
  for (const bool own : {true, false})
    for (const LimitsChange& change : diff.limits)
      if (is_own(change) == own) rows.add(change);
  return out;
}

}  // namespace apf
