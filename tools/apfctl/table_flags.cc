#include "table_flags.h"

#include <fmt/core.h>

#include "flag_value.h"

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
