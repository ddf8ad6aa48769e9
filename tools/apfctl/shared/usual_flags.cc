// Which flags the short help of a command lists: those that most runs need, in the order of the help. --help=all and
// the manual page list every flag. A command without a row has few, and lists them all.

#include "shared/usual_flags.h"

#include <algorithm>
#include <iterator>

namespace apfctl {

namespace {

struct Row {
  std::string_view command, flags;
};

constexpr Row kUsual[] = {
    {"lint", "filename select ignore fail-on fix diff baseline log kubernetes-version server from-cluster output"},
    {"validate", "filename old strict subresource kubernetes-version output"},
    {"default", "filename diff check with-builtins kubernetes-version output"},
    {"convert", "filename to write partial diff check kubernetes-version output"},
    {"explain", "as as-group namespace requests expect nearest filename from-cluster kubernetes-version output"},
    {"ladder", "place as as-group namespace filename from-cluster kubernetes-version output"},
    {"hand", "queues hand-size level flow log elephants table filename from-cluster output"},
    {"diff", "fail-on from-cluster server-concurrency kubernetes-version old new output"},
    {"test", "filename run coverage expect generate from-cluster kubernetes-version output"},
    {"compare", "log from-cluster expect spread recorded server-concurrency output"},
    {"inspect", "metrics interval expect filename from-cluster server kubernetes-version output"},
    {"limits",
     "filename from-cluster server preset max-requests-inflight max-mutating-requests-inflight server-concurrency "
     "kubernetes-version "
     "output"},
    {"quota", "filename namespace quota-used nodes quota-config no-expand output"},
    {"new", "for seats namespace filename from-cluster server-concurrency kubernetes-version output"},
    {"log", "log by from to top expect audit-policy filename from-cluster server output"},
    {"replay", "log filename from-cluster server server-concurrency recorded event-rate-limit expect output"},
    {"headroom", "log filename from-cluster client of nodes expect server server-concurrency output"},
    {"suggest", "log goal protect isolate filename from-cluster server server-concurrency output"},
    {"sweep", "merge task partial allow-missing output"},
    {"trace", "log redact output"},
};

}  // namespace

bool is_usual_flag(std::string_view command, std::string_view flag) {
  const auto row =
      std::find_if(std::begin(kUsual), std::end(kUsual), [&](const Row& r) { return r.command == command; });
  if (row == std::end(kUsual)) return true;
  for (std::string_view rest = row->flags; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (word == flag) return true;
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return flag == "help";
}

}  // namespace apfctl
