// Small pieces of messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace apfctl {

std::string grouped(std::uint64_t number);                               // "1,234,567"
std::string plural(std::uint64_t n, const char* one, const char* many);  // "1 finding", "2,000 findings"
std::string join(const std::vector<std::string>& words);                 // printable, separated by commas

}  // namespace apfctl
