// apfctl version: what is running, from which commit and how it was built, and the libraries it was built with.

#include <fmt/core.h>
#include <unistd.h>
#include <CLI/Version.hpp>

#include <apf/output.h>
#include <apf/version.h>

#include "flags/report_output.h"
#include "shared/build_info.h"
#include "shared/commands.h"

namespace apfctl {

namespace {

std::string apf_version() { return fmt::format("{}.{}.{}", APF_VERSION_MAJOR, APF_VERSION_MINOR, APF_VERSION_PATCH); }

#ifdef __clang__
constexpr std::string_view kCompiler = "clang++ " __clang_version__;
#else
constexpr std::string_view kCompiler = "g++ " __VERSION__;
#endif

// Debian's clang has a blank after its version.
std::string_view compiler() { return kCompiler.substr(0, kCompiler.find_last_not_of(' ') + 1); }

std::vector<apf::LibraryVersion> libraries() {
  std::vector<apf::LibraryVersion> all = apf::library_versions();
  all.push_back({"CLI11", CLI11_VERSION});
  return all;
}

std::string version_json() {
  apf::JsonWriter json;
  const std::string_view commit = kBuildInfo.commit;
  json.begin_object().field("version", apf_version()).key("commit");
  commit.empty() ? json.null() : json.value(commit);
  json.key("kubernetes")
      .begin_object()
      .field("oldest", apf::kOldestKubeVersion.str())
      .field("newest", apf::kNewestKubeVersion.str())
      .field("next", apf::kNextKubeVersion.str());
  json.end_object().key("libraries").begin_object();
  for (const apf::LibraryVersion& library : libraries()) json.field(library.name, library.version);
  json.end_object().key("build").begin_object();
  json.field("compiler", compiler()).field("flags", kBuildInfo.flags);
  json.end_object().end_object();
  return json.take();
}

apf::Document document() {
  const std::string_view commit = kBuildInfo.commit;
  apf::Document out("apfctl");
  apf::Passage& said = out.section();
  const auto say = [&](std::string line) { said.item(std::move(line), "", apf::Tone::plain, apf::Passage::kUnbroken); };
  say(fmt::format("apfctl {}{}{}", apf_version(), commit.empty() ? "" : ", commit ", commit));
  say(fmt::format("Kubernetes {} to {}, and {}, which is not out yet", apf::kOldestKubeVersion.str(),
                  apf::kNewestKubeVersion.str(), apf::kNextKubeVersion.str()));
  for (const apf::LibraryVersion& library : libraries()) say(fmt::format("{} {}", library.name, library.version));
  say(fmt::format("Built by {} with {}", compiler(), kBuildInfo.flags));
  return out;
}

}  // namespace

int cmd_version(CommandLine& line) {
  Console console;
  OutputFlags output;
  line.synopsis("version [FLAG]...");
  line.about(
      "Which version is this, and which releases does it know?",
      "Shows the version of apfctl and the commit it was built from, the supported Kubernetes releases, the libraries "
      "that apfctl was built with, and the compiler and its flags.");
  line.example("for people", "apfctl version");
  line.example("for scripts", "apfctl version -o json");
  line.example("for a page", "apfctl version -o markdown");
  output.declare(line, {"text", "json", "markdown", "html"});
  console.declare(line);
  if (!line.parse()) return 0;
  line.arguments(0, 0, "");
  console.check();
  output.check();
  write_report(
      output, console, [](const apf::View&) { return document(); }, version_json);
  return 0;
}

}  // namespace apfctl
