// apfctl convert: objects in another version of the flow control API.

#include <apf/config.h>
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
      "Converts FlowSchemas and PriorityLevelConfigurations to another version of flowcontrol.apiserver.k8s.io, as "
      "kube-apiserver does: it fills in the defaults of the old version first. Reports what the new version cannot "
      "express on standard error. FILE: a file, a directory, a glob, or - for standard input.");
  line.example("manifests written before Kubernetes 1.29", "apfctl convert --to v1 old.yaml > new.yaml");
  line.example("a whole folder, in place", "apfctl convert --to v1 -w flowcontrol/");
  line.example("fail unless every object is at v1", "apfctl convert --to v1 --check flowcontrol/");
  line.heading("Conversion");
  line.option("--to", to, "VERSION", "Target version: v1, v1beta3, v1beta2 or v1beta1.");
  line.choices("--to", kVersions.words());
  line.flag("-w,--write", flags.in_place,
            "Write the objects back to their files; comments and layout stay where names alone change. With --diff: "
            "show these changes, write nothing, and exit 1 if there are any.");
  flags.declare(line, "Print no objects; exit 1 if an object changes.");
  if (!line.parse()) return 0;
  const std::vector<std::string>& paths = line.arguments(1, CommandLine::kAnyNumber, "the configuration (FILE...)");
  flags.converts = true;
  flags.check_flags();
  if (to.empty()) throw UsageError("--to is missing; expected one of v1, v1beta3, v1beta2, v1beta1");
  if (to.starts_with(kGroup)) to.erase(0, kGroup.size());
  const FlowControlVersion version = kVersions.parse("--to", to);
  if (flags.in_place && flags.check) throw UsageError("-w cannot be combined with --check");
  if (flags.in_place && !flags.output.given.empty()) throw UsageError("-w cannot be combined with -o");
  if (flags.in_place) return convert_in_place(flags, paths, version);
  const std::string adjective = "converted to " + to;
  return rewrite_files(flags, paths, adjective.c_str(),
                       [&](const apf::LoadedConfig& loaded, std::span<const apf::ConfigText> texts) {
                         return apf::convert_objects(loaded, texts, version);
                       });
}

}  // namespace apfctl
