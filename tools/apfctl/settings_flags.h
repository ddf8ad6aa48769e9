// --config, --no-config and --preset: what is true of the project where no flag says otherwise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/lint.h>

#include "options.h"

namespace apfctl {

class SettingsFlags {
 public:
  // `presets`: the command takes seats or objects that a preset may set.
  void declare(CommandLine& line, bool presets = true);
  // Reads .apfctl.yaml. False: it has faults, which are printed; the exit code is 2. Throws UsageError.
  bool read(const Console& console);

  // What the settings and the preset say, where no flag does. After read() and the flags' own check().
  void fill(ReleaseFlags& release) const;
  void fill(InflightFlags& inflight) const;
  void fill(ConfigFlags& config) const;
  // --objects of explain and replay.
  void fill_objects(std::vector<std::string>& objects) const;
  std::string objects_file() const;  // the first one; empty: none

  bool use_settings() const { return !no_config_; }
  const std::optional<std::string>& path() const { return config_; }
  const std::optional<std::string>& preset_given() const { return preset_text_; }
  const apf::ProjectSettings& project() const { return project_; }
  const apf::Preset* preset() const { return preset_; }  // null: none
  // Whom the short name "admin" means there.
  apf::User administrator(const ReleaseFlags& release) const;

 private:
  std::optional<std::string> config_, preset_text_;
  bool no_config_ = false;
  apf::ProjectSettings project_;
  const apf::Preset* preset_ = nullptr;
};

}  // namespace apfctl
