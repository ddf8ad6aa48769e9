// --config, --no-config, --preset and --server: what is true of the project and its server where no flag says
// otherwise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/lint.h>
#include <apf/setup.h>

#include "flags/options.h"

namespace apfctl {

std::vector<std::string> preset_names();

class SettingsFlags {
 public:
  bool takes_logs = false;     // --server NAME=LOG names a log: see replay_servers.h
  bool knows_apf_off = false;  // the command answers of a server without API Priority and Fairness, too

  // `presets`: the command takes seats or objects that a preset may set.
  void declare(CommandLine& line, bool presets = true);
  // Reads .apfctl.yaml and the files of --server. False: the settings have faults, which are printed; the exit code is
  // 2. Throws UsageError, and apf::Error for a file that says nothing of a server or contradicts another one.
  // `cluster`: that of the command; its server is asked, too.
  bool read(const Console& console, ClusterFlags* cluster = nullptr);

  // What the settings, the known server and the preset say, in this order, where no flag does. After read() and the
  // flags' own check().
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
  const apf::KnownServer& known_server() const { return known_; }
  // The values of --server that name logs.
  const std::vector<std::string>& servers() const { return servers_; }
  // Whom the short name "admin" means there.
  apf::User administrator(const ReleaseFlags& release) const;

 private:
  void read_servers(const Console& console, ClusterFlags* cluster);
  std::optional<apf::KnownServer::Seats> seats_of_server() const;

  std::optional<std::string> config_, preset_text_;
  std::vector<std::string> servers_;
  bool no_config_ = false;
  const Console* console_ = nullptr;
  apf::ProjectSettings project_;
  const apf::Preset* preset_ = nullptr;
  apf::KnownServer known_;
};

}  // namespace apfctl
