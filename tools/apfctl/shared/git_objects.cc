#include "shared/git_objects.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <set>

#include <apf/error.h>
#include <apf/related_files.h>
#include <apf/report.h>

extern "C" char** environ;

namespace apfctl {

namespace {

constexpr std::string_view kGitPrefix = "git:";
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

struct Ran {
  bool ok = false;
  std::string out;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Of the variables that git obeys, those that say where the repository is, as git gives them to its hooks. A git before
// 2.44 does not know GIT_NO_LAZY_FETCH, but allows no protocol.
std::vector<std::string> git_environment() {
  constexpr std::string_view kPlaces[] = {"GIT_DIR=",
                                          "GIT_WORK_TREE=",
                                          "GIT_COMMON_DIR=",
                                          "GIT_OBJECT_DIRECTORY=",
                                          "GIT_ALTERNATE_OBJECT_DIRECTORIES=",
                                          "GIT_CEILING_DIRECTORIES=",
                                          "GIT_DISCOVERY_ACROSS_FILESYSTEM="};
  std::vector<std::string> out = {"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_TERMINAL_PROMPT=0",
                                  "GIT_OPTIONAL_LOCKS=0"};
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    const auto begins = [&](std::string_view name) { return text.starts_with(name); };
    if (!begins("GIT_") || std::any_of(std::begin(kPlaces), std::end(kPlaces), begins)) out.emplace_back(text);
  }
  return out;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

// Runs git with `input` as its standard input. Its messages on standard error are not shown.
Ran run_git(const std::vector<std::string>& args, const std::string& input) {
  const std::unique_ptr<std::FILE, CloseFile> in(std::tmpfile()), out(std::tmpfile());
  if (!in || !out) throw apf::Error(std::string("cannot create a temporary file: ") + std::strerror(errno));
  if (std::fwrite(input.data(), 1, input.size(), in.get()) != input.size() || std::fflush(in.get()) != 0)
    throw apf::Error(std::string("cannot write a temporary file: ") + std::strerror(errno));
  ::lseek(::fileno(in.get()), 0, SEEK_SET);
  std::vector<std::string> words = {"git", "--literal-pathspecs",     "-c", "core.fsmonitor=false",
                                    "-c",  "core.hooksPath=/dev/null"};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<std::string> variables = git_environment();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(in.get()), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(out.get()), STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int failed =
      ::posix_spawnp(&pid, "git", &actions, nullptr, pointers_to(words).data(), pointers_to(variables).data());
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

// The first line of what git prints; nothing if it fails.
std::optional<std::string> line_of_git(const std::vector<std::string>& args, const std::string& input = "") {
  const Ran ran = run_git(args, input);
  if (!ran.ok) return std::nullopt;
  return ran.out.substr(0, ran.out.find('\n'));
}

// A file in a folder of git's.
struct Entry {
  std::string asked;  // how git cat-file is asked for it
  std::string hash;   // empty: of a symbolic link, which cat-file follows
  std::string path;   // below the folder
};

struct Source {
  std::string name;    // git:REV[:PATH], without a slash at its end
  std::string root;    // the tree of the revision
  std::string path;    // in it; empty: all of it
  std::string object;  // at that path
  bool is_folder = false;

  std::string name_of(const std::string& below) const { return name + (path.empty() ? ":" : "/") + below; }
  [[noreturn]] void fail(const std::string& what) const { throw apf::Error(apf::printable(name + ": " + what)); }
  [[noreturn]] void fail_to_read(const std::string& below) const {
    const std::string file = below.empty() ? path : path.empty() ? below : path + "/" + below;
    fail("git cannot read " + (file.empty() ? "a folder" : file) +
         ": its object is missing or damaged; in a partial clone, fetch it first");
  }
};

// On disk, names that begin with a dot are left out, too.
bool is_walked(std::string_view path) {
  const bool configuration = path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
  return configuration && !path.starts_with('.') && path.find("/.") == path.npos;
}

// "MODE TYPE HASH\tPATH\0…"
std::vector<Entry> entries_of(const Source& source, const std::string& listing) {
  std::vector<Entry> out;
  for (std::size_t begin = 0; begin < listing.size();) {
    const std::size_t end = std::min(listing.find('\0', begin), listing.size());
    const std::string_view entry = std::string_view(listing).substr(begin, end - begin);
    begin = end + 1;
    const std::size_t tab = entry.find('\t'), blank = entry.rfind(' ', tab);
    if (tab == entry.npos || blank == entry.npos) source.fail("git cannot list it");
    const std::string hash(entry.substr(blank + 1, tab - blank - 1)), path(entry.substr(tab + 1));
    if (entry.starts_with("160000 "))
      source.fail(path + " is a submodule, whose files git has elsewhere; name a folder or file without it");
    if (!is_walked(path)) continue;
    if (!entry.starts_with("120000 ")) {
      out.push_back({hash, hash, path});
      continue;
    }
    if (path.find('\n') != path.npos || source.path.starts_with('.'))
      source.fail(path + " is a symbolic link; name the file that it leads to");
    out.push_back({source.root + ":" + (source.path.empty() ? "" : source.path + "/") + path, "", path});
  }
  std::sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
  return out;
}

// An answer of `git cat-file --batch`: "HASH TYPE SIZE\n" and so many bytes, "\n"; or, of a link, "WHY SIZE\n" and its
// target. What is not there has no size.
struct Answer {
  std::string_view hash, type, text;
  bool known = false;
};

Answer next_answer(std::string_view& rest) {
  Answer out;
  const std::size_t end = rest.find('\n');
  if (end == rest.npos) return out;
  const std::string_view line = rest.substr(0, end);
  const std::size_t last = line.rfind(' '), first = line.find(' ');
  std::size_t size = 0;
  const char* const begin = line.data() + (last == line.npos ? line.size() : last + 1);
  const auto [at, error] = std::from_chars(begin, line.data() + line.size(), size);
  if (error != std::errc() || at != line.data() + line.size() || size >= rest.size() - end) return out;
  out.known = true;
  if (first != last) out.hash = line.substr(0, first);
  out.type = first == last ? line.substr(0, first) : line.substr(first + 1, last - first - 1);
  out.text = rest.substr(end + 1, size);
  rest.remove_prefix(std::min(end + 1 + size + 1, rest.size()));
  return out;
}

void refuse_pointer(const Source& source, const Entry& entry, std::string_view text) {
  if (text.starts_with("version https://git-lfs.github.com/") || text.starts_with(std::string_view("\0GITCRYPT\0", 10)))
    source.fail(entry.path + " is kept by Git LFS or git-crypt, of which git has no text; name a checkout");
}

// As on disk, a link that leads nowhere or to a folder is no file, and a file that comes again adds nothing.
std::vector<apf::ConfigText> contents_of(const Source& source, const std::vector<Entry>& entries) {
  std::string asked;
  std::set<std::string_view> files, links;  // by hash
  for (const Entry& entry : entries) asked += entry.asked + "\n";
  const Ran ran = run_git({"cat-file", "--batch", "--follow-symlinks"}, asked);
  std::vector<apf::ConfigText> out;
  std::string_view rest = ran.out;
  for (const Entry& entry : entries) {
    const Answer answer = next_answer(rest);
    const bool link = entry.hash.empty();
    if (!answer.known || (!link && (answer.hash != entry.hash || answer.type != "blob")))
      source.fail_to_read(entry.path);
    if (link && answer.type == "symlink")
      source.fail(entry.path + " is a symbolic link to a file outside of the repository; name that file");
    if (answer.type != "blob" || links.contains(answer.hash) || (link && files.contains(answer.hash))) continue;
    (link ? links : files).insert(answer.hash);
    refuse_pointer(source, entry, answer.text);
    out.push_back({entry.path.empty() ? source.name : source.name_of(entry.path), std::string(answer.text)});
  }
  if (!ran.ok) source.fail_to_read(entries.back().path);
  return out;
}

// Finds what is at the path, through symbolic links.
void find_object(Source& source) {
  if (source.path.find('\n') != std::string::npos) source.fail("the path has a line break");
  const std::string line =
      line_of_git({"cat-file", "--batch-check", "--follow-symlinks"}, source.root + ":" + source.path + "\n")
          .value_or("");
  const bool file = line.find(" blob ") != std::string::npos;
  source.is_folder = line.find(" tree ") != std::string::npos;
  if (!file && !source.is_folder)
    source.fail("there is no " + source.path +
                " in that revision (paths begin at the root of the repository), or git cannot read its folder");
  source.object = line.substr(0, line.find(' '));
}

Source find_source(const std::string& text) {
  Source source;
  source.name = text;
  const std::string spec = text.substr(kGitPrefix.size());
  const std::size_t colon = spec.find(':');
  const std::string revision = spec.substr(0, colon);
  if (colon != std::string::npos) source.path = spec.substr(colon + 1);
  while (source.path.ends_with('/')) source.path.pop_back();
  if (revision.empty() || revision[0] == '-') source.fail("the revision is missing (git:REV[:PATH])");
  if (!line_of_git({"rev-parse", "--git-dir"}))
    source.fail("this folder is in no git repository; run apfctl inside of one");
  const auto tree = line_of_git({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{tree}"});
  if (!tree) source.fail("git knows no revision " + revision + "; see git log");
  source.root = source.object = *tree;
  source.is_folder = source.path.empty();
  if (!source.path.empty()) find_object(source);
  source.name = std::string(kGitPrefix) + revision + (source.path.empty() ? "" : ":" + source.path);
  return source;
}

}  // namespace

bool is_in_git(std::string_view path) { return path.starts_with(kGitPrefix); }

std::vector<apf::ConfigText> read_from_git(const std::string& text, apf::FolderContents& contents) {
  const Source source = find_source(text);
  if (!source.is_folder) return contents_of(source, {{source.object, source.object, ""}});
  const Ran listing = run_git({"ls-tree", "-r", "-z", "--full-tree", source.object}, "");
  if (!listing.ok) source.fail_to_read("");
  const std::vector<Entry> entries = entries_of(source, listing.out);
  if (entries.empty()) source.fail("no .yaml, .yml or .json files in it");
  std::vector<apf::ConfigText> out = contents_of(source, entries);
  apf::remove_unrelated(out, contents);
  return out;
}

}  // namespace apfctl
