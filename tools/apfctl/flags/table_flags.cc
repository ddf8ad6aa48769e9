#include "flags/table_flags.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <set>

#include <apf/logs.h>
#include <apf/traffic.h>

#include "shared/flag_value.h"

namespace apfctl {

namespace {

bool has_several(const apf::ReplaySetting& setting) {
  return setting.form == apf::SettingForm::texts || setting.form == apf::SettingForm::files;
}

}  // namespace

void TableFlags::declare(CommandLine& line) {
  for (const apf::ReplaySetting& setting : apf::replay_settings()) {
    if (!setting.is_of(line.help().command)) continue;
    Value& value = values_[std::string(setting.name)];
    const std::string flag = "--" + std::string(setting.name), metavar(setting.metavar), text(setting.text);
    line.heading(std::string(setting.group));
    if (setting.form == apf::SettingForm::yes) line.flag(flag.c_str(), value.yes, text);
    else if (has_several(setting)) line.list(flag.c_str(), value.several, metavar.c_str(), text);
    else line.option(flag.c_str(), value.one, metavar.c_str(), text);
    line.choices(flag, std::vector<std::string>(setting.words.begin(), setting.words.end()));
  }
}

std::optional<std::string> TableFlags::find(std::string_view name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? std::nullopt : at->second.one;
}

const std::vector<std::string>& TableFlags::all(std::string_view name) const {
  static const std::vector<std::string> kNone;
  const auto at = values_.find(name);
  return at == values_.end() ? kNone : at->second.several;
}

bool TableFlags::given(std::string_view name) const {
  const auto at = values_.find(name);
  return at != values_.end() && (at->second.one || !at->second.several.empty() || at->second.yes);
}

void TableFlags::take(std::string_view name, const std::string& value) {
  std::optional<std::string>& one = values_[std::string(name)].one;
  if (!one) one = value;
}

void TableFlags::count_nodes(const std::vector<std::string>& logs) {
  const auto at = values_.find("nodes");
  if (at == values_.end() || !at->second.one || !at->second.one->starts_with('+')) return;
  std::string& text = *at->second.one;
  const std::int64_t more = parse_int("--nodes", text.substr(1), 1, 1'000'000);
  if (std::find(logs.begin(), logs.end(), "-") != logs.end())
    throw UsageError("--nodes " + text +
                     ": the log's nodes are counted first, and standard input is read once: give a factor");
  std::set<std::string> nodes;
  const std::unique_ptr<apf::TrafficReader> traffic = apf::log_traffic();
  for (const std::string& log : logs)
    traffic->read(log, [&](const apf::RequestInfo*, const apf::User& user) {
      if (user.name.starts_with("system:node:")) nodes.insert(user.name);
    });
  if (nodes.empty()) throw UsageError("--nodes " + text + ": the log has no requests of nodes");
  text = fmt::format("{}x", 1 + static_cast<double>(more) / static_cast<double>(nodes.size()));
}

void TableFlags::set(apf::ReplayOptions& options) const {
  for (const apf::ReplaySetting& setting : apf::replay_settings()) {
    if (!given(setting.name)) continue;
    const std::string flag = "--" + std::string(setting.name);
    const Value& value = values_.find(setting.name)->second;
    if (!setting.needs.empty() && !given(setting.needs) && value.one != std::string(setting.usual))
      throw UsageError(
          fmt::format("{} needs --{} {}", flag, setting.needs, apf::replay_setting(setting.needs).metavar));
    const auto set = [&](const std::string& text) { value_of(flag, [&] { return setting.set(options, text); }); };
    if (value.one) set(*value.one);
    for (const std::string& text : value.several) set(text);
    if (value.yes) set("true");
  }
}

}  // namespace apfctl
