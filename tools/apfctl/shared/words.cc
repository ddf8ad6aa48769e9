#include "shared/words.h"

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

std::string path_word(const std::string& path) {
  return apf::shell_word(path.starts_with('-') && path != "-" ? "./" + path : path);
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace apfctl
