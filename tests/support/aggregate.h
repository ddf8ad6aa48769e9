// The messages of an object's errors as the server joins them.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <apf/findings.h>

namespace apf::test {

// "a" or "[a, b]", identical ones once.
inline std::string aggregate_message(const std::vector<Diagnostic>& of_one_object) {
  std::vector<std::string_view> messages;
  std::unordered_set<std::string_view> seen;
  for (const Diagnostic& d : of_one_object) {
    if (seen.insert(d.message).second) messages.push_back(d.message);
  }
  if (messages.empty()) return {};
  if (messages.size() == 1) return std::string(messages[0]);
  std::string out = "[";
  for (std::size_t i = 0; i < messages.size(); ++i) (out += i > 0 ? ", " : "") += messages[i];
  return out + "]";
}

}  // namespace apf::test
