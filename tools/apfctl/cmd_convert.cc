// apfctl convert: objects in another version of the flow control API.

#include <apf/convert.h>
#include <apf/report.h>

#include "commands.h"
#include "rewrite.h"

namespace apfctl {

namespace {

using apf::FlowControlVersion;
const Choices<FlowControlVersion> kVersions = {{"v1", FlowControlVersion::v1},
                                               {"v1beta3", FlowControlVersion::v1beta3},
                                               {"v1beta2", FlowControlVersion::v1beta2},
                                               {"v1beta1", FlowControlVersion::v1beta1}};

constexpr std::string_view kGroup = "flowcontrol.apiserver.k8s.io/";

}  // namespace

int cmd_convert(CommandLine& line) {
  RewriteFlags flags;
  std::string to;
  line.synopsis("convert --to VERSION FILE... [FLAG]...");
  line.about(
      "Rewrites FlowSchemas and PriorityLevelConfigurations in another version of flowcontrol.apiserver.k8s.io, as "
      "kube-apiserver "
      "does it: defaults of the old version are filled in first. What does not survive is told on standard error. "
      "FILE: a file, a "
      "directory, a glob, or - for standard input.");
  line.example("manifests from before Kubernetes 1.29", "apfctl convert --to v1 old.yaml > new.yaml");
  line.example("is everything at v1? (exit code 1 if not)", "apfctl convert --to v1 --check flowcontrol/");
  line.heading("Conversion");
  line.option("--to", to, "VERSION", "v1, v1beta3, v1beta2 or v1beta1.");
  line.choices("--to", kVersions.words());
  flags.declare(line, "Write nothing; exit with 1 when an object changes.");
  if (!line.parse()) return 0;
  const std::vector<std::string>& paths = line.arguments(1, CommandLine::kAnyNumber, "the configuration (FILE...)");
  flags.check_flags();
  if (to.empty()) throw UsageError("--to is missing: it is one of v1, v1beta3, v1beta2, v1beta1");
  if (to.starts_with(kGroup)) to.erase(0, kGroup.size());
  const FlowControlVersion version = kVersions.parse("--to", to);
  const std::string adjective = "converted to " + to;
  return rewrite_files(flags, paths, adjective.c_str(),
                       [&](const apf::LoadedConfig& loaded, std::span<const apf::ConfigText> texts) {
                         return apf::convert_objects(loaded, texts, version);
                       });
}

}  // namespace apfctl
