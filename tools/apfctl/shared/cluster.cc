#include "shared/cluster.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include <apf/error.h>
#include <apf/output.h>
#include <apf/report.h>

#include "shared/sources.h"

extern char** environ;

namespace apfctl {

namespace {

struct Ended {
  std::string out, err;
  int status = 0;  // as waitpid() has it
  int spawn_error = 0;
};

// Both pipes are emptied as they fill: the program would stop where one is full.
void drain(int out_fd, int err_fd, Ended& ended) {
  pollfd fds[] = {{out_fd, POLLIN, 0}, {err_fd, POLLIN, 0}};
  std::string* texts[] = {&ended.out, &ended.err};
  char block[1 << 16];
  for (int open = 2; open > 0;) {
    if (::poll(fds, 2, -1) < 0 && errno != EINTR) return;
    for (int i = 0; i < 2; ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      const ssize_t n = ::read(fds[i].fd, block, sizeof block);
      if (n > 0) {
        texts[i]->append(block, static_cast<std::size_t>(n));
      } else if (n == 0 || errno != EINTR) {
        fds[i].fd = -1;
        --open;
      }
    }
  }
}

// Its ends are closed in programs that are started, but for those that these are given.
bool make_pipe(int (&ends)[2]) {
  if (::pipe(ends) != 0) return false;
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  return true;
}

Ended run(const std::vector<std::string>& words) {
  Ended ended;
  int out[2], err[2];
  if (!make_pipe(out)) throw apf::Error(std::string("cannot run kubectl: ") + std::strerror(errno));
  if (!make_pipe(err)) {
    ::close(out[0]);
    ::close(out[1]);
    throw apf::Error(std::string("cannot run kubectl: ") + std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  ended.spawn_error = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]);
  ::close(err[1]);
  if (ended.spawn_error == 0) {
    drain(out[0], err[0], ended);
    while (::waitpid(child, &ended.status, 0) < 0 && errno == EINTR) {
    }
  }
  ::close(out[0]);
  ::close(err[0]);
  return ended;
}

// What kubectl says, in one line.
std::string first_line(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \n");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

void ClusterFlags::declare(CommandLine& line, const char* what) {
  line.flag(
      "--from-cluster", wanted,
      std::string(what) +
          ". Runs 'kubectl get flowschemas,prioritylevelconfigurations -o json', and 'kubectl version' and 'kubectl "
          "get --raw /metrics' for its release, seats and object counts.");
  line.option("--context", context, "NAME", "With --from-cluster: kubectl's context.");
  line.option("--kubeconfig", kubeconfig, "FILE", "With --from-cluster: kubectl's configuration.");
}

void ClusterFlags::check() const {
  if (wanted) return;
  if (context) throw UsageError("--context needs --from-cluster");
  if (kubeconfig) throw UsageError("--kubeconfig needs --from-cluster");
}

namespace {

// Throws apf::Error if kubectl cannot be run.
Ended ask(const ClusterFlags& cluster, std::vector<std::string> words) {
  words.insert(words.begin(), "kubectl");
  if (cluster.context) words.push_back("--context=" + *cluster.context);
  if (cluster.kubeconfig) words.push_back("--kubeconfig=" + *cluster.kubeconfig);
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + apf::shell_word(word);
  if (cluster.tell) cluster.tell(command);
  const Ended ended = run(words);
  if (ended.spawn_error == ENOENT)
    throw apf::Error(
        "--from-cluster: kubectl is not in PATH: install it, or save 'kubectl get "
        "flowschemas,prioritylevelconfigurations -o json' elsewhere and give that file");
  if (ended.spawn_error != 0)
    throw apf::Error(std::string("--from-cluster: cannot run kubectl: ") + std::strerror(ended.spawn_error));
  return ended;
}

bool is_ok(const Ended& ended) { return WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == 0; }

}  // namespace

std::optional<apf::ConfigText> ClusterFlags::raw(const std::string& path) const {
  const Ended ended = ask(*this, {"get", "--raw", path});
  if (is_ok(ended) && !ended.out.empty()) return apf::ConfigText{name() + "'s " + path, ended.out};
  const std::string said = first_line(ended.err);
  if (note)
    note("'kubectl get --raw " + path + "' failed" + (said.empty() ? std::string() : ": " + said) +
         "; what it says is not known");
  return std::nullopt;
}

std::vector<apf::ConfigText> ClusterFlags::facts() const {
  std::vector<apf::ConfigText> out;
  const Ended version = ask(*this, {"version", "-o", "json"});
  if (is_ok(version) && version.out.find("serverVersion") != std::string::npos)
    out.push_back({name() + "'s version", version.out});
  else if (note)
    note("'kubectl version' does not say the server's release" +
         (first_line(version.err).empty() ? std::string() : ": " + first_line(version.err)));
  if (!scrapes) return out;
  if (std::optional<apf::ConfigText> metrics = raw("/metrics")) out.push_back(std::move(*metrics));
  return out;
}

apf::ConfigText ClusterFlags::read() const {
  const Ended ended = ask(*this, {"get", "flowschemas,prioritylevelconfigurations", "-o", "json"});
  if (!is_ok(ended)) {
    const std::string said = first_line(ended.err);
    const bool forbidden = said.find("orbidden") != std::string::npos;
    throw apf::Error("--from-cluster: kubectl failed" + (said.empty() ? std::string() : ": " + said) +
                     (forbidden ? " (your user needs the verb list on flowschemas and prioritylevelconfigurations of "
                                  "flowcontrol.apiserver.k8s.io)"
                                : ""));
  }
  if (first_line(ended.out).empty()) throw apf::Error("--from-cluster: kubectl printed nothing");
  apf::ConfigText text{name(), ended.out};
  const apf::LoadedConfig loaded = apf::load_config({&text, 1});
  if (loaded.object_count() == 0 && loaded.diagnostics.empty())
    throw apf::Error(
        "--from-cluster: the answer contains no FlowSchema and no PriorityLevelConfiguration, but every server creates "
        "some: check the context, and whether API Priority and Fairness is enabled there");
  return text;
}

std::string ClusterFlags::flags() const {
  if (!wanted) return {};
  return " --from-cluster" + (context ? " --context " + apf::shell_word(*context) : std::string()) +
         (kubeconfig ? " --kubeconfig " + apf::shell_word(*kubeconfig) : std::string());
}

}  // namespace apfctl
