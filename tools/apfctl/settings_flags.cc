#include "settings_flags.h"

#include <apf/request_words.h>

#include "project.h"

namespace apfctl {

namespace {

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const apf::Preset& preset : apf::presets()) names.push_back(preset.name);
  return names;
}

}  // namespace

void SettingsFlags::declare(CommandLine& line, bool presets) {
  line.heading("Settings");
  line.option("--config", config_, "FILE", "Use these settings instead of the nearest .apfctl.yaml.");
  line.flag("--no-config", no_config_, "Ignore .apfctl.yaml.");
  if (!presets) return;
  line.option("--preset", preset_text_, "NAME",
              "Take from this preset what no other flag says: seats, and objects that the provider adds. 'apfctl "
              "presets' lists them.");
  line.choices("--preset", preset_names());
}

bool SettingsFlags::read(const Console& console) {
  if (config_ && no_config_) throw UsageError("--config and --no-config cannot be combined");
  if (!no_config_) project_ = apf::load_settings(config_);
  if (print_faults(project_, console)) return false;
  std::string name = project_.settings.preset;
  if (preset_text_) name = apf::presets()[find_choice("--preset", *preset_text_, preset_names())].name;
  if (!name.empty()) preset_ = apf::find_preset(name);
  return true;
}

void SettingsFlags::fill(ReleaseFlags& release) const { release.take(project_.settings.kubernetes_version); }

void SettingsFlags::fill(InflightFlags& inflight) const {
  const apf::Settings& s = project_.settings;
  inflight.take(s.max_requests_inflight, s.max_mutating_requests_inflight, s.server_concurrency, project_.path);
  if (preset_)
    inflight.take(preset_->max_requests_inflight, preset_->max_mutating_requests_inflight, preset_->server_concurrency,
                  "preset " + preset_->name);
}

void SettingsFlags::fill(ConfigFlags& config) const {
  if (config.filenames.empty() && !config.cluster.wanted) {
    for (const std::string& path : project_.settings.filenames)
      config.filenames.push_back(apf::project_path(project_, path));
  }
  config.project = &project_;
  config.preset = preset_;
}

apf::User SettingsFlags::administrator(const ReleaseFlags& release) const {
  return apf::administrator(release.version, preset_ ? preset_->name : "");
}

std::string SettingsFlags::objects_file() const {
  std::vector<std::string> objects;
  fill_objects(objects);
  return objects.empty() ? std::string() : objects.front();
}

void SettingsFlags::fill_objects(std::vector<std::string>& objects) const {
  if (!objects.empty()) return;
  for (const std::string& path : project_.settings.objects) objects.push_back(apf::project_path(project_, path));
}

}  // namespace apfctl
