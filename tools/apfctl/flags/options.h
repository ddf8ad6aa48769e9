// Flags that several commands share, and what they load.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <apf/config.h>
#include <apf/lint.h>
#include <apf/report.h>
#include <apf/setup.h>
#include <apf/time.h>
#include <apf/version.h>

#include "shared/cluster.h"
#include "shared/command_line.h"
#include "shared/console.h"
#include "shared/interrupts.h"
#include "shared/require_objects.h"
#include "shared/words.h"

namespace apfctl {

// -o FORMAT[=FILE]
struct OutputFlags {
  struct Target {
    std::string format, file;  // file empty = standard output
  };
  std::vector<std::string> given;
  std::vector<Target> targets;          // the default format when none is given
  bool whole_when_interrupted = false;  // what was found until then is an answer, in files as well

  void declare(CommandLine& line, std::vector<std::string> formats);  // the first is the default
  void check();
  // Renders for each target and writes the result. Color and width depend on the target.
  void write(const Console& console,
             const std::function<std::string(const std::string& format, const apf::TextStyle&)>& render) const;
  // The same; `rows`: of the terminal that the text goes to, 0 = none.
  void write_to_fit(const Console& console,
                    const std::function<std::string(const std::string& format, const apf::TextStyle&,
                                                    std::size_t rows)>& render) const;
  apf::TextStyle style_of(const Target& target, const Console& console) const;
  bool accepts(const std::string& format) const;
  std::string made_by() const;  // the command, for a page

 private:
  std::vector<std::string> formats_;
  const CommandLine* line_ = nullptr;
};

// --log, --log-format, --log-year
struct LogFlags {
  std::string format = "auto", year_text = "0";
  int year = 0;
  bool by_argument = true;  // LOG is an argument, which --log gives as well

  void declare(CommandLine& line);
  void check();
};

// The known releases from `oldest` on, to choose from.
std::vector<std::string> releases_since(apf::KubeVersion oldest);

// --kubernetes-version, --builtins
struct ReleaseFlags {
  std::optional<std::string> given;  // --kubernetes-version
  std::string builtins_text = "all";
  apf::KubeVersion version = apf::kNewestKubeVersion;
  apf::Builtins builtins = apf::Builtins::all;

  // `oldest`: of the releases that the command can answer about.
  void declare(CommandLine& line, apf::KubeVersion oldest = apf::kOldestKubeVersion);
  void declare_version(CommandLine& line, apf::KubeVersion oldest = apf::kOldestKubeVersion);  // without --builtins
  void check(const char* flag = "--kubernetes-version");  // `flag` gave the release
  // The release of .apfctl.yaml, or of the server, by `from`; a flag takes precedence.
  void take(const std::optional<apf::KubeVersion>& setting, const std::string& from = {});
  // Of the server, by `from`. Says which of them are not obeyed.
  void set_gates(const std::string& gates, const std::string& from, const Console& console);
  void add_gates(apf::KubeVersion of);
  std::string words() const;  // "Kubernetes 1.34 (by metrics.txt)"
  // Says that a release without a patch means its newest one, where its patches differ.
  void note_patch(const Console& console) const;
  // Says, once for each release, that it is newer than what apfctl knows.
  void warn_if_newer(const Console& console) const;
  bool version_given() const { return given || from_settings_; }
  bool has_all_builtins() const { return builtins == apf::Builtins::all || builtins == apf::Builtins::enforced; }

