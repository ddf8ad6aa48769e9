// OLD and NEW: two configurations, each on a server of its own.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <apf/change.h>
#include <apf/config.h>

#include "flags/options.h"
#include "flags/settings_flags.h"
#include "flags/side_values.h"

namespace apfctl {

class SideFlags {
 public:
  // --kubernetes-version … for both sides, and --old and --new for one. `logs`: of a command that replays logs.
  void declare(CommandLine& line, apf::KubeVersion oldest = apf::kOldestKubeVersion, bool logs = false);
  // After the flags are parsed. False: .apfctl.yaml has faults, which are printed. Throws UsageError.
  bool check(const Console& console);

  struct Side {
    apf::Config config;
    apf::KubeVersion version;
    int server_concurrency_limit = 600;
    InflightFlags inflight;
    std::string name;   // as given
    std::string flags;  // of a command that asks about this side
    std::vector<apf::Maintained> maintained;
  };
  // `path`: OLD (0) or NEW (1). Nothing if the configuration has errors, which were printed. `recorded`: the values of
  // --recorded, in place of that side's.
  std::optional<Side> load(int side, const std::string& path, const Console& console,
                           const SideValues* recorded = nullptr) const;
  // The values of --old (0) or --new (1).
  const SideValues& own(int side) const { return own_[static_cast<std::size_t>(side)]; }
  // Lets the server of a side restore and delete objects, as it does before long, in the cluster of `before`;
  // Side::maintained says which, and which it creates there.
  void maintain(Side& side, const Side& before) const;
  // Or says only which it would change.
  void note_maintained(const Side& side, const Console& console) const;
  // OLD and every NEW: with --from-cluster, a name for the cluster comes before what is given.
  // Something is said of one side's server alone.
  bool differ() const { return !own_[0].empty() || !own_[1].empty(); }
  std::vector<std::string> sides(const std::vector<std::string>& given) const;
  // Those that .apfctl.yaml names, if there are none.
  void fill_objects(std::vector<std::string>& objects) const { settings_.fill_objects(objects); }
  bool no_validate() const { return no_validate_; }
  // The feature gates of both sides' server, by its log.
  void add_gates(apf::KubeVersion of) { release_.add_gates(of); }
  const apf::KnownServer& known_server() const { return settings_.known_server(); }

  bool warns_of_release = true;  // as ConfigFlags has it

 private:
  ReleaseFlags release_;
  InflightFlags inflight_;
  SettingsFlags settings_;
  ClusterFlags cluster_;
  bool no_validate_ = false;
  std::array<SideValues, 2> own_;
  std::array<InflightFlags, 2> inflight_of_;
};

}  // namespace apfctl
