// Which .apfctl.yaml is that of a folder, and whose it has to be.
#include "settings/settings_place.h"

#include <apf/error.h>
#include <unistd.h>

#include <map>

#include "catch.h"

using namespace apf;

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kMe = 1000, kOther = 1001;
using Owned = std::map<std::string, std::vector<std::uint32_t>>;

// For somebody in /tmp/w/mine, with these files.
std::string found_among(const Owned& files) {
  const auto owners = [&](const fs::path& path) {
    const auto at = files.find(path.string());
    return at == files.end() ? std::vector<std::uint32_t>() : at->second;
  };
  try {
    return find_settings("/tmp/w/mine", kMe, owners).string();
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("The nearest settings are found up to the root of the work tree", "[lint][settings]") {
  CHECK(found_among({}).empty());
  CHECK(found_among({{"/tmp/.apfctl.yaml", {kMe}}}).empty());
  CHECK(found_among({{"/tmp/.apfctl.yaml", {kMe}}, {"/tmp/w/.git", {kMe}}}).empty());
  CHECK(found_among({{"/tmp/.apfctl.yaml", {kMe}}, {"/tmp/.git", {kMe}}}) == "/tmp/.apfctl.yaml");
  CHECK(found_among({{"/tmp/.apfctl.yaml", {kMe}}, {"/tmp/w/.apfctl.yaml", {0}}, {"/tmp/.git", {0}}}) ==
        "/tmp/w/.apfctl.yaml");
}

TEST_CASE("Settings above the folder count only if they and the repository are the user's or root's",
          "[lint][settings]") {
  const std::string cure =
      ": settings above the current folder count only if they and the repository belong to you or to root; give "
      "--config /tmp/.apfctl.yaml to use them, or --no-config";
  CHECK(found_among({{"/tmp/.apfctl.yaml", {kOther}}, {"/tmp/.git", {kMe}}}) ==
        "/tmp/.apfctl.yaml belongs to user 1001" + cure);
  CHECK(found_among({{"/tmp/.apfctl.yaml", {0}}, {"/tmp/.git", {kOther}}}) == "/tmp/.git belongs to user 1001" + cure);
  // A link of another user to a file of the user.
  CHECK(found_among({{"/tmp/.apfctl.yaml", {kMe, kOther}}, {"/tmp/.git", {kMe}}}) ==
        "/tmp/.apfctl.yaml belongs to user 1001" + cure);
  // Without settings nobody asks whose the repository is; and the current folder is the user's choice.
  CHECK(found_among({{"/tmp/.git", {kOther}}}).empty());
  CHECK(found_among({{"/tmp/w/mine/.apfctl.yaml", {kOther}}, {"/tmp/.git", {kOther}}}) == "/tmp/w/mine/.apfctl.yaml");
}

TEST_CASE("The owners of a file are those of the link to it, too", "[lint][settings]") {
  const fs::path link = fs::temp_directory_path() / ("apf-settings-place-" + std::to_string(::getpid()));
  fs::create_symlink("/", link);
  CHECK(owners_of_file(link) == std::vector<std::uint32_t>{0, ::geteuid()});
  fs::remove(link);
  CHECK(owners_of_file(link).empty());
}
