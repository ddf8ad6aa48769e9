#include "words.h"

#include <apf/report.h>

namespace apfctl {

std::string grouped(std::uint64_t number) { return apf::grouped(number); }

std::string plural(std::uint64_t n, const char* one, const char* many) {
  return grouped(n) + " " + (n == 1 ? one : many);
}

std::string join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + apf::printable(word);
  return out;
}

}  // namespace apfctl
