// Whose a file is after it was replaced. Modes, links and signals are in tests/golden/apfctl/output-*.
#include <apf/input.h>
#include <apf/output.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "catch.h"

using namespace apf;

namespace {

struct TemporaryFolder {
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "apf-output-XXXXXX").string();
    if (::mkdtemp(name.data())) path = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

struct stat status_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

void replace(const std::string& path) {
  OutputFile file(path);
  file.write("new");
  file.commit();
}

// A group of this process that new files do not get by themselves; its own one if it has no other.
gid_t other_group() {
  std::array<gid_t, 256> groups{};
  const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
  for (int i = 0; i < count; ++i)
    if (groups[static_cast<std::size_t>(i)] != ::getegid()) return groups[static_cast<std::size_t>(i)];
  return ::getegid();
}

}  // namespace

TEST_CASE("a file that is replaced keeps its owner, its group and its mode", "[files]") {
  const TemporaryFolder folder;
  const std::string path = folder.path / "file";
  std::ofstream(path) << "old";
  const bool root = ::geteuid() == 0;
  const uid_t user = root ? 12345 : ::geteuid();
  const gid_t group = root ? 54321 : other_group();
  REQUIRE(::chown(path.c_str(), user, group) == 0);
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  const ino_t before = status_of(path).st_ino;
  replace(path);
  const struct stat after = status_of(path);
  CHECK(text_of(path) == "new");
  CHECK(after.st_ino != before);  // it was replaced at once, not written over
  CHECK(after.st_uid == user);
  CHECK(after.st_gid == group);
  CHECK((after.st_mode & 07777U) == 0640U);
}

// Only root can give files away. Another user that may write into a file gets the text into the file that is there.
TEST_CASE("a file of another user keeps its owner when its text is replaced", "[files]") {
  const TemporaryFolder folder;
  const std::string path = folder.path / "file";
  std::ofstream(path) << "old, and longer";
  const bool root = ::geteuid() == 0;
  REQUIRE(::chmod(folder.path.c_str(), 0777) == 0);
  REQUIRE(::chmod(path.c_str(), 0666) == 0);
  const struct stat before = status_of(path);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (root && (::setgid(54321) != 0 || ::setuid(12345) != 0)) ::_exit(3);
    try {
      replace(path);
    } catch (const std::exception&) {
      ::_exit(4);
    }
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  const struct stat after = status_of(path);
  CHECK(text_of(path) == "new");
  CHECK(after.st_uid == before.st_uid);
  CHECK(after.st_gid == before.st_gid);
  CHECK((after.st_mode & 07777U) == 0666U);
  CHECK((after.st_ino == before.st_ino) == root);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);  // nothing is left beside it
}

// The new text of a file with other names is written over the old one, if a copy of that can be kept meanwhile.
TEST_CASE("a file with two names keeps its text where there is no space for a copy of it", "[files]") {
  const TemporaryFolder folder;
  const std::string path = folder.path / "file", other = folder.path / "other";
  const std::string old(100'000, 'o');
  std::ofstream(path) << old;
  REQUIRE(::link(path.c_str(), other.c_str()) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit most{50'000, 50'000};
    ::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &most) != 0) ::_exit(3);
    try {
      replace(path);
    } catch (const std::exception&) {
      ::_exit(4);
    }
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 4);
  CHECK(text_of(path) == old);
  CHECK(text_of(other) == old);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 2);
  replace(path);
  CHECK(text_of(other) == "new");
  CHECK(status_of(path).st_nlink == 2);
}

TEST_CASE("what does not block is waited for", "[files]") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
  char byte = 0;
  REQUIRE(::read(ends[0], &byte, 1) < 0);
  REQUIRE(errno == EAGAIN);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    REQUIRE(::write(ends[1], "x", 1) == 1);
  });
  CHECK(apf::wait_until_ready(ends[0], false));
  writer.join();
  CHECK(::read(ends[0], &byte, 1) == 1);
  // A text larger than a pipe holds.
  const std::string text(300'000, 'y');
  std::string got;
  std::thread reader([&] {
    std::string block(4096, '\0');
    while (got.size() < text.size()) {
      const ssize_t n = ::read(ends[0], block.data(), block.size());
      if (n > 0) got.append(block, 0, static_cast<std::size_t>(n));
      else if (!apf::wait_until_ready(ends[0], false)) return;
    }
  });
  OutputFile out("/dev/fd/" + std::to_string(ends[1]));
  out.write(text);
  out.commit();
  reader.join();
  CHECK(got == text);
  ::close(ends[0]);
  ::close(ends[1]);
}
