// Small pieces of messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace apfctl {

// Before the version in an apiVersion.
inline constexpr std::string_view kFlowControlGroup = "flowcontrol.apiserver.k8s.io/";

std::string grouped(std::uint64_t number);                               // "1,234,567"
std::string plural(std::uint64_t n, const char* one, const char* many);  // "1 finding", "2,000 findings"
std::string join(const std::vector<std::string>& words);                 // printable, separated by commas
std::string path_word(const std::string& path);                          // of a shell; one that begins with - is ./-
std::string trimmed(const std::string& text);                            // without blanks at both ends

}  // namespace apfctl
