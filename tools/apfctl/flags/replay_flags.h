// The flags of replay, and the options that they set.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <apf/log_question.h>
#include <apf/replay.h>

#include "flags/coverage_flags.h"
#include "flags/dump_flags.h"
#include "flags/memory_flag.h"
#include "flags/options.h"
#include "flags/recorded_flags.h"
#include "flags/settings_flags.h"
#include "flags/table_flags.h"

namespace apfctl {

struct ReplayFlags {
  Console console;
  OutputFlags output;
  ConfigFlags config;
  ReleaseFlags release;
  InflightFlags inflight;
  SettingsFlags settings;
  LogFlags log;
  TableFlags table;
  bool apf_was_off = false;       // in the server that wrote the log
  bool leaves_out_wrong = false;  // a wrong number in the server's own log is no error
  RecordedFlags recorded;
  CoverageFlags coverage;
  DumpFlags dumps;
  MemoryFlag memory;
  std::string threads = "0", top = "10", spread = "0", decisions_fields;
  std::string decisions, timeline, metrics, pages;
  bool allow_empty = false, allow_disagreement = false;
  std::optional<std::string> systems;
  bool no_experiments = false;
  std::vector<std::string> config_at, expect, objects;

  void declare(CommandLine& line);
  // Those about the log and its server, its clients, the stages and the clock alone, for another command.
  void declare_traffic(CommandLine& line);
  // Parts of them, for other commands that replay: how the log is read, and what the server does.
  void declare_reading(CommandLine& line);
  void declare_changes(CommandLine& line);  // --config-at
  void declare_lists(CommandLine& line);    // --top
  // False: .apfctl.yaml has faults, which are printed. Throws UsageError.
  bool check();
  void check_systems() const;
  // What is asked of its log, and what is said of its server. After check().
  apf::LogQuestion question() const;
  // The options from the flags and from the files of --objects.
  apf::ReplayOptions options() const;
  // Those of the table. Throws UsageError.
  void set_table(apf::ReplayOptions& options) const;
  // Loads the configurations. False if one has errors. `read`: gets the texts of the replayed one.
  bool load_configs(apf::ReplayOptions& options, std::vector<apf::ConfigText>* read = nullptr);
};

// --allow-disagreement.
void declare_allow_disagreement(CommandLine& line, bool& allowed);

// Throws UsageError: with max-in-flight in its place, requests have no widths.
void refuse_widths_without_seats(const apf::ReplayOptions& options);

// TIME=PATH, the value of --config-at. Throws UsageError.
std::pair<apf::ReplayTime, std::string> parse_change(const char* flag, const std::string& text);

// Whether one of the outputs has the report's remarks.
bool has_remarks(const OutputFlags& output);

}  // namespace apfctl
