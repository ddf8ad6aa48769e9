// The settings of a project: .apfctl.yaml, which says what is true of its cluster, and the presets of providers.
//
//   const apf::ProjectSettings project = apf::load_settings();
//   if (!project.faults.empty()) std::puts(project.faults.front().message.c_str());
//   const apf::Preset* preset = apf::find_preset("openshift");
//   std::printf("%d\n", *preset->max_requests_inflight);  // 3000
//
// Ownership: results are values; presets live as long as the program. Threads: every function may be called from
// several threads at once. Errors: faults in a settings file are in ProjectSettings::faults; a file that cannot be read
// throws apf::Error.
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

// --- settings ---

struct Settings {
  struct RuleSetting {
    std::string rule;                  // code, code prefix ("APF3") or name
    std::optional<Severity> severity;  // none: off
  };
  struct PathIgnore {
    std::string path;                // a glob as in .gitignore, relative to the folder of the file
    std::vector<std::string> rules;  // codes, code prefixes, names
  };

  std::optional<KubeVersion> kubernetes_version;
  std::optional<int> max_requests_inflight, max_mutating_requests_inflight, server_concurrency;
  std::string preset;                  // the name of a Preset; empty = none
  std::vector<std::string> filenames;  // configurations where no -f is given: paths as read_config_files() takes them
  std::vector<std::string> objects;    // files of object counts where no --objects is given
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

// The settings in the file `path`; without a path those in the .apfctl.yaml found from the current folder upward to the
// root of the git work tree (outside of one only the current folder is looked at). Throws Error for a file that cannot
// be read.
APF_API ProjectSettings load_settings(const std::optional<std::string>& path = std::nullopt);

// `path`, which a settings file names, as seen from the current folder.
APF_API std::string project_path(const ProjectSettings& project, const std::string& path);

// Removes the texts that the settings exclude and returns how many there were.
APF_API std::size_t remove_excluded(std::vector<ConfigText>& texts, const ProjectSettings& project);

}  // namespace apf
