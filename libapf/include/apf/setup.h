// What files say of a kube-apiserver: the flags it was started with, its release, the seats that it shares.
//
//   const apf::KnownServer server = apf::read_known_server({"metrics.txt", "kube-apiserver.yaml"});
//   const auto seats = server.seats(apf::bootstrap_config(apf::kNewestKubeVersion));
//   if (seats) std::printf("%d seats by %s\n", seats->number, seats->from.c_str());
//
// Read are: scrapes of /metrics, Prometheus' answers about them, the server's own log, manifests that hold its command
// line (static pods, and what installers make them of), its command line itself, what 'kubectl version' prints, and
// folders of such files. Results are values; functions may be called from several threads at once.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>
#include <apf/limits.h>
#include <apf/server.h>
#include <apf/time.h>
#include <apf/version.h>

namespace apf {

// The seats that all levels of a server share, by their limits.
struct ScrapedSeats {
  int number = 0;
  int least = 0, most = 0;  // several numbers give these limits, and `number` is a guess; else both are `number`
  bool fits = false;        // the shares of the configuration give the nominal limits
  bool is_guess() const { return least != most; }
};
// What a level without borrowingLimitPercent may have beyond its nominal limit (since 1.26) is exactly that; else the
// roundest number that gives the nominal limits with the shares of `config`, or with any. Nothing: there are no limits.
APF_API std::optional<ScrapedSeats> seats_by_limits(const std::map<std::string, ServerScrape::Level>& levels,
                                                    const Config& config, KubeVersion version);

struct KnownServer {
  struct Fact {
    std::string value;
    std::string from;  // "metrics.txt"; "kube-apiserver.yaml by default" where that does not set it
  };
  // By name of kube-apiserver's flag: "max-requests-inflight" → "400". A file that shows the whole command line says of
  // the flags that are not there that they have their defaults.
  std::map<std::string, Fact, std::less<>> flags;
  std::optional<Fact> version;      // "1.34.2", which KubeVersion::parse() reads
  std::optional<Fact> sum;          // of the two limits: where the server or its provider says no more than that
  std::optional<Fact> levels_seen;  // "true": its metrics or dumps show priority levels; "false": whole metrics do not

  // Of its levels, as its metrics have them.
  struct Limits {
    std::map<std::string, ServerScrape::Level> levels;  // by name
    std::string from;
  };
  std::optional<Limits> limits;
  std::optional<ObjectCounts> objects;
  // The file of its EventRateLimit configuration, or of the AdmissionConfiguration that leads to one.
  std::optional<Fact> event_rate_limit;
  std::optional<ServerScrape> scrape;  // the last one that shows how wide requests were
  // The answers of /debug/api_priority_and_fairness, all together; empty without.
  ServerDump dump;
  std::string dump_from;                    // the file with the levels, else the last one
  std::string queues_from;                  // the file with the queues
  std::vector<std::string> configurations;  // files of folders that hold FlowSchemas or levels
  std::vector<std::string> passed_over;     // files of folders that say nothing of a server

  bool release_is_guess = false;  // `version` is the newest release with the metrics of the scrape

  bool empty() const {
    return flags.empty() && !version && !sum && !levels_seen && !limits && !objects && !event_rate_limit &&
           configurations.empty();
  }
  // With what --feature-gates change.
  APF_API std::optional<KubeVersion> release() const;
  // Whether API Priority and Fairness is on, "true" or "false": by `levels_seen`, its feature gate or its flag.
  // Nothing: no file says it.
  APF_API std::optional<Fact> priority_and_fairness() const;
  // What the server's own log says, where no file does. Throws Error where they contradict each other.
  APF_API void add(const ServerFlags& log);
  APF_API const Fact* flag(std::string_view name) const;  // null: not known
  // Whether --enable-admission-plugins lists the plugin; nothing: that flag is not known.
  APF_API std::optional<bool> has_plugin(std::string_view name) const;
  // Whole numbers and durations of flags. Throws Error where the file says something else.
  APF_API std::optional<int> number(std::string_view name) const;
  APF_API std::optional<Nanos> duration(std::string_view name) const;

  struct Seats : ScrapedSeats {
    std::string from;
  };
  // --max-requests-inflight plus --max-mutating-requests-inflight, else the sum; else what limits say.
  APF_API std::optional<Seats> seats(const Config& config) const;
  // Whether its levels are those of `config`, with the nominal limits that they have there: it runs that, or the like.
  APF_API bool runs(const Config& config, int seats) const;
  // What its scrape and its dumps show of levels that `config` has otherwise, a sentence each: then it runs something
  // else. Parts of scrapes and dumps tell what they have. Without `both`, levels that `config` has alone do not count:
  // they may be about to come.
  APF_API std::vector<std::string> level_differences(const Config& config, bool both = true) const;
};

// How wide lists were, where nothing counts objects: by the histograms of a scrape, since the server's start, of its
// requests' seats. Of a FlowSchema all of whose requests are in the log, the number of wide ones says which resources'
// lists they are, where only one choice of resources has as many; their seats are known where they are alike.
struct MeasuredWidths {
  ObjectCounts counts;  // that make lists as wide as they were, where `resources` are not empty
  std::vector<std::string> resources;
};
// Whether its histograms can show them: requests took several seats, and the release estimates lists by their size.
APF_API bool measures_widths(const ServerScrape& scrape, KubeVersion version);
// `limits`: of the server's levels when it was scraped.
APF_API MeasuredWidths measured_widths(const ServerScrape& scrape, const LoggedLoad& logged, const LimitsTable& limits,
                                       KubeVersion version);

// All of the files and texts together. Throws Error: a file that cannot be read or says nothing of a server; two that
// contradict each other.
APF_API KnownServer read_known_server(const std::vector<std::string>& paths, std::span<const ConfigText> texts = {});

}  // namespace apf
