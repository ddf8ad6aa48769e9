#include "config/validate_names.h"
#include "base/releases.h"
#include "base/text.h"

#include <algorithm>

#include <fmt/core.h>

namespace apf {

namespace {

constexpr std::size_t kMaxSubdomain = 253, kMaxLabel = 63;

constexpr const char* kSubdomainText =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr const char* kDnsLabelText =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr const char* kKeyText =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr const char* kValueText =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

bool is_lower(char c) { return (c >= 'a' && c <= 'z') || is_digit(c); }
bool is_alphanumeric(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }

bool is_dns_label(std::string_view text) {
  return !text.empty() && is_lower(text.front()) && is_lower(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_lower(c) || c == '-'; });
}

bool is_dns_subdomain(std::string_view text) {
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == text.npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_key_name(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

// The check always counted bytes; what older releases say is "characters".
std::string too_long(std::size_t most, KubeVersion version) {
  return fmt::format("must be no more than {} {}", most,
                     has(version, Feature::label_limits_in_bytes) ? "bytes" : "characters");
}

}  // namespace

NameFaults dns_subdomain_faults(std::string_view text) {
  NameFaults faults;
  if (text.size() > kMaxSubdomain) faults.push_back("must be no more than 253 characters");
  if (!is_dns_subdomain(text)) faults.emplace_back(kSubdomainText);
  return faults;
}

NameFaults dns_label_faults(std::string_view text) {
  NameFaults faults;
  if (text.size() > kMaxLabel) faults.push_back("must be no more than 63 characters");
  if (!is_dns_label(text)) faults.emplace_back(is_dns_subdomain(text) ? "must not contain dots" : kDnsLabelText);
  return faults;
}

NameFaults name_prefix_faults(std::string_view text) {
  if (text.size() <= 1 || text.back() != '-') return dns_subdomain_faults(text);
  return dns_subdomain_faults(std::string(text.substr(0, text.size() - 2)) + "a");  // as the server masks it
}

NameFaults label_key_faults(std::string_view text, KubeVersion version) {
  NameFaults faults;
  const std::size_t slash = text.find('/');
  if (slash != text.npos && text.find('/', slash + 1) != text.npos) {
    faults.push_back(fmt::format("a {} {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
                                 has(version, Feature::label_limits_in_bytes) ? "valid label key" : "qualified name",
                                 kKeyText));
    return faults;
  }
  std::string_view name = text;
  if (slash != text.npos) {
    const std::string_view prefix = text.substr(0, slash);
    name = text.substr(slash + 1);
    if (prefix.empty()) {
      faults.push_back("prefix part must be non-empty");
    } else {
      if (prefix.size() > kMaxSubdomain) faults.push_back("prefix part " + too_long(kMaxSubdomain, version));
      if (!is_dns_subdomain(prefix)) faults.push_back(std::string("prefix part ") + kSubdomainText);
    }
  }
  if (name.empty()) faults.push_back("name part must be non-empty");
  else if (name.size() > kMaxLabel) faults.push_back("name part " + too_long(kMaxLabel, version));
  if (!is_key_name(name)) faults.push_back(std::string("name part ") + kKeyText);
  return faults;
}

NameFaults label_value_faults(std::string_view text, KubeVersion version) {
  NameFaults faults;
  if (text.size() > kMaxLabel) faults.push_back(too_long(kMaxLabel, version));
  if (!text.empty() && !is_key_name(text)) faults.emplace_back(kValueText);
  return faults;
}

}  // namespace apf
