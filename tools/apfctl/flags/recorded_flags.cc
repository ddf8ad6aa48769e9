#include "flags/recorded_flags.h"

#include <algorithm>

#include "shared/input.h"
#include "shared/sources.h"

namespace apfctl {

void RecordedFlags::declare(CommandLine& line) {
  line.heading("What if");
  values.declare(line, "--recorded",
                 "What the server ran when the log was written, if not the replayed one. The log is replayed under "
                 "that first, to find out how long requests waited and ran. config=PATH: its configuration; "
                 "config=same: the replayed one; config=builtins@VERSION: that release's built-in objects. Seats and "
                 "release: by default those that the server's log names, else those of the replayed server.",
                 {"config"});
}

void RecordedFlags::check(const std::vector<std::string>& replayed) {
  values.check();
  check_one_stdin({replayed, paths()});
  if (!given() && !values.empty())
    throw UsageError(
        "the recorded server's configuration is missing: give --recorded config=PATH, or --recorded config=same if it "
        "ran the replayed one");
}

std::optional<int> RecordedFlags::seats() const {
  if (!values.has_seats()) return std::nullopt;
  InflightFlags inflight;
  values.replace(inflight);
  if (inflight.server_concurrency_limit == 0)
    throw UsageError(
        "--recorded max-requests-inflight and max-mutating-requests-inflight are both 0: with API Priority and "
        "Fairness on, kube-apiserver does not start so");
  return inflight.server_concurrency_limit;
}

bool RecordedFlags::set(apf::ReplayOptions& options, const ConfigFlags& config_flags, const ReleaseFlags& release,
                        const Console& console) const {
  if (!given() && !known) return true;
  options.unknown_waits = apf::UnknownWaits::recorded_ends;
  apf::RecordedConfig recorded;
  ReleaseFlags recorded_release = release;
  const bool replayed = same() || !given();
  const std::optional<apf::KubeVersion> builtins = given() ? builtins_release(*config()) : std::nullopt;
  if (builtins) {
    recorded_release.given = builtins->str();
    recorded_release.check();
  }
  values.replace(recorded_release);
  recorded.version = recorded_release.version;
  if (replayed) {
    recorded.config = options.config;
  } else if (builtins && recorded.version != *builtins) {
    recorded.config = apf::bootstrap_config(*builtins, release.builtins);  // the objects of one release on another
  } else {
    const std::vector<std::string> paths = builtins ? std::vector<std::string>() : std::vector<std::string>{*config()};
    std::optional<apf::Config> loaded = config_flags.load(paths, console, recorded_release);
    if (!loaded) return false;
    recorded.config = std::move(*loaded);
  }
  recorded.server_concurrency_limit = seats();
  options.recorded = std::move(recorded);
  return true;
}

apf::LogEvidence RecordedFlags::evidence(bool seats_given, bool objects_given) const {
  apf::LogEvidence out;
  out.replayed_seats = seats_given;
  out.seats = seats_given || values.has_seats();
  out.objects = objects_given;
  out.same = same();
  out.other = out.config = given() && !out.same;
  return out;
}

}  // namespace apfctl
