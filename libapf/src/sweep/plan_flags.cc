#include "sweep/plan_flags.h"

#include <span>

#include <apf/error.h>
#include <apf/flag_values.h>
#include <fmt/core.h>

#include "base/joined.h"
#include "config/server_keys.h"
#include "replay/engine/load_scaler.h"
#include "replay/engine/seat_sizes.h"

namespace apf {

namespace {

using Form = SettingForm;

// The value at `node` of a setting that has no list, as a flag would have it; nothing: it says nothing, or has a fault.
std::optional<std::string> value_in(Faults& faults, const ReplaySetting& setting, const ConfigNode& node) {
  const std::string_view key = setting.name;
  switch (setting.form) {
    case Form::on_off:
    case Form::yes: {
      const std::optional<bool> value = boolean_of(faults, key, node);
      if (!value) return std::nullopt;
      return setting.form == Form::yes ? (*value ? "true" : "false") : *value ? "on" : "off";
    }
    case Form::whole_number: {
      const std::optional<int> number =
          number_of(faults, key, node, static_cast<int>(setting.least), static_cast<int>(setting.most));
      return number ? std::optional(std::to_string(*number)) : std::nullopt;
    }
    case Form::number:
      if (node.kind() == NodeKind::integer || node.kind() == NodeKind::floating) return std::string(node.text());
      faults.add(node, fmt::format("{}: expected a number, found {}", key,
                                   node.is_scalar() ? fmt::format("\"{}\"", node.text()) : kind_of(node)));
      return std::nullopt;
    case Form::word:
      return text_of(faults, key, node, "one of " + joined(setting.words, ", "));
    default:
      return text_of(faults, key, node, setting.expected);
  }
}

}  // namespace

std::optional<std::string> name_in(Faults& faults, const Fields& fields, const ConfigNode& node, const char* what,
                                   std::set<std::string>& names) {
  const ConfigNode* name = fields.get("name");
  if (!name) {
    if (!fields.has_unknown()) faults.add(node, fmt::format("{} without a name: give it one", what));
    return std::nullopt;
  }
  std::optional<std::string> text = text_of(faults, "name", *name, "a text");
  if (text && !names.insert(*text).second) {
    faults.add(*name, fmt::format("name: there are two of the name \"{}\": give each its own", *text));
    return std::nullopt;
  }
  return text;
}

std::vector<std::string> files_in(Faults& faults, const std::string& plan, std::string_view key,
                                  const ConfigNode& node) {
  std::vector<std::string> out;
  for (const std::string& path : texts_of(faults, key, node, "a path")) {
    if (path == "-")
      faults.add(node, fmt::format("{}: standard input (-) is not there for every task: name a file", key));
    out.push_back(path_beside(plan, path));
  }
  return out;
}

std::vector<SweepFlags> FlagSetReader::read(const ConfigNode& node) {
  std::vector<std::string_view> keys = {"name",
                                        "kubernetes-version",
                                        "builtins",
                                        "max-requests-inflight",
                                        "max-mutating-requests-inflight",
                                        "server-concurrency",
                                        "seats-from"};
  for (const ReplaySetting& setting : replay_settings()) keys.push_back(setting.name);
  const Fields fields(faults_, "a set of flags", node, keys);
  if (!node.is_mapping()) return {};
  SweepFlags flags;
  flags.span = node.span();
  const std::optional<std::string> name = name_in(faults_, fields, node, "a set of flags", names_);
  flags.kubernetes_version = version_in(faults_, fields);
  flags.builtins = builtins_in(faults_, fields);
  for (const ReplaySetting& setting : replay_settings()) read_setting(setting, fields, node, flags);
  read_seats(fields, node, flags);
  const std::vector<int> sizes = read_sizes(fields, flags);
  check(node, flags);
  if (!name) return {};
  flags.name = *name;
  if (sizes.empty()) return {flags};
  std::vector<SweepFlags> out;
  for (const int seats : sizes) {
    SweepFlags& sized = out.emplace_back(flags);
    sized.name = fmt::format("{}, {} seats", *name, seats);
    sized.sizes_of = *name;
    sized.server_concurrency = seats;
  }
  return out;
}

void FlagSetReader::read_setting(const ReplaySetting& setting, const Fields& fields, const ConfigNode& node,
                                 SweepFlags& flags) {
  const ConfigNode* value = fields.get(setting.name);
  if (!value) return;
  if (!setting.is_of("sweep"))
    return faults_.add(node.find_entry(setting.name)->key,
                       fmt::format("{}: plans of sweeps do not have it; apfctl replay does", setting.name));
  if (!setting.needs.empty() && !fields.has(setting.needs) && value->text() != setting.usual)
    faults_.add(node.find_entry(setting.name)->key,
                fmt::format("{} needs {}: give it, too, or leave this out", setting.name, setting.needs));
  if (setting.form == Form::files) {
    flags.quota_files = files_in(faults_, plan_, setting.name, *value);
    return;
  }
  if (setting.form == Form::file) {
    if (value->is_sequence()) faults_.add(*value, fmt::format("{}: expected a path, found a list", setting.name));
    else if (auto paths = files_in(faults_, plan_, setting.name, *value); !paths.empty())
      flags.event_rate_limit_file = std::move(paths.front());
    return;
  }
  const bool is_list = setting.form == Form::texts && value->is_sequence();
  if (is_list && value->items().empty())
    faults_.add(*value, fmt::format("{}: expected {}, found an empty list", setting.name, setting.expected));
  for (const ConfigNode& item : is_list ? value->items() : std::span<const ConfigNode>(value, 1)) {
    const std::optional<std::string> text = value_in(faults_, setting, item);
    if (!text) continue;
    try {
      setting.set(flags.replay, *text);
    } catch (const Error& error) {
      faults_.add(item, fmt::format("{}: {}", setting.name, error.what()));
    }
  }
}

std::vector<int> FlagSetReader::read_sizes(const Fields& fields, const SweepFlags& flags) {
  constexpr int kStepsAnOctave = 4;
  const ConfigNode* node = fields.get("seats-from");
  if (!node) return {};
  if (flags.server_concurrency || flags.max_requests_inflight || flags.max_mutating_requests_inflight)
    faults_.add(*node, "seats-from says the seats itself: leave out server-concurrency and the max-…-inflight flags");
  if (flags.replay.in_flight) faults_.add(*node, "seats-from cannot be used with apf: false, which has no seats");
  if (node->is_sequence()) faults_.add(*node, "seats-from: expected A..B, found a list");
  const std::string text =
      node->is_sequence() ? "" : text_of(faults_, "seats-from", *node, "A..B such as 200..2000").value_or("");
  if (text.empty()) return {};
  try {
    const auto [least, most] = parse_seats_range(text);
    return seats_between(least, most, kStepsAnOctave);
  } catch (const Error& error) {
    faults_.add(*node, fmt::format("seats-from: {}", error.what()));
    return {};
  }
}

void FlagSetReader::read_seats(const Fields& fields, const ConfigNode& node, SweepFlags& flags) {
  const InflightKeys inflight = inflight_in(faults_, fields, node);
  flags.max_requests_inflight = inflight.reads;
  flags.max_mutating_requests_inflight = inflight.writes;
  flags.server_concurrency = inflight.sum;
  if (flags.server_concurrency && flags.replay.in_flight)
    faults_.add(node.find_entry("server-concurrency")->key,
                "server-concurrency cannot be used with apf: false, which limits reads and writes separately: give "
                "max-requests-inflight and max-mutating-requests-inflight");
  if (!flags.replay.in_flight && !flags.server_concurrency &&
      flags.max_requests_inflight.value_or(400) + flags.max_mutating_requests_inflight.value_or(200) == 0)
    faults_.add(node, "the server has no seats: kube-apiserver does not start with a sum of 0");
}

// What does not go together.
void FlagSetReader::check(const ConfigNode& node, const SweepFlags& flags) {
  const ReplayOptions& options = flags.replay;
  const bool models = !options.client_models.empty() || options.client_models_by_log;
  const char* bar = why_not_scalable(!flags.quota_files.empty(), options.client_limits.has_value(), models);
  if (!options.scales.empty() && bar)
    faults_.add(node.find_entry(node.find_present("scale") ? "scale" : "nodes")->key,
                fmt::format("the load cannot be scaled together with {}; leave one of them out", bar));
  for (const char* key : {"width-cap", "width-bytes"})
    if (options.in_flight && node.find_present(key))
      faults_.add(node.find_entry(key)->key,
                  fmt::format("{} cannot be used with apf: false: requests have no seats then", key));
  if (options.clients_need_first_replay() && !has_recorded_)
    faults_.add(
        node.find_entry("client-model")->key,
        "client-model: how clients wait for their answers is found by replaying the log under the configuration "
        "that the server ran: add recorded to the plan, or give workers their number");
}

}  // namespace apf
