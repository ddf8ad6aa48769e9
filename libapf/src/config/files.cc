// PATH arguments into texts: files, directories, globs, standard input.
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include <apf/config.h>
#include <apf/error.h>
#include <apf/input.h>

#include "config/admission_objects.h"
#include "config/files.h"

namespace apf {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileSize = std::size_t{256} << 20;

std::string read_stream(std::FILE* stream, const std::string& name) {
  std::string text;
  struct stat info {};
  const bool sized = fstat(fileno(stream), &info) == 0 && S_ISREG(info.st_mode);
  const auto check = [&](std::size_t size) {
    if (size > kMaxFileSize) throw Error(name + " is larger than 256 MiB; give configuration files, not logs or dumps");
  };
  if (sized) {
    check(static_cast<std::size_t>(info.st_size));
    text.reserve(static_cast<std::size_t>(info.st_size) + 1);
  }
  char buffer[64 << 10];
  do {
    std::clearerr(stream);
    while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, stream)) {
      text.append(buffer, n);
      check(text.size());
    }
  } while (std::ferror(stream) && (wait_until_ready(fileno(stream), false) || errno == EINTR));
  if (std::ferror(stream)) throw Error("cannot read " + name + ": " + std::strerror(errno));
  return text;
}

bool has_config_extension(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

// In a folder that begins with a dot.
bool is_hidden(std::string_view below) {
  return below.find("/.") != below.npos || (below.starts_with('.') && below.find('/') != below.npos);
}

// The configuration files below a directory, in byte order of their paths. Files that begin with a dot are left out:
// editors' copies and .apfctl.yaml are no configurations of a cluster. So is what version control keeps.
std::vector<std::string> walk(const std::string& directory) {
  std::vector<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator at(directory, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code no_status;
    const std::string name = at->path().filename().string();
    if (name.starts_with('.')) {
      if (name == ".git" && at->is_directory(no_status)) at.disable_recursion_pending();
    } else if (has_config_extension(at->path()) && at->is_regular_file(no_status)) {
      found.push_back(at->path().string());
    }
  }
  if (error) throw Error("cannot read the directory " + directory + ": " + error.message());
  const auto is_seen = [&](const std::string& path) { return !is_hidden(path.substr(directory.size())); };
  if (std::none_of(found.begin(), found.end(), is_seen))
    throw Error("the directory " + directory + " holds no .yaml, .yml or .json file; name the files instead");
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> expand_glob(const std::string& pattern) {
  glob_t matches{};
  const int result = glob(pattern.c_str(), 0, nullptr, &matches);
  std::vector<std::string> paths(matches.gl_pathv, matches.gl_pathv + (result == 0 ? matches.gl_pathc : 0));
  globfree(&matches);
  if (result != 0 && result != GLOB_NOMATCH) throw Error("cannot read the directories of the pattern " + pattern);
  if (paths.empty()) throw Error("no file matches " + pattern + "; check the pattern and the current directory");
  std::sort(paths.begin(), paths.end());  // glob(3) sorts by locale
  return paths;
}

// The files that AdmissionConfigurations among the texts name, as far as they are there. Elsewhere than beside or below
// them they may be anything: who wrote the one need not be allowed to see the other.
std::vector<std::string> plugin_files(const std::vector<FoundText>& found) {
  std::vector<std::string> paths;
  for (const FoundText& one : found) {
    const ConfigText& text = one.text;
    if (one.hidden || text.text.find("AdmissionConfiguration") == std::string::npos) continue;
    for (const AdmissionConfiguration& admission : load_config({&text, 1}).admission_configurations) {
      for (const std::string_view name : {kEventRateLimitPlugin, kResourceQuotaPlugin}) {
        const AdmissionConfiguration::Plugin* plugin = admission.find(name);
        if (!plugin || plugin->has_configuration || plugin->path.empty()) continue;
        std::error_code error;
        const std::string path = admission.path_of(*plugin);
        if (fs::is_regular_file(path, error) && lies_below_folder_of(path, text.name)) paths.push_back(path);
      }
    }
  }
  return paths;
}

}  // namespace

bool lies_below_folder_of(const std::string& path, const std::string& file) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(file, error), error).parent_path(),
                 real = fs::weakly_canonical(fs::absolute(path, error), error);
  return std::mismatch(folder.begin(), folder.end(), real.begin(), real.end()).first == folder.end();
}

void refuse_no_regular_file(const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) throw Error(path + " is not a regular file");
}

ConfigText read_regular_file(const std::string& path) {
  refuse_no_regular_file(path);
  return read_text_file(path);
}

ConfigText read_text_file(const std::string& path) {
  if (path == "-") return {kStdinName, read_stream(stdin, "standard input")};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw Error("cannot open " + path + ": " + std::strerror(errno));
  return {path, read_stream(file.get(), path)};
}

std::vector<FoundText> find_config_files(std::span<const std::string> paths, const FirstLook& wants) {
  std::vector<FoundText> found;
  // By device and inode: a file that comes again, under any name, adds nothing.
  std::map<std::pair<dev_t, ino_t>, std::size_t> places;
  const auto add_file = [&](const std::string& path, bool named, std::size_t below = 0) {
    struct stat info {};
    if (path != "-" && stat(path.c_str(), &info) != 0) info = {};
    const bool known = info.st_ino != 0 || path == "-";
    const auto [place, added] = places.try_emplace({info.st_dev, info.st_ino}, found.size());
    if (known && !added) {
      FoundText& earlier = found[place->second];
      if (named && std::exchange(earlier.left, false)) earlier.text.text = read_text_file(path).text;
      earlier.named = earlier.named || named;
      return;
    }
    found.push_back({read_text_file(path), named, below > 0 && is_hidden(std::string_view(path).substr(below)), below});
    FoundText& last = found.back();
    last.left = !named && wants && !wants(last.text);
    if (last.left) std::string().swap(last.text.text);  // an assignment keeps its memory
  };
  const auto add_path = [&](const std::string& path, bool named) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return add_file(path, named);
    for (const std::string& file : walk(path)) add_file(file, false, path.size());
  };
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-") {
      add_file(path, true);
    } else if (path.find_first_of("*?[") != path.npos && !fs::exists(path, error)) {
      for (const std::string& match : expand_glob(path)) add_path(match, false);
    } else if (!fs::exists(path, error)) {
      throw Error(error ? "cannot open " + path + ": " + error.message()
                        : path + " does not exist; give a file, a directory, a glob or -");
    } else {
      add_path(path, true);
    }
  }
  for (const std::string& path : plugin_files(found)) add_file(path, true);
  return found;
}

std::vector<ConfigText> read_config_files(std::span<const std::string> paths) {
  std::vector<ConfigText> texts;
  for (FoundText& found : find_config_files(paths))
    if (!found.hidden || found.named) texts.push_back(std::move(found.text));
  return texts;
}

}  // namespace apf
