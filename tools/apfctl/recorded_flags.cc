#include "recorded_flags.h"

#include <fmt/core.h>

#include <algorithm>

#include "sources.h"

namespace apfctl {

namespace {

// kube-apiserver's defaults.
constexpr int kReadOnly = 400, kMutating = 200;

}  // namespace

void RecordedFlags::declare(CommandLine& line) {
  line.heading("What if");
  line.list("--recorded-config", configs, "PATH",
            "The configuration that the server ran when the log was written, if it is not the replayed one: the log is "
            "replayed under it first, to find out how long requests waited and ran. 'same': the replayed one; "
            "builtins@VERSION: that release's built-in objects.");
  line.option("--recorded-max-requests-inflight", readonly_text, "N",
              "--max-requests-inflight of that server (default: the seats that the server's log names, else those of "
              "the replayed server).");
  line.option("--recorded-max-mutating-requests-inflight", mutating_text, "N",
              "--max-mutating-requests-inflight of that server.");
  line.option("--recorded-server-concurrency", seats_text, "N", "The sum of the two.");
  line.option("--recorded-kubernetes-version", version_text, "VERSION",
              "Release of that server (default: that of the replayed server).");
}

void RecordedFlags::check(const std::vector<std::string>& replayed) const {
  if (seats_text && (readonly_text || mutating_text))
    throw UsageError(
        "--recorded-server-concurrency is the sum of --recorded-max-requests-inflight and "
        "--recorded-max-mutating-requests-inflight: give it or them");
  if (configs.size() > 1)
    throw UsageError("--recorded-config can be given only once; give a directory or a glob to name several files");
  if (given() && configs.front() == "-" && std::find(replayed.begin(), replayed.end(), "-") != replayed.end())
    throw UsageError("standard input (-) can be read only once: for -f or for --recorded-config");
  if (!given() && says_more())
    throw UsageError(
        "the recorded server's configuration is missing: give --recorded-config PATH, or --recorded-config same if it "
        "ran the replayed one");
}

std::optional<int> RecordedFlags::seats() const {
  if (seats_text) return static_cast<int>(parse_int("--recorded-server-concurrency", *seats_text, 1, kMostSeats));
  if (!readonly_text && !mutating_text) return std::nullopt;
  const auto of = [](const char* flag, const std::optional<std::string>& text, int otherwise) {
    return text ? static_cast<int>(parse_int(flag, *text, 0, kMostSeats)) : otherwise;
  };
  const int sum = of("--recorded-max-requests-inflight", readonly_text, kReadOnly) +
                  of("--recorded-max-mutating-requests-inflight", mutating_text, kMutating);
  if (sum == 0)
    throw UsageError(
        "--recorded-max-requests-inflight and --recorded-max-mutating-requests-inflight are both 0: with API Priority "
        "and Fairness on, kube-apiserver does not start so");
  return sum;
}

bool RecordedFlags::set(apf::ReplayOptions& options, const ConfigFlags& config_flags, const ReleaseFlags& release,
                        const Console& console) const {
  if (given()) options.unknown_waits = apf::UnknownWaits::recorded_ends;
  if (!given()) return true;
  apf::RecordedConfig recorded;
  ReleaseFlags recorded_release = release;
  const std::optional<apf::KubeVersion> builtins = builtins_release(configs.front());
  if (builtins) recorded_release.given = builtins->str();
  if (version_text) recorded_release.given = version_text;
  if (builtins || version_text) recorded_release.check("--recorded-kubernetes-version");
  recorded.version = recorded_release.version;
  if (same()) {
    recorded.config = options.config;
  } else if (builtins && recorded.version != *builtins) {
    recorded.config = apf::bootstrap_config(*builtins, release.builtins);  // the objects of one release on another
  } else {
    const std::vector<std::string> paths = builtins ? std::vector<std::string>() : configs;
    std::optional<apf::Config> loaded = config_flags.load(paths, console, recorded_release);
    if (!loaded) return false;
    recorded.config = std::move(*loaded);
  }
  recorded.server_concurrency_limit = seats();
  options.recorded = std::move(recorded);
  return true;
}

}  // namespace apfctl
