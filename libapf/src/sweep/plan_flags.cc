#include "sweep/plan_flags.h"

#include <span>

#include <apf/error.h>
#include <apf/flag_values.h>
#include <fmt/core.h>

#include "replay/engine/load_scaler.h"
#include "replay/engine/seat_sizes.h"

namespace apf {

Key key_of(const ReplaySetting& setting) {
  using enum KeyForm;
  constexpr KeyForm kForms[] = {text, texts, word, whole_number, yes, yes, text, texts};  // by SettingForm
  return {.name = setting.name,
          .form = kForms[static_cast<std::size_t>(setting.form)],
          .text = setting.text,
          .expected = setting.expected,
          .words = setting.words,
          .least = setting.least,
          .most = setting.most,
          .pattern = setting.pattern,
          .also = setting.also};
}

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
  const auto of_server = server_keys("plan");
  std::vector<std::string_view> keys = names_of(of_server);
  keys.insert(keys.begin(), "name");
  keys.push_back("seats-from");
  for (const ReplaySetting& setting : replay_settings()) keys.push_back(setting.name);
  const Fields fields(faults_, "a set of flags", node, keys);
  if (!node.is_mapping()) return {};
  SweepFlags flags;
  flags.span = node.span();
  const std::optional<std::string> name = name_in(faults_, fields, node, "a set of flags", names_);
  read_keys(faults_, fields, of_server, flags);
  for (const ReplaySetting& setting : replay_settings()) read_setting(setting, fields, node, flags);
  check_seats(node, flags);
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
  if (setting.form == SettingForm::files) {
    flags.quota_files = files_in(faults_, plan_, setting.name, *value);
    return;
  }
  if (setting.form == SettingForm::file) {
    if (value->is_sequence()) faults_.add(*value, fmt::format("{}: expected a path, found a list", setting.name));
    else if (auto paths = files_in(faults_, plan_, setting.name, *value); !paths.empty())
      flags.event_rate_limit_file = std::move(paths.front());
    return;
  }
  Key key = key_of(setting);
  const bool is_list = key.form == KeyForm::texts && value->is_sequence();
  if (is_list && value->items().empty())
    faults_.add(*value, fmt::format("{}: expected {}, found an empty list", setting.name, setting.expected));
  if (key.form == KeyForm::texts) key.form = KeyForm::text;  // each by itself
  for (const ConfigNode& item : is_list ? value->items() : std::span<const ConfigNode>(value, 1)) {
    const std::optional<KeyValue> read = value_in(faults_, key, item);
    if (!read) continue;
    try {
      setting.set(flags.replay, setting.form != SettingForm::on_off ? read->texts.front()
                                : read->number                      ? "on"
                                                                    : "off");
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

void FlagSetReader::check_seats(const ConfigNode& node, const SweepFlags& flags) {
  apf::check_seats(faults_, node, flags);
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
