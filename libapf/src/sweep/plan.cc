// A plan of a sweep: its keys, each with its reader.
#include <apf/sweep.h>

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "sweep/plan_flags.h"

namespace apf {

namespace {

constexpr std::size_t kMostLogs = 100'000;
constexpr std::size_t kMostChoices = 1'000;  // configurations, sets of flags, seeds
constexpr std::size_t kMostOfALog = 10'000;  // replays

class PlanReader {
 public:
  PlanReader(SweepPlan& plan, Faults& faults) : plan_(plan), faults_(faults) {}

  void read(const ConfigNode& root);

 private:
  void read_logs(const ConfigNode* node, const ConfigNode& root);
  void read_log(const ConfigNode& node);
  void read_configurations(const ConfigNode* node, const ConfigNode& root);
  void read_flag_sets(const ConfigNode& node, bool has_recorded);
  void read_seeds(const ConfigNode& node);
  void read_recorded(const ConfigNode& node);
  bool is_list(const char* key, const ConfigNode& node, std::size_t most, const char* what);

  SweepPlan& plan_;
  Faults& faults_;
  std::set<std::string> log_names_, configuration_names_;
};

bool PlanReader::is_list(const char* key, const ConfigNode& node, std::size_t most, const char* what) {
  if (!node.is_sequence() || node.items().empty()) {
    faults_.add(node, fmt::format("{}: expected a list of {}, found {}", key, what,
                                  node.is_sequence() ? "an empty one" : kind_of(node)));
    return false;
  }
  if (node.items().size() <= most) return true;
  faults_.add(node, fmt::format("{}: {} of them; there may be {}: divide the plan", key, node.items().size(), most));
  return false;
}

void PlanReader::read_logs(const ConfigNode* node, const ConfigNode& root) {
  if (!node) {
    faults_.add(root, "logs: a plan needs a list of logs, each a path, or a name with its files");
    return;
  }
  if (!is_list("logs", *node, kMostLogs, "logs")) return;
  for (const ConfigNode& item : node->items())
    if (!faults_.full()) read_log(item);
}

void PlanReader::read_log(const ConfigNode& node) {
  SweepLog log;
  log.span = node.span();
  if (node.is_scalar()) {
    const std::optional<std::string> path = text_of(faults_, "logs", node, "a path");
    if (!path) return;
    log.name = *path;
    if (!log_names_.insert(*path).second) {
      faults_.add(node, fmt::format("logs: \"{}\" is there twice: remove one", *path));
      return;
    }
    log.files = files_in(faults_, plan_.name, "logs", node);
  } else {
    const Fields fields(faults_, "a log", node, {"name", "files", "objects"});
    if (!node.is_mapping()) return;
    const std::optional<std::string> name = name_in(faults_, fields, node, "a log", log_names_);
    const ConfigNode* files = fields.get("files");
    if (files) log.files = files_in(faults_, plan_.name, "files", *files);
    else if (!fields.has_unknown()) faults_.add(node, "a log without files: name at least one");
    if (const ConfigNode* objects = fields.get("objects"))
      if (const auto path = text_of(faults_, "objects", *objects, "the path of a file of object counts"))
        log.objects = path_beside(plan_.name, *path);
    if (!name) return;
    log.name = *name;
  }
  plan_.logs.push_back(std::move(log));
}

void PlanReader::read_configurations(const ConfigNode* node, const ConfigNode& root) {
  if (!node) {
    faults_.add(root, "configurations: a plan needs a list of configurations, each a path, or a name with its files");
    return;
  }
  if (!is_list("configurations", *node, kMostChoices, "configurations")) return;
  for (const ConfigNode& item : node->items()) {
    SweepConfiguration configuration;
    if (item.is_scalar()) {
      const std::optional<std::string> path = text_of(faults_, "configurations", item, "a path");
      if (!path) continue;
      configuration.name = *path;
      if (!configuration_names_.insert(*path).second) {
        faults_.add(item, fmt::format("configurations: \"{}\" is there twice: remove one", *path));
        continue;
      }
      configuration.files = files_in(faults_, plan_.name, "configurations", item);
    } else {
      const Fields fields(faults_, "a configuration", item, {"name", "files"});
      if (!item.is_mapping()) continue;
      const std::optional<std::string> name = name_in(faults_, fields, item, "a configuration", configuration_names_);
      if (const ConfigNode* files = fields.get("files"))
        configuration.files = files_in(faults_, plan_.name, "files", *files);
      if (!name) continue;
      configuration.name = *name;
    }
    plan_.configurations.push_back(std::move(configuration));
  }
}

void PlanReader::read_flag_sets(const ConfigNode& node, bool has_recorded) {
  if (!is_list("flags", node, kMostChoices, "sets of flags")) return;
  FlagSetReader reader(faults_, plan_.name, has_recorded);
  for (const ConfigNode& item : node.items())
    for (SweepFlags& flags : reader.read(item)) plan_.flags.push_back(std::move(flags));
}

void PlanReader::read_seeds(const ConfigNode& node) {
  std::vector<std::uint64_t> seeds;
  if (!node.is_sequence()) {
    const std::optional<int> number = number_of(faults_, "seeds", node, 1, kMostChoices);
    for (int seed = 0; seed < number.value_or(0); ++seed) seeds.push_back(static_cast<std::uint64_t>(seed));
  } else if (is_list("seeds", node, kMostChoices, "whole numbers")) {
    for (const ConfigNode& item : node.items()) {
      const std::optional<int> seed = number_of(faults_, "seeds", item, 0, 1'000'000'000);
      if (!seed) continue;
      if (std::find(seeds.begin(), seeds.end(), static_cast<std::uint64_t>(*seed)) != seeds.end())
        faults_.add(item, fmt::format("seeds: {} is there twice: remove one", *seed));
      seeds.push_back(static_cast<std::uint64_t>(*seed));
    }
  }
  if (!seeds.empty()) plan_.seeds = std::move(seeds);
}

void PlanReader::read_recorded(const ConfigNode& node) {
  const Fields fields(faults_, "recorded", node, {"configuration", "flags"});
  if (!node.is_mapping()) return;
  SweepPlan::Recorded recorded;
  const auto find = [&](const char* key, const auto& list, std::size_t& into) {
    const ConfigNode* name = fields.get(key);
    if (!name) return;
    std::vector<std::string_view> names;
    for (const auto& entry : list) names.push_back(entry.name);
    const auto at = std::find(names.begin(), names.end(), name->text());
    if (at == names.end())
      faults_.add(*name, fmt::format("{}: the plan has none of the name \"{}\"{}", key, name->text(),
                                     suggested(name->text(), names)));
    else into = static_cast<std::size_t>(at - names.begin());
  };
  if (!fields.has("configuration") && !fields.has_unknown())
    faults_.add(node, "recorded: name the configuration of the plan that the servers ran when the logs were written");
  find("configuration", plan_.configurations, recorded.configuration);
  find("flags", plan_.flags, recorded.flags);
  if (recorded.flags < plan_.flags.size() && plan_.flags[recorded.flags].replay.in_flight)
    faults_.add(node, "recorded: API Priority and Fairness is off in these flags: name others");
  plan_.recorded = recorded;
}

void PlanReader::read(const ConfigNode& root) {
  const Fields fields(faults_, "a plan", root, names_of(plan_keys()));
  if (!root.is_mapping()) return;
  read_keys(faults_, fields, plan_keys(), plan_);
  read_logs(fields.get("logs"), root);
  read_configurations(fields.get("configurations"), root);
  if (const ConfigNode* node = fields.get("flags")) read_flag_sets(*node, fields.has("recorded"));
  else plan_.flags.emplace_back().name = "default";
  if (const ConfigNode* node = fields.get("seeds")) read_seeds(*node);
  if (const ConfigNode* node = fields.get("jitter")) {
    const std::string text = text_of(faults_, "jitter", *node, "a duration such as 1ms").value_or("");
    const std::optional<Nanos> jitter = parse_go_duration(text);
    if (jitter && *jitter > 0 && *jitter <= kSecond) plan_.jitter = *jitter;
    else if (!text.empty())
      faults_.add(*node, fmt::format("jitter: \"{}\" is not a duration above 0 and up to 1s", text));
  }
  if (const ConfigNode* node = fields.get("recorded")) read_recorded(*node);
  const std::size_t of_a_log = plan_.configurations.size() * plan_.flags.size() * plan_.seeds.size();
  if (of_a_log > kMostOfALog)
    faults_.add(root, fmt::format("{} replays of each log; there may be {}: divide the plan", of_a_log, kMostOfALog));
}

}  // namespace

const std::vector<KeyOf<SweepPlan>>& plan_keys() {
  static const std::vector<std::string> formats = log_format_names();
  static const std::vector<KeyOf<SweepPlan>> keys = {
      {{"logs"}},
      {{.name = "log-format",
        .form = KeyForm::word,
        .text = "A format of apfctl-logs(5). Absent: found in each log.",
        .expected = "a format of apfctl-logs(5)",
        .words = {formats.begin(), formats.end()}},
       into(&SweepPlan::log_format)},
      {{"configurations"}},
      {{"flags"}},
      {{"seeds"}},
      {{"jitter"}},
      {{"recorded"}},
  };
  return keys;
}

SweepPlan read_sweep_plan(const ConfigText& text) {
  SweepPlan plan;
  plan.name = text.name;
  read_single_document(text, "a plan is", "a plan needs lists \"logs\" and \"configurations\"", plan.faults,
                       [&](const ConfigNode& root, Faults& faults) { PlanReader(plan, faults).read(root); });
  return plan;
}

}  // namespace apf
