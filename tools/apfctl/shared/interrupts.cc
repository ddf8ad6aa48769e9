#include "shared/interrupts.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <apf/output.h>
#include <apf/report.h>

#include "shared/exit_code.h"
#include "shared/output.h"

namespace apfctl {

std::atomic<bool> g_interrupted{false};

namespace {

constexpr suseconds_t kPatience = 800'000;  // µs
bool g_streams = false;

void die(int signal_number) {
  apf::remove_unfinished_files();
  ::signal(signal_number, SIG_DFL);
  ::raise(signal_number);
}

void give_up(int) {
  apf::remove_unfinished_files();
  constexpr char kNothing[] = "\napfctl: interrupted in the middle of a replay: nothing was written\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kNothing, sizeof kNothing - 1);
  ::_exit(kInterrupted);
}

void interrupt(int signal_number) {
  if (g_interrupted.exchange(true)) return die(signal_number);
  if (g_streams) return;
  const itimerval timer{{}, {0, kPatience}};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

// Without SA_RESTART, waiting for input ends.
void handle(int signal_number, void (*handler)(int)) {
  struct sigaction now {};
  // nohup and background jobs of a shell ignore signals on purpose.
  if (::sigaction(signal_number, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) return;
  now.sa_handler = handler;
  now.sa_flags = 0;
  ::sigemptyset(&now.sa_mask);
  ::sigaction(signal_number, &now, nullptr);
}

}  // namespace

void clean_up_at_signals() {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) handle(signal_number, die);
}

void watch_interrupts(Watch watch) {
  g_streams = watch == Watch::streams;
  handle(SIGALRM, give_up);
  handle(SIGINT, interrupt);
}

void end_watch() {
  const itimerval none{};
  ::setitimer(ITIMER_REAL, &none, nullptr);
}

bool skip_interrupted(const std::string& path) {
  if (!g_interrupted || is_standard_output(path)) return false;
  write_stderr("apfctl: " + apf::printable(path) + " was not written: interrupted\n");
  return true;
}

}  // namespace apfctl
