#include "flags/side_values.h"

#include <algorithm>

#include <apf/report.h>
#include <fmt/core.h>

#include "shared/suggest.h"

namespace apfctl {

namespace {

const std::vector<std::string> kServerKeys = {"kubernetes-version", "max-requests-inflight",
                                              "max-mutating-requests-inflight", "server-concurrency"};

}  // namespace

void SideValues::declare(CommandLine& line, const char* flag, const std::string& text,
                         std::vector<std::string> others) {
  flag_ = flag;
  keys_ = std::move(others);
  keys_.insert(keys_.end(), kServerKeys.begin(), kServerKeys.end());
  std::string keys;
  for (const std::string& key : keys_) keys += (keys.empty() ? "" : key == keys_.back() ? " and " : ", ") + key;
  line.list(flag, given_, "KEY=VALUE,...", text + " Keys: " + keys + ". Repeatable.");
  std::vector<std::string> choices;
  for (const std::string& key : keys_) choices.push_back(key + "=");
  line.choices(flag, choices);
}

void SideValues::check() {
  for (const std::string& text : given_) read(text);
}

// A comma begins the next key only where one follows: it may also be part of a path.
void SideValues::read(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t equals = text.find('=', at);
    const std::string key = text.substr(at, equals == std::string::npos ? equals : equals - at);
    if (std::find(keys_.begin(), keys_.end(), key) == keys_.end())
      throw UsageError(fmt::format("{}: unknown key '{}'{}", flag_, apf::printable(key),
                                   apf::KubeVersion::parse(key) ? "; did you mean 'kubernetes-version=" + key + "'?"
                                                                : did_you_mean(key, keys_)));
    const auto begins_key = [&](std::size_t from) {
      return std::any_of(keys_.begin(), keys_.end(),
                         [&](const std::string& next) { return text.compare(from, next.size() + 1, next + "=") == 0; });
    };
    std::size_t end = equals == std::string::npos ? equals : text.find(',', equals);
    while (end != std::string::npos && !begins_key(end + 1)) end = text.find(',', end + 1);
    end = std::min(end, text.size());
    const std::string value = equals == std::string::npos ? std::string() : text.substr(equals + 1, end - equals - 1);
    if (value.empty()) throw UsageError(fmt::format("{}: {} needs a value: {}=VALUE", flag_, key, key));
    if (find(key) && !key.ends_with("-at")) throw UsageError(fmt::format("{}: {} is given twice", flag_, key));
    values_.emplace_back(key, value);
    at = end + 1;
  }
}

std::optional<std::string> SideValues::find(const std::string& key) const {
  for (const auto& [known, value] : values_)
    if (known == key) return value;
  return std::nullopt;
}

std::vector<std::string> SideValues::all(const std::string& key) const {
  std::vector<std::string> out;
  for (const auto& [known, value] : values_)
    if (known == key) out.push_back(value);
  return out;
}

bool SideValues::has_seats() const {
  return find("max-requests-inflight") || find("max-mutating-requests-inflight") || find("server-concurrency");
}

void SideValues::replace(ReleaseFlags& release) const {
  const std::optional<std::string> version = find("kubernetes-version");
  if (!version) return;
  release.given = version;
  release.check(name("kubernetes-version").c_str());
}

void SideValues::replace(InflightFlags& inflight) const {
  inflight.replace(flag_ + " ", find("max-requests-inflight"), find("max-mutating-requests-inflight"),
                   find("server-concurrency"));
}

}  // namespace apfctl
