#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "fuzz/entry.h"

namespace {

std::map<std::string, apf::fuzz::Fuzzer>& fuzzers() {
  static std::map<std::string, apf::fuzz::Fuzzer> all;
  return all;
}

apf::fuzz::Fuzzer chosen = nullptr;

}  // namespace

apf::fuzz::Entry::Entry(const char* name, Fuzzer fuzzer) { fuzzers().emplace(name, fuzzer); }

extern "C" int LLVMFuzzerInitialize(int*, char*** words) {
  const std::string path = **words, name = path.substr(path.rfind('/') + 1);
  const auto at = fuzzers().find(name);
  if (at == fuzzers().end()) {
    std::fprintf(stderr, "%s is no fuzzer; there are:", name.c_str());
    for (const auto& [known, fuzzer] : fuzzers()) std::fprintf(stderr, " %s", known.c_str());
    std::fprintf(stderr, "\n");
    std::exit(2);
  }
  chosen = at->second;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen(data, size);
  return 0;
}
