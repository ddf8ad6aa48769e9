#include "summary/throttling.h"

#include <algorithm>

#include "base/saturated.h"

namespace apf {
namespace {

std::string_view up_to(std::string_view text, std::string_view ends) {
  return text.substr(0, text.find_first_of(ends));
}

// Of key="value", also where quotes are escaped, and of "key":"value" in JSON; empty: there is none.
std::string_view value_of(std::string_view line, std::string_view key) {
  constexpr std::string_view kBetween = "\\\":= ";
  for (std::size_t at = line.find(key); at != line.npos; at = line.find(key, at + 1)) {
    const std::string_view rest = line.substr(at + key.size());
    const std::size_t begin = rest.find_first_not_of(kBetween);
    const bool is_key = at > 0 && kBetween.find(line[at - 1]) != kBetween.npos && begin != rest.npos;
    if (is_key && rest.substr(0, begin).find_first_of(":=") != rest.npos &&
        rest.substr(0, begin).find('"') != rest.npos)
      return up_to(rest.substr(begin), "\\\"");
  }
  return {};
}

// "GET 10.0.0.1:6443 /api/v1/pods" of GET:https://10.0.0.1:6443/api/v1/pods?limit=1.
std::string target_of(std::string_view verb, std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = up_to(url, "? \n\r\"");
  const std::string_view host = up_to(url, "/");
  return std::string(verb) + " " + std::string(host) + " " + std::string(url.substr(host.size()));
}

}  // namespace

// The three wordings of 1.14, 1.21 and 1.33.
bool read_throttled(std::string_view line, Throttled& out) {
  std::string_view delay, verb, url;
  if (line.find("Waited before sending request") != line.npos) {
    if (line.find("client-side throttling") == line.npos) return false;
    delay = value_of(line, "delay");
    verb = value_of(line, "verb");
    url = value_of(line, "URL");
  } else {
    constexpr std::string_view kTook = "Throttling request took ", kWaited = "Waited for ", kRequest = "request: ";
    std::size_t begin = line.find(kTook);
    if (begin != std::string_view::npos) begin += kTook.size();
    else if (line.find("client-side throttling") != std::string_view::npos && (begin = line.find(kWaited)) != line.npos)
      begin += kWaited.size();
    if (begin == std::string_view::npos) return false;
    delay = up_to(line.substr(begin), ", ");
    const std::size_t request = line.find(kRequest, begin);
    if (request == std::string_view::npos) return false;
    const std::string_view rest = line.substr(request + kRequest.size());
    verb = up_to(rest, ":");
    url = rest.substr(std::min(rest.size(), verb.size() + 1));
  }
  const std::optional<Nanos> read = parse_go_duration(delay);
  if (!read || *read < 0 || verb.empty()) return false;
  out = {*read, target_of(verb, url)};
  return true;
}

void ThrottlingSums::add(const Throttled& line) {
  constexpr std::size_t kMostTargets = 1u << 14;
  out_.shortest = out_.lines == 0 ? line.delay : std::min(out_.shortest, line.delay);
  out_.longest = std::max(out_.longest, line.delay);
  out_.sum = saturated_sum(out_.sum, line.delay);
  ++out_.lines;
  LogTally& of = targets_[targets_.size() < kMostTargets || targets_.contains(line.target) ? line.target : "…"];
  ++of.requests;
  of.wait = saturated_sum(of.wait, line.delay);
}

ClientThrottling ThrottlingSums::finish(std::size_t top) {
  for (auto& [target, tally] : targets_) out_.targets.push_back({{target}, tally});
  std::sort(out_.targets.begin(), out_.targets.end(), [](const LogRow& a, const LogRow& b) {
    return a.tally.requests != b.tally.requests ? a.tally.requests > b.tally.requests : a.names < b.names;
  });
  out_.targets.resize(std::min(out_.targets.size(), top));
  return std::move(out_);
}

}  // namespace apf
