// The settings of a project (.apfctl.yaml), which say what is true of its cluster, and the presets of providers.
// load_settings() of apf/lint.h, which knows the rules, reads the file.
//
//   const apf::Preset* preset = apf::find_preset("openshift");
//   std::printf("%d\n", *preset->max_requests_inflight);  // 3000
//
// Results are values, and presets live as long as the program. Every function may be called from several threads at
// once.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>
#include <apf/findings.h>
#include <apf/version.h>

namespace apf {

// --- presets ---

// What a provider documents of the servers that it runs. What is not documented is not here.
struct Preset {
  struct Fact {
    std::string what;    // "--max-requests-inflight 3000"
    std::string source;  // URL of the documentation, or of the provider's own manifest
    std::string date;    // when it was read there: "2026-11-22"
  };
  std::string name;   // "openshift"
  std::string title;  // a phrase
  std::optional<int> max_requests_inflight, max_mutating_requests_inflight, server_concurrency;
  std::optional<int> min_request_timeout;  // seconds
  std::string objects;              // YAML: what the provider adds to the cluster; empty = nothing that is documented
  std::vector<Fact> facts;          // one for each number and each object
  std::vector<std::string> limits;  // what the documentation leaves open, as sentences
};

// All of them, by provider, then by size.
APF_API std::span<const Preset> presets();
// Null if there is none of that name.
APF_API const Preset* find_preset(std::string_view name);
// Preset::objects, with defaults.
APF_API Config preset_objects(const Preset& preset);
// Adds the objects of `added` whose names `config` does not have.
APF_API Config with_objects(Config config, const Config& added);

// --- seats ---

// A server's two limits, or their sum, by several sources: flags, then settings, then files of the server, then a
// preset. The first one that says anything decides; of flags that name one limit alone, the next source says the other.
struct SeatNumbers {
  std::optional<int> max_requests_inflight, max_mutating_requests_inflight;
  std::optional<int> server_concurrency;  // the sum, in place of the two
  std::string from;                       // what said it; empty: flags, or nothing

  bool given() const { return max_requests_inflight || max_mutating_requests_inflight || server_concurrency; }
  // What kube-apiserver has by default where nothing is said.
  int read_only() const { return max_requests_inflight.value_or(400); }
  int mutating() const { return max_mutating_requests_inflight.value_or(200); }
  int seats() const { return server_concurrency ? *server_concurrency : read_only() + mutating(); }
  // The numbers of the next source, which `of` names.
  APF_API void take(const std::optional<int>& reads, const std::optional<int>& writes, const std::optional<int>& sum,
                    const std::string& of);
};

// --- settings ---

// What a file says of a server (.apfctl.yaml, a test file, the flags of a plan), by keys that are called as flags are.
struct ServerSetup {
  std::optional<KubeVersion> kubernetes_version;
  std::optional<int> max_requests_inflight, max_mutating_requests_inflight;
  std::optional<int> server_concurrency;  // the sum of the two, in place of them
  std::optional<Builtins> builtins;
  std::string preset;  // the name of a Preset; empty: none
};

// What a .apfctl.yaml says.
struct Settings : ServerSetup {
  struct RuleSetting {
    std::string rule;                  // code, code prefix ("APF3") or name
    std::optional<Severity> severity;  // none: off
  };
  struct PathIgnore {
    std::string path;                // a glob as in .gitignore, relative to the folder of the file
    std::vector<std::string> rules;  // codes, code prefixes, names
  };

  std::vector<std::string> filenames;  // configurations where no -f is given: paths as read_config_files() takes them
  std::vector<std::string> objects;    // files of object counts where no --objects is given
  std::vector<std::string> traffic;    // logs whose requests lint counts where no --log is given; as written
  std::vector<std::string> exclude;    // globs
  std::vector<RuleSetting> rules;
  std::vector<PathIgnore> ignore;
  std::string baseline;  // as written: relative to the file's folder; empty = none
  std::optional<Severity> fail_on;
};

// A .apfctl.yaml and the folder that its paths are relative to.
struct ProjectSettings {
  std::string path;  // empty: there is none
  std::string folder = ".";
  Settings settings;
  std::vector<Diagnostic> faults;  // of the file; with any, `settings` is not to be used
  std::vector<ConfigText> texts;   // the file, for rendering the faults
};

// `path`, which a settings file names, as seen from the current folder.
APF_API std::string project_path(const ProjectSettings& project, const std::string& path);

// Removes the texts that the settings exclude and returns how many there were.
APF_API std::size_t remove_excluded(std::vector<ConfigText>& texts, const ProjectSettings& project);

}  // namespace apf
