// apfctl version: what is running, and the libraries it was built with.

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/Version.hpp>

#include <apf/json.h>
#include <apf/version.h>

#include "commands.h"
#include "options.h"

namespace apfctl {

namespace {

std::string apf_version() { return fmt::format("{}.{}.{}", APF_VERSION_MAJOR, APF_VERSION_MINOR, APF_VERSION_PATCH); }

std::vector<apf::LibraryVersion> libraries() {
  std::vector<apf::LibraryVersion> all = apf::library_versions();
  all.push_back({"CLI11", CLI11_VERSION});
  return all;
}

std::string render_json() {
  apf::JsonWriter json;
  json.begin_object().field("version", apf_version());
  json.key("kubernetes")
      .begin_object()
      .field("oldest", apf::kOldestKubeVersion.str())
      .field("newest", apf::kNewestKubeVersion.str());
  json.end_object().key("libraries").begin_object();
  for (const apf::LibraryVersion& library : libraries()) json.field(library.name, library.version);
  json.end_object().end_object();
  return json.take() + "\n";
}

std::string render_text() {
  std::string out = fmt::format("apfctl {}\nKubernetes {} to {}\n", apf_version(), apf::kOldestKubeVersion.str(),
                                apf::kNewestKubeVersion.str());
  for (const apf::LibraryVersion& library : libraries()) out += fmt::format("{} {}\n", library.name, library.version);
  return out;
}

}  // namespace

int cmd_version(CommandLine& line) {
  Console console;
  OutputFlags output;
  line.synopsis("version [FLAG]...");
  line.about(
      "Shows the version of apfctl, the supported Kubernetes releases, and the libraries that apfctl was built with.");
  line.example("for people", "apfctl version");
  line.example("for scripts", "apfctl version -o json");
  output.declare(line, {"text", "json"});
  console.declare(line);
  if (!line.parse()) return 0;
  line.no_arguments();
  console.check();
  output.check();
  output.write(console, [](const std::string& format, const apf::TextStyle&) {
    return format == "json" ? render_json() : render_text();
  });
  return 0;
}

}  // namespace apfctl
