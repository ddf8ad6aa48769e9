// A plan of a sweep: its keys, each with its reader.
#include <apf/sweep.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include <apf/error.h>
#include <apf/test_file.h>
#include <fmt/format.h>

#include "config/reader.h"
#include "test_file/entries.h"
#include "test_file/fields.h"

namespace apf {

namespace {

constexpr std::size_t kMostLogs = 100'000;
constexpr std::size_t kMostChoices = 1'000;  // configurations, sets of flags, seeds
constexpr std::size_t kMostOfALog = 10'000;  // replays
constexpr int kMostSeats = 10'000'000;
constexpr double kMostFactor = 10'000;

class PlanReader {
 public:
  PlanReader(SweepPlan& plan, Faults& faults) : plan_(plan), faults_(faults) {}

  void read(const ConfigNode& root);

 private:
  void read_logs(const ConfigNode* node, const ConfigNode& root);
  void read_log(const ConfigNode& node);
  void read_configurations(const ConfigNode* node, const ConfigNode& root);
  void read_flag_sets(const ConfigNode& node);
  void read_flags(const ConfigNode& node);
  void read_seats(const Fields& fields, const ConfigNode& node, SweepFlags& flags);
  void read_scales(const Fields& fields, SweepFlags& flags);
  void add_scale(const char* key, const ConfigNode& node, SweepFlags& flags);
  void read_seeds(const ConfigNode& node);
  void read_recorded(const ConfigNode& node);
  bool is_list(const char* key, const ConfigNode& node, std::size_t most, const char* what);
  std::optional<std::string> name_of(const Fields& fields, const ConfigNode& node, const char* what,
                                     std::set<std::string>& names);
  std::vector<std::string> files_of(const char* key, const ConfigNode& node);
  template <class Value, std::size_t N>
  std::optional<Value> word_of(const Fields& fields, const char* key,
                               const std::array<std::pair<std::string_view, Value>, N>& words);

