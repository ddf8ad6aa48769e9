#include "flags/settings_flags.h"

#include <algorithm>

#include <apf/request_words.h>
#include <fmt/core.h>

#include "flags/named_by_files.h"
#include "flags/replay_servers.h"
#include "shared/input.h"
#include "shared/project.h"

namespace apfctl {

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const apf::Preset& preset : apf::presets()) names.push_back(preset.name);
  return names;
}

void SettingsFlags::declare(CommandLine& line, bool presets) {
  line.heading("Settings");
  line.option("--config", config_, "FILE", "Use these settings instead of the nearest .apfctl.yaml.");
  line.flag("--no-config", no_config_, "Ignore .apfctl.yaml.");
  if (!presets) return;
  line.option("--preset", preset_text_, "NAME",
              "Take from this preset what no other flag says: seats, and objects that the provider adds. 'apfctl "
              "builtins --provider all' lists them.");
  line.choices("--preset", preset_names());
  const std::string text =
      "What says how the server runs, such as its /metrics or manifest. A scrape of its /metrics, its log, its "
      "manifest or command line, 'kubectl version', a folder of them, or the word cluster, which asks kubectl. Seats, "
      "release, time-outs and object "
      "counts come from there where no flag says "
      "otherwise. Repeatable.";
  if (takes_logs)
    line.list("--server", servers_, "FILE|NAME=LOG",
              text +
                  " NAME=LOG: a server and its log; LOGs that follow belong to the same server. Servers are "
                  "replayed independently.");
  else line.list("--server", servers_, "FILE", text);
}

bool SettingsFlags::read(const Console& console, ClusterFlags* cluster) {
  console_ = &console;
  if (config_ && no_config_) throw UsageError("--config and --no-config cannot be combined");
  if (!no_config_) project_ = apf::load_settings(config_);
  if (print_faults(project_, console)) return false;
  std::string name = project_.settings.preset;
  if (preset_text_) name = apf::presets()[find_choice("--preset", *preset_text_, preset_names())].name;
  if (!name.empty()) preset_ = apf::find_preset(name);
  read_servers(console, cluster);
  return true;
}

void SettingsFlags::read_servers(const Console& console, ClusterFlags* cluster) {
  const auto is_log = [this](const std::string& value) { return takes_logs && names_log(value); };
  std::vector<std::string> files = servers_;
  std::erase_if(files, is_log);
  std::erase_if(servers_, [&](const std::string& value) { return !is_log(value); });
  if (std::find(files.begin(), files.end(), "") != files.end()) throw UsageError("--server: the path is empty");
  take_stdin(files);
  const bool asked = std::erase(files, "cluster") > 0;
  ClusterFlags nobody;
  if (!cluster) cluster = &nobody;
  cluster->note = [&console](const std::string& text) { console.note(apf::printable(text)); };
  cluster->tell = [&console](const std::string& text) {
    if (console.verbose) console.note(apf::printable(text));
  };
  known_ = apf::read_known_server(files, asked || cluster->wanted ? cluster->facts() : std::vector<apf::ConfigText>());
  const std::optional<apf::KnownServer::Fact> on = known_.priority_and_fairness();
  if (on && on->value == "false" && !knows_apf_off)
    console.warn(apf::printable("by " + on->from +
                                ", API Priority and Fairness is off in this server: the answer is as "
                                "if it were on"));
  if (!console.verbose) return;
  if (on)
    console.note(apf::printable(
        fmt::format("API Priority and Fairness is {} (by {})", on->value == "true" ? "on" : "off", on->from)));
  for (const auto& [flag, fact] : known_.flags)
    console.note(apf::printable(fmt::format("--{} {} (by {})", flag, fact.value, fact.from)));
  if (known_.version)
    console.note(apf::printable(fmt::format("Kubernetes {} (by {})", known_.version->value, known_.version->from)));
  for (const std::string& file : known_.passed_over) console.note(apf::printable(file + " says nothing of a server"));
}

void SettingsFlags::fill(ReleaseFlags& release) const {
  release.take(project_.settings.kubernetes_version);
  if (!release.version_given() && known_.version) {
    release.take(known_.release(), known_.version->from);
    if (known_.release_is_guess)
      console_->warn(
          apf::printable(fmt::format("{} does not say its release: Kubernetes {} is taken, the newest one with "
                                     "these metrics; name it with --kubernetes-version",
                                     known_.version->from, known_.version->value)));
  }
  if (const apf::KnownServer::Fact* gates = known_.flag("feature-gates"))
    release.set_gates(gates->value, gates->from, *console_);
}

void SettingsFlags::fill(InflightFlags& inflight) const {
  const apf::Settings& s = project_.settings;
  inflight.take(s.max_requests_inflight, s.max_mutating_requests_inflight, s.server_concurrency, project_.path);
  if (const auto seats = seats_of_server()) {
    const auto reads = known_.number("max-requests-inflight"), writes = known_.number("max-mutating-requests-inflight");
    const bool parts = reads && writes;
    inflight.take(parts ? reads : std::nullopt, parts ? writes : std::nullopt,
                  parts ? std::nullopt : std::optional(seats->number),
                  apf::printable(seats->is_guess() ? fmt::format("{}, guessed: its levels share {} to {}", seats->from,
                                                                 seats->least, seats->most)
                                                   : seats->from));
  }
  if (preset_)
    inflight.take(preset_->max_requests_inflight, preset_->max_mutating_requests_inflight, preset_->server_concurrency,
                  "preset " + preset_->name);
}

std::optional<apf::KnownServer::Seats> SettingsFlags::seats_of_server() const {
  if (known_.empty()) return std::nullopt;  // built-in objects take time
  return known_.seats(apf::bootstrap_config(known_.release().value_or(apf::kNewestKubeVersion)));
}

void SettingsFlags::fill(ConfigFlags& config) const {
  if (config.filenames.empty() && !config.cluster.wanted) {
    for (const std::string& path : project_.settings.filenames) {
      config.filenames.push_back(apf::project_path(project_, path));
      claim_named(config.filenames.back(), project_.path);
    }
    if (config.filenames.empty()) config.filenames = known_.configurations;
  }
  config.project = &project_;
  config.known = &known_;
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
  for (const std::string& path : project_.settings.objects) {
    objects.push_back(apf::project_path(project_, path));
    claim_named(objects.back(), project_.path);
  }
}

}  // namespace apfctl
