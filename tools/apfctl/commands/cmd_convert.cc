// apfctl convert: objects in another version of the flow control API.

#include <fmt/core.h>

#include <optional>

#include <apf/config.h>
#include <apf/report.h>

#include "commands/rewrite.h"
#include "shared/commands.h"
#include "shared/words.h"

namespace apfctl {

namespace {

using apf::FlowControlVersion;
const Choices<FlowControlVersion> kVersions = {{"v1", FlowControlVersion::v1},
                                               {"v1beta3", FlowControlVersion::v1beta3},
                                               {"v1beta2", FlowControlVersion::v1beta2},
                                               {"v1beta1", FlowControlVersion::v1beta1},
                                               {"v1alpha1", FlowControlVersion::v1alpha1}};

const std::string& word_of(FlowControlVersion version) { return kVersions.words()[static_cast<std::size_t>(version)]; }

// The version to write: as given, else the newest that the release serves.
FlowControlVersion target_version(std::string to, const ReleaseFlags& release) {
  if (to.empty() && !release.given)
    throw UsageError("--to is missing; expected one of v1, v1beta3, v1beta2, v1beta1, v1alpha1");
  if (to.empty()) return apf::newest_served(release.version);
  if (to.starts_with(kFlowControlGroup)) to.erase(0, kFlowControlGroup.size());
  const FlowControlVersion version = kVersions.parse("--to", to);
  if (release.given && !apf::serves(release.version, version))
    throw UsageError(fmt::format("--to {}: Kubernetes {} does not serve it; its newest version is {}", to,
                                 release.version.str(), word_of(apf::newest_served(release.version))));
  return version;
}

}  // namespace

int cmd_convert(CommandLine& line) {
  RewriteFlags flags;
  ReleaseFlags release;
  std::string to;
  line.synopsis("convert --to VERSION FILE... [FLAG]...");
  line.about(
      "How do these objects look in another API version?",
      "Converts FlowSchemas and PriorityLevelConfigurations to another version of flowcontrol.apiserver.k8s.io, as "
      "kube-apiserver does: it fills in the defaults of the old version first. With --kubernetes-version, only the "
      "fields that this release knows are left. Reports what is lost on standard error. FILE: a file, a directory, a "
      "glob, or - for standard input.");
  line.example("manifests written before Kubernetes 1.29",
               "apfctl convert --to v1 examples/upgrade-manifests/manifests.yaml");
  line.example("fail unless every object is at v1",
               "apfctl convert --to v1 --check examples/upgrade-manifests/manifests.yaml");
  line.example("for an old cluster, in its version and with its fields",
               "apfctl convert --kubernetes-version 1.25 examples/amok-controller/after.yaml");
  line.heading("Conversion");
  line.option("--to", to, "VERSION",
              "Target version: v1, v1beta3, v1beta2, v1beta1 or v1alpha1. By default the newest that "
              "--kubernetes-version serves.");
  line.choices("--to", kVersions.words());
  line.flag("-w,--write", flags.in_place,
            "Write the objects back to their files; comments and layout stay where names alone change. With --diff: "
            "show these changes, write nothing, and exit 1 if there are any.");
  line.flag("--partial", flags.partial,
            "Of a configuration in the dialect of KEP-1040, write what the API can express. The parts that it cannot "
            "are listed on standard error; exit 1 if there are any.");
  flags.declare(line, "Print no objects; exit 1 if an object changes.");
  release.declare_version(line);
  if (!line.parse()) return 0;
  const std::vector<std::string>& paths = line.arguments(1, CommandLine::kAnyNumber, "the configuration (FILE...)");
  flags.converts = true;
  flags.check_flags();
  release.check();
  release.warn_if_newer(flags.console);
  const FlowControlVersion version = target_version(to, release);
  std::optional<apf::KubeVersion> reader;
  if (release.given) reader = release.version;
  flags.version = release.version;
  if (flags.in_place && flags.check) throw UsageError("-w cannot be combined with --check");
  if (flags.in_place && flags.partial) throw UsageError("-w cannot be combined with --partial");
  if (flags.in_place && !flags.output.given.empty()) throw UsageError("-w cannot be combined with -o");
  if (flags.in_place) return convert_in_place(flags, paths, version, reader);
  const std::string adjective = "converted to " + word_of(version);
  return rewrite_files(flags, paths, adjective.c_str(),
                       [&](const apf::LoadedConfig& loaded, std::span<const apf::ConfigText> texts) {
                         return apf::convert_objects(loaded, texts, version, reader);
                       });
}

}  // namespace apfctl
