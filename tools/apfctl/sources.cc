#include "sources.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include <apf/error.h>
#include <apf/report.h>

#include "command_line.h"
#include "input.h"

extern "C" char** environ;

namespace apfctl {

namespace {

constexpr std::string_view kGitPrefix = "git:", kBuiltinsPrefix = "builtins@";
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

struct Ran {
  bool ok = false;
  std::string out;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Runs git with `input` as its standard input. What it says on standard error is not shown.
Ran run_git(const std::vector<std::string>& args, const std::string& input) {
  const std::unique_ptr<std::FILE, CloseFile> in(std::tmpfile()), out(std::tmpfile());
  if (!in || !out) throw apf::Error(std::string("cannot create a temporary file: ") + std::strerror(errno));
  if (std::fwrite(input.data(), 1, input.size(), in.get()) != input.size() || std::fflush(in.get()) != 0)
    throw apf::Error(std::string("cannot write a temporary file: ") + std::strerror(errno));
  ::lseek(::fileno(in.get()), 0, SEEK_SET);
  std::vector<std::string> words = {"git", "--literal-pathspecs"};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(in.get()), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(out.get()), STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, "git", &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw apf::Error(std::string("cannot run git: ") + std::strerror(failed));
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  Ran ran;
  ran.ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  std::rewind(out.get());
  char block[1 << 16];
  for (std::size_t n = 0; (n = std::fread(block, 1, sizeof block, out.get())) > 0;) {
    ran.out.append(block, n);
    if (ran.out.size() > kMostBytes) throw apf::Error("git: more than 256 MiB");
  }
  return ran;
}

bool is_configuration(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
}

struct Blob {
  std::string hash, name;
};

// "MODE TYPE HASH\tPATH\0…"
std::vector<Blob> blobs_of(const std::string& listing, const std::string& source) {
  std::vector<Blob> out;
  for (std::size_t begin = 0; begin < listing.size();) {
    const std::size_t end = std::min(listing.find('\0', begin), listing.size());
    const std::string_view entry = std::string_view(listing).substr(begin, end - begin);
    begin = end + 1;
    const std::size_t tab = entry.find('\t');
    const std::size_t blank = entry.find(" blob ");
    if (tab == entry.npos || blank == entry.npos || blank > tab || !is_configuration(entry.substr(tab + 1))) continue;
    out.push_back({std::string(entry.substr(blank + 6, tab - blank - 6)),
                   source + (source.ends_with('/') || source.find(':', kGitPrefix.size()) == source.npos ? "" : "/") +
                       std::string(entry.substr(tab + 1))});
  }
  std::sort(out.begin(), out.end(), [](const Blob& a, const Blob& b) { return a.name < b.name; });
  return out;
}

// Answers of `git cat-file --batch`: "HASH blob SIZE\n", the content, "\n".
std::vector<apf::ConfigText> contents_of(const std::vector<Blob>& blobs, const std::string& source) {
  std::string hashes;
  for (const Blob& blob : blobs) hashes += blob.hash + "\n";
  const Ran ran = run_git({"cat-file", "--batch"}, hashes);
  std::vector<apf::ConfigText> out;
  std::size_t at = 0;
  for (const Blob& blob : blobs) {
    const std::size_t line = ran.out.find('\n', at);
    const std::size_t blank = line == std::string::npos ? line : ran.out.rfind(' ', line);
    if (!ran.ok || blank == std::string::npos || blank < at)
      throw apf::Error(apf::printable(source) + ": git cannot read " + apf::printable(blob.name));
    const std::size_t size = std::strtoull(ran.out.c_str() + blank + 1, nullptr, 10);
    if (line + 1 + size > ran.out.size())
      throw apf::Error(apf::printable(source) + ": git cannot read " + apf::printable(blob.name));
    out.push_back({blob.name, ran.out.substr(line + 1, size)});
    at = line + 1 + size + 1;
  }
  return out;
}

std::vector<apf::ConfigText> read_from_git(const std::string& source) {
  const std::string spec = source.substr(kGitPrefix.size());
  const std::size_t colon = spec.find(':');
  const std::string revision = spec.substr(0, colon);
  const std::string shown = apf::printable(source);
  if (revision.empty() || revision[0] == '-') throw apf::Error(shown + ": the revision is missing (git:REV[:PATH])");
  if (!run_git({"rev-parse", "--git-dir"}, "").ok)
    throw apf::Error(shown + ": this folder is in no git repository; run apfctl inside of one");
  const Ran tree = run_git({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{tree}"}, "");
  if (!tree.ok) throw apf::Error(shown + ": git knows no revision " + apf::printable(revision) + "; see git log");
  std::string object = tree.out.substr(0, tree.out.find('\n'));
  std::string path = colon == std::string::npos ? "" : spec.substr(colon + 1);
  while (path.ends_with('/')) path.pop_back();
  if (!path.empty()) {
    const Ran at = run_git({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + ":" + path}, "");
    if (!at.ok) {
      throw apf::Error(shown + ": there is no " + apf::printable(path) +
                       " in that revision (paths begin at the root of "
                       "the repository)");
    }
    object = at.out.substr(0, at.out.find('\n'));
  }
  const Ran type = run_git({"cat-file", "-t", object}, "");
  if (type.out.starts_with("blob")) return contents_of({{object, source}}, source);
  const Ran listing = run_git({"ls-tree", "-r", "-z", "--full-tree", object}, "");
  if (!listing.ok) throw apf::Error(shown + ": git cannot list it");
  const std::vector<Blob> blobs = blobs_of(listing.out, colon == std::string::npos ? source + ":" : source);
  if (blobs.empty()) throw apf::Error(shown + ": no .yaml, .yml or .json files in it");
  return contents_of(blobs, source);
}

}  // namespace

std::vector<apf::ConfigText> read_sources(const std::vector<std::string>& paths, std::size_t& unrelated) {
  std::vector<apf::ConfigText> out;
  std::vector<std::string> files;
  const auto read_files = [&] {
    if (files.empty()) return;
    for (apf::ConfigText& text : read_related(files, unrelated)) out.push_back(std::move(text));
    files.clear();
  };
  for (const std::string& path : paths) {
    if (!path.starts_with(kGitPrefix)) {
      files.push_back(path);
      continue;
    }
    read_files();
    for (apf::ConfigText& text : read_from_git(path)) out.push_back(std::move(text));
  }
  read_files();
  return out;
}

std::optional<apf::KubeVersion> builtins_release(const std::string& path) {
  if (!path.starts_with(kBuiltinsPrefix)) return std::nullopt;
  const std::string text = path.substr(kBuiltinsPrefix.size());
  const std::optional<apf::KubeVersion> version = apf::KubeVersion::parse(text);
  if (!version)
    throw UsageError("builtins@" + apf::printable(text) + ": " + apf::unsupported_release(apf::printable(text)));
  return version;
}

std::string shell_word(const std::string& text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./:@,=+%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += "'\\''";
    else out += c;
  }
  return out + "'";
}

}  // namespace apfctl