 private:
  bool from_settings_ = false;
  std::string from_;
};

// The name of a finding about an API version that the release does not serve.
inline constexpr const char* kNotServed = "not-served-version";

// The name of a finding about a missing file that an AdmissionConfiguration names.
inline constexpr const char* kMissingPluginFile = "missing-plugin-file";

// The errors that the release would return. An API version that it does not serve is an error only if the user named
// the release: the default release says nothing about the cluster.
std::vector<apf::Diagnostic> validate_for(const apf::LoadedConfig& loaded, const ReleaseFlags& release,
                                          const apf::LoadedConfig* old = nullptr,
                                          apf::Subresource subresource = apf::Subresource::none);

// Throws if the texts contain no object of any kind: a pipeline that renders nothing must not succeed.
void refuse_nothing(const std::vector<apf::ConfigText>& texts, const apf::LoadedConfig& loaded);
// Nor must one that renders one of several files empty: each of `paths` that is a file has an object.
void refuse_empty_files(const std::vector<apf::ConfigText>& texts, const std::vector<std::string>& paths);

// Throws if the configuration is in the KEP's dialect: for commands that do not read it.
void refuse_kep(const apf::Config& config);

// About the release, and about given objects that its server changes by itself; with hints.
std::vector<apf::Remark> remarks_about(const apf::Config& config, const ReleaseFlags& release);
// One line of JSON, an object, with `remarks` as its `warnings` where there are any.
std::string with_warnings(const std::string& object, const std::vector<apf::Remark>& remarks);
// Those about objects on standard error.
void note_maintained(const apf::Config& config, const ReleaseFlags& release, const Console& console);

// Prints findings on standard error, with --quiet only the errors. Returns the number of errors.
std::size_t print_findings(std::vector<apf::Diagnostic> found, const std::vector<apf::ConfigText>& texts,
                           const Console& console);

// Messages about reading that are not findings: skipped objects, and no objects at all.
void note_skipped(const apf::LoadedConfig& loaded, const Console& console);
void warn_if_empty(const apf::LoadedConfig& loaded, const std::vector<std::string>& paths, const Console& console);

// That a flag may give a server.
inline constexpr std::int64_t kMostSeats = 10'000'000;

// --max-requests-inflight, --max-mutating-requests-inflight, --server-concurrency
// Where numbers are from that the log of the server has.
inline constexpr const char* kServersLog = "the server's log";

class InflightFlags {
 public:
  int server_concurrency_limit = 600;

  void declare(CommandLine& line);
  void check();
  // Numbers that apply where no flag and no earlier call says otherwise; `from`: where they are from. Call it after
  // check().
  void take(const std::optional<int>& read_only, const std::optional<int>& mutating, const std::optional<int>& sum,
            const std::string& from);
  // As given, or taken; nothing where they are not.
  std::optional<int> readonly_given() const { return numbers_.max_requests_inflight; }
  std::optional<int> mutating_given() const { return numbers_.max_mutating_requests_inflight; }
  std::optional<int> sum_given() const { return numbers_.server_concurrency; }
  int read_only() const { return numbers_.read_only(); }
  int mutating() const { return numbers_.mutating(); }
  bool given() const { return numbers_.given(); }
  // Numbers of flags that begin with `prefix` take the place of those given so far. Throws UsageError.
  void replace(const std::string& prefix, const std::optional<std::string>& readonly,
               const std::optional<std::string>& mutating, const std::optional<std::string>& sum);
  std::string origin() const;  // "600 seats (--max-requests-inflight 400 + …)"
  // "600 seats are assumed: …", where nothing says how many; else empty.
  std::string assumed() const;
  // Throws UsageError if there are none: kube-apiserver does not start so, but with API Priority and Fairness off.
  void need_seats() const;

 private:
  std::optional<std::string> readonly_text_, mutating_text_, sum_text_;
  apf::SeatNumbers numbers_;
};

// -f, --from-cluster, --no-validate
struct ConfigFlags {
  std::vector<std::string> filenames;
  bool no_validate = false;
  ClusterFlags cluster;
  RequireObjects objects;  // declared by commands that have it
  // Set by SettingsFlags: what the settings exclude, and objects of the provider.
  const apf::ProjectSettings* project = nullptr;
  const apf::Preset* preset = nullptr;
  // The server that is to run it: what its levels contradict is a warning. Null: none, or it runs another one.
  const apf::KnownServer* known = nullptr;
  bool notes_maintained = true;  // false: the command's own report has what the server changes by itself
  bool may_hold_none = false;    // files without flow control objects are a warning
  bool warns_of_release = true;  // false: the command's own report says that its release is newer than those known

  void declare(CommandLine& line);
  // Reads the files, prints findings on standard error, fills in defaults and adds the built-in objects.
  // Nothing if there are errors and no --no-validate: the exit code is 2.
  // `read`: gets the texts.
  std::optional<apf::Config> load(const Console& console, const ReleaseFlags& release,
                                  std::vector<apf::ConfigText>* read = nullptr) const;
  std::optional<apf::Config> load(const std::vector<std::string>& paths, const Console& console,
                                  const ReleaseFlags& release, std::vector<apf::ConfigText>* read = nullptr) const;
  std::optional<apf::Config> load(const std::vector<apf::ConfigText>& texts, const std::vector<std::string>& paths,
                                  const Console& console, const ReleaseFlags& release) const;
  // Where `loaded` comes from: "built-in objects of Kubernetes 1.37", "a.yaml, …".
  std::string origin(const apf::Config& loaded, const ReleaseFlags& release) const;
};

// What a command ends with that asks about this configuration: " -f flowcontrol/ --kubernetes-version 1.34".
std::string config_words(const ConfigFlags& config, const ReleaseFlags& release);

}  // namespace apfctl
