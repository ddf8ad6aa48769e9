// apfctl limits: the seats of each priority level of a configuration.

#include <algorithm>

#include <apf/limits.h>
#include <apf/report.h>

#include "flags/options.h"
#include "flags/report_output.h"
#include "flags/settings_flags.h"
#include "shared/commands.h"
#include "shared/completion_words.h"
#include "shared/exit_code.h"
#include "shared/suggest.h"

namespace apfctl {

namespace {

struct LimitsFlags {
  Console console;
  OutputFlags output;
  ConfigFlags config;
  ReleaseFlags release;
  SettingsFlags settings;
  InflightFlags inflight;
};

void declare(CommandLine& line, LimitsFlags& flags) {
  line.synopsis("limits [LEVEL]... [-f PATH]... [FLAG]...");
  line.about(
      "How many seats does each priority level have?",
      "Shows the seats of each priority level: its nominal limit and how it is computed, how many seats it lends and "
      "borrows, its limit right after the server starts, its queues, and the most seats that one request can take. "
      "LEVEL: "
      "only these.");
  line.example("the built-in levels on a larger server", "apfctl limits --server-concurrency 2400");
  line.example("how many seats do my levels leave for the others?",
               "apfctl limits -f examples/amok-controller/after.yaml");
  line.example("by what a live server says of itself", "apfctl limits --server examples/live-server/metrics-1.txt");
  line.argument_choices(built_in_levels());
  flags.config.declare(line);
  flags.release.declare(line);
  flags.inflight.declare(line);
  flags.settings.declare(line);
  flags.output.declare(line, {"text", "json", "markdown", "html", "wide"});
  flags.console.declare(line);
}

// Only those levels, in the order of the table.
void keep(const std::vector<std::string>& wanted, apf::LimitsTable& table, const CommandLine& line) {
  std::vector<std::string> names;
  for (const apf::LevelLimits& level : table.levels) names.push_back(level.name);
  for (const std::string& name : wanted)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw UsageError("there is no priority level " + apf::printable(name) +
                       (meant_file(line, name).empty() ? did_you_mean(name, names) : meant_file(line, name)));
  if (!wanted.empty())
    std::erase_if(table.levels, [&](const apf::LevelLimits& level) {
      return std::find(wanted.begin(), wanted.end(), level.name) == wanted.end();
    });
}

}  // namespace

int cmd_limits(CommandLine& line) {
  LimitsFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  const std::vector<std::string>& wanted = line.arguments(0, CommandLine::kAnyNumber, "LEVEL");
  flags.console.check();
  flags.output.check();
  flags.release.check();
  flags.inflight.check();
  if (!flags.settings.read(flags.console, &flags.config.cluster)) return kUsageOrInput;
  flags.settings.fill(flags.release);
  flags.release.note_patch(flags.console);
  flags.settings.fill(flags.inflight);
  flags.inflight.need_seats();
  flags.settings.fill(flags.config);
  const std::optional<apf::Config> config = flags.config.load(flags.console, flags.release);
  if (!config) return kUsageOrInput;
  apf::LimitsTable table = apf::compute_limits(*config, flags.inflight.server_concurrency_limit, flags.release.version);
  keep(wanted, table, line);
  write_report(
      flags.output, flags.console,
      [&](const apf::View&) {
        apf::Document out = apf::document_of(table);
        apf::Passage& server = out.sections.emplace_front();
        server.fact("Server:        ", flags.release.words() + ", " + flags.inflight.origin());
        server.fact("Configuration: ", flags.config.origin(*config, flags.release));
        return out;
      },
      [&] {
        std::vector<apf::Remark> warnings = remarks_about(*config, flags.release);
        if (!flags.inflight.assumed().empty()) apf::warn_of_seats(table.server_concurrency_limit, warnings);
        return apf::render_json(table, warnings);
      });
  return 0;
}

}  // namespace apfctl
