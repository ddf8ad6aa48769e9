// Numbers as people read them.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include <apf/document.h>
#include <apf/report_words.h>
#include <apf/time.h>

namespace apf {

std::string human_duration(Nanos duration);                                    // 340ms, 1.23s, 15.0s, 2m05s
std::string human_bytes(std::uint64_t bytes);                                  // 812 B, 2.0 MB
std::string human_percent(std::uint64_t part, std::uint64_t whole);            // 0 %, <0.1 %, 3.4 %, 34 %
std::string decimals(double number, int places);                               // 1,234.50
std::string one_decimal(double number);                                        // 1,012.3
std::string seats_in_words(int number);                                        // "1,200 seats"
std::string counted(std::uint64_t number, const char* one, const char* many);  // "1 level", "3 levels"
std::string log_names(const std::vector<std::string>& logs);                   // "a.log, b.log, c.log and 2 more"

// 1,200; negative: 0. Not for what converts to int: std::size_t is another type than std::uint64_t where it has 32
// bits.
std::string grouped(std::same_as<int> auto number) {
  return grouped(static_cast<std::uint64_t>(number < 0 ? 0 : number));
}

// A number that is not worth a look when it is 0.
Table::Cell count_cell(std::uint64_t n, Tone tone);

// To the nearest whole one.
Nanos whole_nanos(double nanos);             // at most the longest
std::uint64_t rounded_count(double number);  // at least 0

}  // namespace apf
