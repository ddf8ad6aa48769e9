#include "flags/side_flags.h"

#include <unistd.h>

#include <filesystem>

#include <apf/error.h>
#include <apf/flag_values.h>
#include <apf/output.h>
#include <fmt/core.h>

#include "shared/sources.h"
#include "shared/usage_error.h"
#include "shared/words.h"

namespace apfctl {

void SideFlags::declare(CommandLine& line, apf::KubeVersion oldest, bool logs) {
  release_.declare(line, oldest);
  inflight_.declare(line);
  std::vector<std::string> of_replays;
  if (logs) of_replays.emplace_back("config-at");
  for (const apf::ReplaySetting& setting : apf::replay_settings())
    if (logs && setting.is_of("sides")) of_replays.emplace_back(setting.name);
  own_[0].declare(line, "--old", "In what OLD's server differs from both.", of_replays);
  own_[1].declare(line, "--new", "In what NEW's server differs from both.", of_replays);
  line.heading("Configuration");
  cluster_.declare(line, "OLD is what a cluster has, and only NEW is given");
  line.flag("--no-validate", no_validate_,
            "Continue if a configuration has errors, with the objects that can be decoded.");
  settings_.takes_logs = settings_.knows_apf_off = logs;
  settings_.declare(line);
}

bool SideFlags::check(const Console& console) {
  release_.check();
  inflight_.check();
  cluster_.check();
  for (SideValues& own : own_) own.check();
  if (!settings_.read(console, &cluster_)) return false;
  settings_.fill(release_);
  settings_.fill(inflight_);
  for (std::size_t i = 0; i < 2; ++i) {
    inflight_of_[i] = inflight_;
    own_[i].replace(inflight_of_[i]);
    inflight_of_[i].need_seats();
  }
  return true;
}

void SideFlags::maintain(Side& side, const Side& before) const {
  const std::vector<apf::Maintained> created = apf::created_objects(before.config, side.config);
  if (release_.builtins == apf::Builtins::all) side.maintained = apf::maintained_objects(side.config, side.version);
  if (!side.maintained.empty()) {
    side.config = apf::with_builtins(std::move(side.config), side.version, apf::Builtins::enforced);
    side.flags += " --builtins enforced";
  }
  side.maintained.insert(side.maintained.end(), created.begin(), created.end());
}

void SideFlags::note_maintained(const Side& side, const Console& console) const {
  ReleaseFlags release = release_;
  release.version = side.version;
  apfctl::note_maintained(side.config, release, console);
}

std::vector<std::string> SideFlags::sides(const std::vector<std::string>& given) const {
  std::vector<std::string> out = given;
  if (cluster_.wanted) out.insert(out.begin(), cluster_.name());
  return out;
}

std::optional<SideFlags::Side> SideFlags::load(int side, const std::string& path, const Console& console,
                                               const SideValues* recorded) const {
  const auto i = static_cast<std::size_t>(side);
  ReleaseFlags release = release_;
  const bool of_cluster = cluster_.wanted && side == 0 && path == cluster_.name();
  const std::optional<apf::KubeVersion> of_path = builtins_release(path);
  const bool own_builtins = path == kOwnBuiltins && ::access(path.c_str(), F_OK) != 0;
  if (!of_path && apf::KubeVersion::parse(path) && ::access(path.c_str(), F_OK) != 0)
    throw UsageError(fmt::format("{0} does not exist; did you mean '{1}@{0}', the objects of that release?",
                                 apf::printable(path), kOwnBuiltins));
  if (of_path) release.given = of_path->str();
  release.check();
  if (recorded) recorded->replace(release);
  else own_[i].replace(release);
  ConfigFlags flags;
  settings_.fill(flags);
  if (side != 0) flags.known = nullptr;
  flags.notes_maintained = false;
  flags.warns_of_release = warns_of_release;
  flags.no_validate = no_validate_;
  // The first flow control objects of a folder may be what differs.
  std::error_code error;
  flags.may_hold_none = path != "-" && !std::filesystem::is_regular_file(path, error);
  flags.filenames.clear();
  if (of_cluster) flags.cluster = cluster_;
  else if (!of_path && !own_builtins) flags.filenames = {path};
  std::optional<apf::Config> config = flags.load(console, release);
  if (!config) return std::nullopt;
  if (of_path && release.version != *of_path) {
    // The objects of one release on a server of another: as given, so they replace the server's own.
    *config = apf::bootstrap_config(*of_path, release.builtins);
  }
  if (apf::is_kep(*config)) {
    throw apf::Error(apf::printable(path) +
                     " is in the dialect of KEP-1040, which this command does not compare: run " +
                     "apfctl convert --to v1 first, with --partial if v1 cannot express all of it");
  }
  Side out;
  out.config = std::move(*config);
  out.version = release.version;
  out.inflight = inflight_of_[i];
  out.server_concurrency_limit = out.inflight.server_concurrency_limit;
  out.name = own_builtins ? path + "@" + release.version.str() : path;
  if (of_cluster) out.flags += cluster_.flags();
  else if (!of_path && !own_builtins) out.flags += " -f " + path_word(path);
  const apf::KubeVersion objects = of_path.value_or(release.version);
  if (objects != apf::kNewestKubeVersion) out.flags += " --kubernetes-version " + objects.str();
  if (release.builtins != apf::Builtins::all) out.flags += " --builtins " + release.builtins_text;
  if (flags.preset) out.flags += " --preset " + flags.preset->name;
  return out;
}

}  // namespace apfctl
