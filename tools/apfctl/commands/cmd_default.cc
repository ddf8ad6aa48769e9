// apfctl default: objects as the server would store and serve them.

#include <algorithm>
#include <iterator>
#include <optional>

#include <apf/config.h>

#include "commands/builtin_objects.h"
#include "commands/rewrite.h"
#include "shared/commands.h"

namespace apfctl {

namespace {

// The built-in objects that the configuration has no object of its own for.
apf::Config missing_builtins(const apf::Config& given, const ReleaseFlags& release) {
  apf::Config out = apf::bootstrap_config(release.version, release.builtins);
  const auto drop = [](auto& objects, const auto& own) {
    std::erase_if(objects, [&](const auto& object) {
      return std::any_of(own.begin(), own.end(), [&](const auto& o) { return o.meta.name == object.meta.name; });
    });
  };
  drop(out.priority_levels, given.priority_levels);
  drop(out.flow_schemas, given.flow_schemas);
  return out;
}

}  // namespace

int cmd_default(CommandLine& line) {
  RewriteFlags flags;
  ReleaseFlags release;
  bool with_builtins = false;
  line.synopsis("default FILE... [FLAG]...");
  line.about(
      "What does the server store of the objects that you write?",
      "Fills in the defaults that kube-apiserver would fill in, and prints the objects, each in its own API version: "
      "FlowSchemas, PriorityLevelConfigurations, ResourceQuotas, LimitRanges, the configurations of admission plugins, "
      "and audit policies, which have no defaults. FILE: a file, a directory, a glob, or - for standard input.");
  line.example("which defaults does the server fill in?", "apfctl default --diff examples/amok-controller/after.yaml");
  line.example("fail if an object relies on defaults", "apfctl default --check examples/amok-controller/after.yaml");
  line.example("all objects that a server with these would have",
               "apfctl default --with-builtins examples/amok-controller/after.yaml");
  flags.declare(line, "Print no objects; exit 1 if a default is filled in.");
  line.heading("Server");
  line.flag(
      "--with-builtins", with_builtins,
      "Also print the built-in objects that the server adds, those of --builtins: all but the ones that FILE has.");
  release.declare(line);
  if (!line.parse()) return 0;
  const std::vector<std::string>& paths = line.arguments(1, CommandLine::kAnyNumber, "the configuration (FILE...)");
  flags.check_flags();
  release.check();
  if (with_builtins && (flags.diff || flags.check))
    throw UsageError("--with-builtins cannot be combined with --diff or --check");
  return rewrite_files(flags, paths, "defaulted",
                       [&](const apf::LoadedConfig& loaded, std::span<const apf::ConfigText> texts) {
                         flags.settings.fill(release);
                         release.warn_if_newer(flags.console);
                         std::optional<apf::KubeVersion> reader;
                         if (release.version_given()) reader = release.version;
                         flags.version = release.version;
                         apf::Rewritten out = apf::default_objects(loaded, texts, reader);
                         if (!with_builtins) return out;
                         if (apf::is_kep(loaded.config))
                           throw UsageError("--with-builtins: the dialect of KEP-1040 has no built-in objects");
                         auto added = builtin_objects(missing_builtins(loaded.config, release), release.version);
                         std::move(added.begin(), added.end(), std::back_inserter(out.objects));
                         return out;
                       });
}

}  // namespace apfctl
