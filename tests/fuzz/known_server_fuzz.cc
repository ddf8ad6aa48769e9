// Any bytes as a file that says how a server runs: it is read or refused, and twice the same file never contradicts
// itself.
#include <cstdint>
#include <cstdlib>

#include <apf/error.h>
#include <apf/setup.h>

#include "fuzz/entry.h"

APF_FUZZER(known_server_fuzz) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  apf::KnownServer once;
  try {
    once = apf::read_known_server({}, std::vector<apf::ConfigText>{{"a", text}});
  } catch (const apf::Error&) {
    return;
  }
  const apf::KnownServer twice = apf::read_known_server({}, std::vector<apf::ConfigText>{{"a", text}, {"a", text}});
  if (once.flags.size() != twice.flags.size() || once.empty() != twice.empty()) std::abort();
  try {
    const auto seats = once.seats(apf::bootstrap_config(apf::kNewestKubeVersion));
    if (seats && (seats->number < seats->least || seats->number > seats->most)) std::abort();
  } catch (const apf::Error&) {
  }
}
