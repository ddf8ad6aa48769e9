// apfctl diff: which requests, seats, queues and hands a change of the configuration changes, without a log.

#include <apf/change.h>
#include <apf/error.h>
#include <apf/output.h>
#include <apf/report.h>

#include "flags/next_command.h"
#include "flags/options.h"
#include "flags/report_output.h"
#include "flags/side_flags.h"
#include "shared/commands.h"
#include "shared/exit_code.h"
#include "shared/git_objects.h"
#include "shared/input.h"
#include "shared/sources.h"

namespace apfctl {

namespace {

enum class FailOn { any, moved, limits };
const Choices<FailOn> kFailOn = {{"any", FailOn::any}, {"moved", FailOn::moved}, {"limits", FailOn::limits}};

struct DiffFlags {
  Console console;
  OutputFlags output;
  SideFlags sides;
  std::string fail_on = "any";
};

void declare(CommandLine& line, DiffFlags& flags) {
  line.synopsis("diff OLD NEW [FLAG]...\n       apfctl diff --from-cluster NEW [FLAG]...");
  line.about(
      "Whose requests and which limits does a new configuration change?",
      "Shows what a change does to the server: the requests that get another FlowSchema or priority level, each region "
      "with a request that shows it; the levels whose seats or queues change, and why; and the flows that get other "
      "hands. OLD and NEW: a file, a directory, a glob, - for standard input, git:REV[:PATH] for what git keeps, or "
      "builtins@VERSION for a release's own objects (builtins: those of the release that is named, which both are "
      "where only --old and --new are given). Exits 1 if anything differs in effect.");
  line.example("what does this change do?",
               "apfctl diff examples/amok-controller/before.yaml examples/amok-controller/after.yaml");
  line.example("what does an upgrade change?", "apfctl diff builtins@1.28 builtins@1.33");
  line.example("fail only if requests go elsewhere",
               "apfctl diff builtins@1.37 examples/amok-controller/after.yaml --fail-on moved");
  line.heading("Comparison");
  line.option("--fail-on", flags.fail_on, "WHAT",
              "Exit 1 if anything differs in effect (any, default), only if requests move (moved), or only if the "
              "seats or queues of a level change (limits).");
  line.choices("--fail-on", kFailOn.words());
  flags.sides.declare(line);
  flags.output.declare(line, {"text", "json", "markdown", "html", "svg", "github"});
  flags.console.declare(line);
}

std::string setup_of(const SideFlags::Side& side) {
  return side.name + ", Kubernetes " + side.version.str() + ", " + side.inflight.origin();
}

// Whether NEW is sound by itself.
apf::Passage next_of(const CommandLine& line, const std::string& path) {
  if (path == "-" || path == kOwnBuiltins || builtins_release(path) || is_in_git(path)) return next_passage({});
  return next_passage({filled_in(line, "lint", path_word(path))});
}

apf::DiffSide side_of(const SideFlags::Side& side) {
  return {&side.config, side.version,    side.server_concurrency_limit,   side.name,
          side.flags,   side.maintained, !side.inflight.assumed().empty()};
}

}  // namespace

int cmd_diff(CommandLine& line) {
  DiffFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  const std::size_t given = flags.sides.sides({}).empty() ? 2 : 1;
  std::vector<std::string> paths = flags.sides.sides(line.arguments(0, given, ""));
  // An upgrade, and no objects but the built-in ones.
  if (paths.empty() && flags.sides.differ()) paths = {kOwnBuiltins, kOwnBuiltins};
  else if (paths.size() < 2) line.arguments(given, given, given == 2 ? "OLD or NEW" : "NEW");
  flags.console.check();
  flags.output.check();
  if (!flags.sides.check(flags.console)) return kUsageOrInput;
  const FailOn fail_on = kFailOn.parse("--fail-on", flags.fail_on);
  const std::optional<SideFlags::Side> old_side = flags.sides.load(0, paths[0], flags.console);
  std::optional<SideFlags::Side> new_side = flags.sides.load(1, paths[1], flags.console);
  if (!old_side || !new_side) return kUsageOrInput;
  flags.sides.note_maintained(*old_side, flags.console);
  // An upgrade: the new server finds the objects of the old one, and begins with its own.
  if (old_side->version != new_side->version) flags.sides.maintain(*new_side, *old_side);
  else flags.sides.note_maintained(*new_side, flags.console);
  const apf::ConfigDiff diff = apf::diff_configs(side_of(*old_side), side_of(*new_side));
  const std::string assumed = diff.limits.empty() ? std::string() : old_side->inflight.assumed();
  write_report(
      flags.output, flags.console,
      [&](const apf::View& view) {
        return told(apf::document_of(diff, view), view, assumed, next_of(line, paths.back()));
      },
      [&] { return apf::render_json(diff); },
      {{"github", [&] { return apf::render_github(diff) + github_notice("diff", assumed); }}},
      {{"OLD", setup_of(*old_side)}, {"NEW", setup_of(*new_side)}});
  const bool fails = fail_on == FailOn::moved    ? diff.moves()
                     : fail_on == FailOn::limits ? !diff.limits.empty()
                                                 : !diff.equal();
  if (!fails && !diff.complete && fail_on != FailOn::limits)
    throw apf::Error(
        "whether requests move is not decided: there is too much to look at; compare fewer objects at once");
  return fails ? kNotOk : 0;
}

}  // namespace apfctl