  SweepPlan& plan_;
  Faults& faults_;
  std::set<std::string> log_names_, configuration_names_, flag_names_;
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

std::optional<std::string> PlanReader::name_of(const Fields& fields, const ConfigNode& node, const char* what,
                                               std::set<std::string>& names) {
  const ConfigNode* name = fields.get("name");
  if (!name) {
    if (!fields.has_unknown()) faults_.add(node, fmt::format("{} without a name: give it one", what));
    return std::nullopt;
  }
  std::optional<std::string> text = text_of(faults_, "name", *name, "a text");
  if (text && !names.insert(*text).second) {
    faults_.add(*name, fmt::format("name: there are two of the name \"{}\": give each its own", *text));
    return std::nullopt;
  }
  return text;
}

std::vector<std::string> PlanReader::files_of(const char* key, const ConfigNode& node) {
  std::vector<std::string> out;
  for (const std::string& path : texts_of(faults_, key, node, "a path")) {
    if (path == "-")
      faults_.add(node, fmt::format("{}: standard input (-) is not there for every task: name a file", key));
    out.push_back(path_beside(plan_.name, path));
  }
  return out;
}

template <class Value, std::size_t N>
std::optional<Value> PlanReader::word_of(const Fields& fields, const char* key,
                                         const std::array<std::pair<std::string_view, Value>, N>& words) {
  const ConfigNode* node = fields.get(key);
  if (!node) return std::nullopt;
  std::vector<std::string_view> names;
  for (const auto& [name, value] : words) {
    if (node->is_scalar() && node->text() == name) return value;
    names.push_back(name);
  }
  faults_.add(*node,
              node->is_scalar()
                  ? fmt::format("{}: \"{}\" is unknown{}", key, node->text(), suggested(node->text(), names))
                  : fmt::format("{}: expected one of {}, found {}", key, fmt::join(names, ", "), kind_of(*node)));
  return std::nullopt;
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
    log.files = files_of("logs", node);
  } else {
    const Fields fields(faults_, "a log", node, {"name", "files", "objects"});
    if (!node.is_mapping()) return;
    const std::optional<std::string> name = name_of(fields, node, "a log", log_names_);
    const ConfigNode* files = fields.get("files");
    if (files) log.files = files_of("files", *files);
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
      configuration.files = files_of("configurations", item);
    } else {
      const Fields fields(faults_, "a configuration", item, {"name", "files"});
      if (!item.is_mapping()) continue;
      const std::optional<std::string> name = name_of(fields, item, "a configuration", configuration_names_);
      if (const ConfigNode* files = fields.get("files")) configuration.files = files_of("files", *files);
      if (!name) continue;
      configuration.name = *name;
    }
    plan_.configurations.push_back(std::move(configuration));
  }
}

void PlanReader::read_flag_sets(const ConfigNode& node) {
  if (!is_list("flags", node, kMostChoices, "sets of flags")) return;
  for (const ConfigNode& item : node.items()) read_flags(item);
}

void PlanReader::read_flags(const ConfigNode& node) {
  const Fields fields(
      faults_, "a set of flags", node,
      {"name", "kubernetes-version", "builtins", "max-requests-inflight", "max-mutating-requests-inflight",
       "server-concurrency", "borrowing", "request-timeout", "apf", "scale", "nodes"});
  if (!node.is_mapping()) return;
  SweepFlags flags;
  const std::optional<std::string> name = name_of(fields, node, "a set of flags", flag_names_);
  if (const ConfigNode* version = fields.get("kubernetes-version")) {
    const std::string text = text_of(faults_, "kubernetes-version", *version, "a release such as 1.34").value_or("");
    flags.kubernetes_version = KubeVersion::parse(text);
    if (!flags.kubernetes_version && !text.empty())
      faults_.add(*version, fmt::format("kubernetes-version: unsupported version \"{}\" (supported: {} to {})", text,
                                        kOldestKubeVersion.str(), kNewestKubeVersion.str()));
  }
  using Builtin = std::pair<std::string_view, Builtins>;
  flags.builtins = word_of<Builtins, 3>(
      fields, "builtins",
      {Builtin{"all", Builtins::all}, {"mandatory", Builtins::mandatory}, {"none", Builtins::none}});
  using Borrow = std::pair<std::string_view, Borrowing>;
  flags.borrowing = word_of<Borrowing, 3>(
      fields, "borrowing", {Borrow{"server", Borrowing::server}, {"kep", Borrowing::kep}, {"off", Borrowing::off}});
  if (const ConfigNode* apf = fields.get("apf")) flags.apf = boolean_of(faults_, "apf", *apf).value_or(true);
  if (const ConfigNode* timeout = fields.get("request-timeout")) {
    const std::string text = text_of(faults_, "request-timeout", *timeout, "a duration such as 60s").value_or("");
    flags.request_timeout = parse_go_duration(text);
    const bool good =
        flags.request_timeout && *flags.request_timeout > 0 && is_duration_in_range(*flags.request_timeout);
    if (!good && !text.empty())
      faults_.add(*timeout, fmt::format("request-timeout: \"{}\" is no duration above 0, such as 60s or 2m", text));
    if (!good) flags.request_timeout.reset();
  }
  read_seats(fields, node, flags);
  read_scales(fields, flags);
  if (!name) return;
  flags.name = *name;
  plan_.flags.push_back(std::move(flags));
}

void PlanReader::read_seats(const Fields& fields, const ConfigNode& node, SweepFlags& flags) {
  const auto seats = [&](const char* key, std::optional<int>& into, int least) {
    if (const ConfigNode* number = fields.get(key)) into = number_of(faults_, key, *number, least, kMostSeats);
  };
  seats("max-requests-inflight", flags.max_requests_inflight, 0);
  seats("max-mutating-requests-inflight", flags.max_mutating_requests_inflight, 0);
  seats("server-concurrency", flags.server_concurrency, 1);
  const bool parts = flags.max_requests_inflight || flags.max_mutating_requests_inflight;
  if (flags.server_concurrency && parts)
    faults_.add(node.find_entry("server-concurrency")->key,
                "server-concurrency is the sum of max-requests-inflight and max-mutating-requests-inflight: give it or "
                "them");
  if (flags.server_concurrency && !flags.apf)
    faults_.add(node.find_entry("server-concurrency")->key,
                "server-concurrency cannot be used with apf: false, which limits reads and writes separately: give "
                "max-requests-inflight and max-mutating-requests-inflight");
  if (flags.apf && !flags.server_concurrency &&
      flags.max_requests_inflight.value_or(400) + flags.max_mutating_requests_inflight.value_or(200) == 0)
    faults_.add(node, "the server has no seats: kube-apiserver does not start with a sum of 0");
}

// "2", "0.5x", "sa:shop/*=3".
void PlanReader::add_scale(const char* key, const ConfigNode& node, SweepFlags& flags) {
  const std::optional<std::string> text = text_of(faults_, key, node, "a factor such as 2, or CLIENT=2");
  if (!text) return;
  LoadScale scale;
  std::string_view number = *text;
  try {
    if (const std::size_t equals = text->rfind('='); equals != std::string::npos) {
      const std::string client = text->substr(0, equals);
      number = number.substr(equals + 1);
      const std::optional<Subject> subject = client == "node:*" ? std::nullopt : subject_named(client);
      if (client.empty()) throw Error("the name of the client is empty");
      if (subject && subject->kind == "Group") throw Error("\"" + client + "\" is a group: name users");
      if (client == "node:*") scale.user = "system:node:*";
      else if (!subject) scale.user = client;
      else if (subject->service_account)
        scale.user = "system:serviceaccount:" + subject->service_account->ns + ":" + subject->service_account->name;
      else scale.user = subject->user.value_or(client);
    }
    if (number.ends_with('x')) number.remove_suffix(1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), scale.factor);
    if (error != std::errc() || end != number.data() + number.size() ||
        !(scale.factor >= 0 && scale.factor <= kMostFactor))
      throw Error(fmt::format("\"{}\" is not a factor from 0 to 10000", number));
  } catch (const Error& error) {
    faults_.add(node, fmt::format("{}: {}", key, error.what()));
    return;
  }
  if (std::string_view(key) == "nodes") {
    scale.user = "system:node:*";
    scale.clients = true;
  }
  flags.scales.push_back(std::move(scale));
}

