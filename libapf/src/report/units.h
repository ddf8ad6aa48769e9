// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

#include <apf/time.h>

namespace apf {

std::string grouped(std::uint64_t number);                                     // 1,234,567
std::string human_duration(Nanos duration);                                    // 340ms, 1.23s, 15.0s, 2m05s
std::string human_bytes(std::uint64_t bytes);                                  // 812 B, 2.0 MB
std::string human_percent(std::uint64_t part, std::uint64_t whole);            // 0 %, <0.1 %, 3.4 %, 34 %
std::string one_decimal(double number);                                        // 12.3
std::string counted(std::uint64_t number, const char* one, const char* many);  // "1 level", "3 levels"

}  // namespace apf
