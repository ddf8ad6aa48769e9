// The servers that test files are about: their configurations, seats and replays.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <apf/replay.h>
#include <apf/test_file.h>

#include "flags/expectations.h"
#include "flags/options.h"
#include "flags/settings_flags.h"

namespace apfctl {

// What of the command line is true of every file.
struct TestServerFlags {
  ConfigFlags config;
  ReleaseFlags release;
  InflightFlags inflight;
  SettingsFlags settings;
  std::optional<std::string> today;
  bool allow_git = false;
};

class TestJobs {
 public:
  TestJobs(const TestServerFlags& flags, const Console& console) : flags_(flags), console_(console) {}

  // Reads a test file and its configuration. False: it cannot be used, which was printed. Throws apf::Error.
  bool add(const std::string& path);
  const std::vector<apf::TestJob>& jobs() const { return jobs_; }
  // The servers that the files are about, each once.
  const std::vector<std::string>& servers() const { return servers_; }
  // About the releases of the servers.
  const std::vector<apf::Remark>& warnings() const { return warnings_; }

 private:
  struct Replay {
    apf::ReplayOptions options;
    std::optional<Expectations> expectations;
    apf::LogQuestion question;
    std::string error;  // not empty: it cannot be run
  };
  // A test file with what it is about. Jobs point into it.
  struct Loaded {
    apf::TestFile file;
    std::shared_ptr<const apf::Config> config;
    std::map<const apf::ReplaySetup*, Replay> replays;
  };
  struct Server {  // the flags, as the file changes them
    ConfigFlags config;
    ReleaseFlags release;
    InflightFlags inflight;
  };

  // A test file may come from anybody: it starts no program, unless the command line says so.
  void refuse_git(const apf::TestFile& file) const;
  void claim_files(const apf::TestFile& file) const;
  Server server_of(const apf::TestFile& file) const;
  std::shared_ptr<const apf::Config> load(const Server& server);
  apf::LintProject lint_of(const Server& server) const;
  Replay replay_of(const Loaded& loaded, const apf::ReplaySetup& setup, const Server& server) const;

  const TestServerFlags& flags_;
  const Console& console_;
  std::deque<Loaded> loaded_;
  std::vector<apf::TestJob> jobs_;
  std::vector<std::string> servers_;
  std::vector<apf::Remark> warnings_;
  std::map<std::string, std::shared_ptr<const apf::Config>> configs_;  // by paths and release
};

}  // namespace apfctl