void PlanReader::read_scales(const Fields& fields, SweepFlags& flags) {
  if (const ConfigNode* scale = fields.get("scale")) {
    if (!scale->is_sequence()) add_scale("scale", *scale, flags);
    for (const ConfigNode& item : scale->items()) add_scale("scale", item, flags);
  }
  if (const ConfigNode* nodes = fields.get("nodes")) add_scale("nodes", *nodes, flags);
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
  if (recorded.flags < plan_.flags.size() && !plan_.flags[recorded.flags].apf)
    faults_.add(node, "recorded: API Priority and Fairness is off in these flags: name others");
  plan_.recorded = recorded;
}

void PlanReader::read(const ConfigNode& root) {
  const Fields fields(faults_, "a plan", root,
                      {"logs", "log-format", "configurations", "flags", "seeds", "jitter", "recorded"});
  if (!root.is_mapping()) return;
  read_logs(fields.get("logs"), root);
  read_configurations(fields.get("configurations"), root);
  if (const ConfigNode* node = fields.get("flags")) read_flag_sets(*node);
  else plan_.flags.emplace_back().name = "default";
  if (const ConfigNode* node = fields.get("seeds")) read_seeds(*node);
  if (const ConfigNode* node = fields.get("jitter")) {
    const std::string text = text_of(faults_, "jitter", *node, "a duration such as 1ms").value_or("");
    const std::optional<Nanos> jitter = parse_go_duration(text);
    if (jitter && *jitter > 0 && *jitter <= kSecond) plan_.jitter = *jitter;
    else if (!text.empty()) faults_.add(*node, fmt::format("jitter: \"{}\" is no duration above 0 and up to 1s", text));
  }
  if (const ConfigNode* node = fields.get("log-format")) {
    const std::vector<std::string> formats = log_format_names();
    std::vector<std::string_view> names = {formats.begin(), formats.end()};
    plan_.log_format = text_of(faults_, "log-format", *node, "a format of apfctl-logs(5)").value_or("auto");
    if (std::find(names.begin(), names.end(), plan_.log_format) == names.end())
      faults_.add(*node,
                  fmt::format("log-format: \"{}\" is unknown{}", plan_.log_format, suggested(plan_.log_format, names)));
  }
  if (const ConfigNode* node = fields.get("recorded")) read_recorded(*node);
  const std::size_t of_a_log = plan_.configurations.size() * plan_.flags.size() * plan_.seeds.size();
  if (of_a_log > kMostOfALog)
    faults_.add(root, fmt::format("{} replays of each log; there may be {}: divide the plan", of_a_log, kMostOfALog));
}

}  // namespace

SweepPlan read_sweep_plan(const ConfigText& text) {
  SweepPlan plan;
  plan.name = text.name;
  const std::shared_ptr<ConfigTree> tree = read_tree(text, plan.faults);
  for (Diagnostic& d : plan.faults) {  // the rules are about configurations
    d.code.clear();
    d.name.clear();
  }
  Faults faults(plan.faults);
  bool read = false;
  for (const ConfigDocument& document : tree->documents()) {
    if (document.root->is_null()) continue;
    if (read) {
      faults.add(*document.root, "a second document; a plan is a single document");
      break;
    }
    read = true;
    PlanReader(plan, faults).read(*document.root);
  }
  if (!read && plan.faults.empty()) {
    Diagnostic& d = plan.faults.emplace_back();
    d.message = "the file is empty: a plan needs lists \"logs\" and \"configurations\"";
    d.span.file = text.name;
    d.span.line = d.span.column = d.span.end_line = d.span.end_column = 1;
  }
  sort_diagnostics(plan.faults);
  return plan;
}

}  // namespace apf
