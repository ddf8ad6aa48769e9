// PATH arguments: files, directories, globs; and releases.
#include <apf/config.h>
#include <apf/error.h>
#include <apf/version.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.h"

using namespace apf;
namespace fs = std::filesystem;

namespace {

// A directory that goes away with the test.
class TempDir {
 public:
  TempDir() {
    std::string pattern = (fs::temp_directory_path() / "apf-files-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TempDir() { fs::remove_all(path_); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((fs::path(path_) / name).parent_path());
    std::ofstream(path_ + "/" + name) << text;
    return path_ + "/" + name;
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::vector<std::string> names(const TempDir& dir, const std::vector<std::string>& paths) {
  std::vector<std::string> result;
  for (const ConfigText& text : read_config_files(paths)) {
    REQUIRE(text.name.starts_with(dir.path() + "/"));
    result.push_back(text.name.substr(dir.path().size() + 1) + "=" + text.text);
  }
  return result;
}

std::string error_of(const std::vector<std::string>& paths) {
  try {
    read_config_files(paths);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("files: directories are walked in byte order for .yaml .yml .json", "[config]") {
  const TempDir dir;
  dir.write("b.yaml", "1");
  dir.write("a/z.yml", "2");
  dir.write("a/y.json", "3");
  dir.write("a/readme.md", "4");
  dir.write("B.yaml", "5");
  dir.write("a.yaml", "6");
  dir.write(".git/c.yaml", "7");
  dir.write(".apfctl.yaml", "8");
  CHECK(names(dir, {dir.path()}) == Names{"B.yaml=5", "a.yaml=6", "a/y.json=3", "a/z.yml=2", "b.yaml=1"});
  CHECK(names(dir, {dir / "a"}) == Names{"a/y.json=3", "a/z.yml=2"});
  // A file that is named is read under any name, and once.
  CHECK(names(dir, {dir / "a/readme.md", dir / ".apfctl.yaml", dir / "a/readme.md"}) ==
        Names{"a/readme.md=4", ".apfctl.yaml=8"});
}

TEST_CASE("files: globs, with directories among their matches", "[config]") {
  const TempDir dir;
  dir.write("x1.yaml", "1");
  dir.write("x2.yaml", "2");
  dir.write("x3/y.yaml", "3");
  dir.write("[z].yaml", "4");
  CHECK(names(dir, {dir / "x*"}) == Names{"x1.yaml=1", "x2.yaml=2", "x3/y.yaml=3"});
  CHECK(names(dir, {dir / "x?.yaml"}) == Names{"x1.yaml=1", "x2.yaml=2"});
  CHECK(names(dir, {dir / "[z].yaml"}) == Names{"[z].yaml=4"});  // exists under this very name
}

TEST_CASE("files: what cannot be read says why and what to do", "[config]") {
  const TempDir dir;
  fs::create_directories(dir / "empty");
  CHECK(error_of({dir / "none.yaml"}) == dir / "none.yaml does not exist; give a file, a directory, a glob or -");
  CHECK(error_of({dir / "*.yaml"}) ==
        "no file matches " + (dir / "*.yaml") + "; check the pattern and the current directory");
  CHECK(error_of({dir / "empty"}) ==
        "the directory " + (dir / "empty") + " holds no .yaml, .yml or .json file; name the files instead");
  const std::string big = dir.write("big.yaml", "");
  fs::resize_file(big, (std::uintmax_t{256} << 20) + 1);
  CHECK(error_of({big}) == big + " is larger than 256 MiB; give configuration files, not logs or dumps");
  if (geteuid() != 0) {  // root reads everything
    const std::string locked = dir.write("locked.yaml", "x");
    fs::permissions(locked, fs::perms::none);
    CHECK(error_of({locked}) == "cannot open " + locked + ": Permission denied");
  }
}

TEST_CASE("KubeVersion: releases since 1.20 in the ways people write them", "[config]") {
  const auto minor = [](std::string_view text) { return KubeVersion::parse(text).value_or(KubeVersion{0}).minor; };
  CHECK(minor("1.36") == 36);
  CHECK(minor("v1.20") == 20);
  CHECK(minor("1.31.4") == 31);
  CHECK(minor("v1.31.2-eks-a737599") == 31);
  CHECK(minor("1.30.1+k3s1") == 30);
  CHECK(minor("v1.37.2-eks-1a2b3c") == 37);
  CHECK(minor("v1.36.4+rke2r1") == 36);
  CHECK(minor("1.31.2_1535") == 31);
  CHECK(minor("1.36+") == 36);
  CHECK(minor("1.38.0-alpha.2") == 38);
  for (const char* text : {"", "1", "1.", "1.19", "1.3", "2.30", "1.x", "1.30.", "1.30.x", "1.30x", "1.30.1.2", "1.-30",
                           "1.30.-1", "v", "1.300000000000"}) {
    INFO(text);
    CHECK(minor(text) == 0);
  }
  CHECK(KubeVersion{29}.str() == "1.29");
  CHECK(KubeVersion{29} < KubeVersion{30});
  CHECK(KubeVersion::parse("1.31.4")->patch == 4);
  CHECK(KubeVersion::parse("1.31")->patch == KubeVersion::kNewestPatch);
  CHECK(kube_versions().size() == 19);
}

TEST_CASE("KubeVersion: a release that is newer than all known ones is taken for the newest of them", "[config]") {
  for (const char* text : {"1.39", "v1.39", "1.39-gke.1", "1.39+"}) {
    INFO(text);
    const std::optional<KubeVersion> release = KubeVersion::parse(text);
    REQUIRE(release);
    CHECK(release->str() == "1.39");
    CHECK(release_remarks(*release) ==
          std::vector<Remark>{{.kind = RemarkKind::release_newer, .name = "1.39", .detail = "1.38"}});
  }
  CHECK(KubeVersion::parse("v1.39.2-eks-1a2b3c")->str() == "1.39.2");
  CHECK(release_remarks(kNextKubeVersion) ==
        std::vector<Remark>{{.kind = RemarkKind::release_not_out, .name = "1.38"}});
  CHECK(release_remarks(kNewestKubeVersion).empty());
  CHECK(release_remarks(kOldestKubeVersion).empty());
}

TEST_CASE("KubeVersion: a number that lost its zero is named", "[config]") {
  CHECK(unsupported_release("1.19") == "unsupported version 1.19 (supported: 1.20 and newer)");
  CHECK(unsupported_release("1.3") ==
        "unsupported version 1.3 (supported: 1.20 and newer; if it is 1.30, quote it: as a number it loses its 0)");
}
