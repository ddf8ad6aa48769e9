// How many objects of each resource there are and how large: written by hand, or taken from a scrape of the
// server's /metrics (text format of Prometheus).
#include <apf/error.h>
#include "schedule/seats.h"

#include <cmath>
#include <functional>
#include <unordered_map>

#include "base/scrape_line.h"
#include "base/time_series.h"
#include "classify/go_int.h"

namespace apf {

struct ObjectCounts::Impl {
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, ObjectStats, Hash, std::equal_to<>> stats;  // by "resource" or "resource.group"
};

namespace {

// metric{label="value",…} number [timestamp]
bool parse_sample(std::string_view line, ScrapeLine& out) {
  if (!take_metric(line, out)) return false;
  const std::string_view rest = without_blanks(line);
  const std::string_view number = rest.substr(0, rest.find_first_of(" \t"));
  if (number.size() == rest.size() && rest.size() == line.size()) return false;  // no space before the number
  return read_sample(number, out.value);
}

// Of labels with the same name the last one counts.
std::string resource_of(const ScrapeLine& sample) {
  std::string_view group, resource;
  for (const auto& [name, value] : sample.labels) {
    if (name == "group") group = value;
    if (name == "resource") resource = value;
  }
  std::string out(resource);
  if (!resource.empty() && !group.empty()) out.append(".").append(group);
  return out;
}

// pods=1234 or deployments.apps=300,5000
bool parse_assignment(std::string_view line, std::string_view& resource, std::int64_t& count, std::int64_t& size) {
  const std::size_t equals = line.find('=');
  if (equals == line.npos) return false;
  resource = without_blanks(line.substr(0, equals));
  if (resource.find_first_of("{\" \t") != resource.npos) return false;
  const std::string_view numbers = line.substr(equals + 1);
  const std::size_t comma = numbers.find(',');
  size = 0;
  if (resource.empty() || !parse_go_int64(without_blanks(numbers.substr(0, comma)), count) || count < 0) return false;
  return comma == numbers.npos || (parse_go_int64(without_blanks(numbers.substr(comma + 1)), size) && size >= 0);
}

// What a scrape says of one resource, before it is put together.
struct Scraped {
  double objects = NAN, storage_objects = NAN, bytes = NAN;
};

// -1 is what the server reports when it could not count. An average is needed, the metric is a total.
ObjectStats stats_of(const Scraped& scraped) {
  ObjectStats stats;
  const double count = std::isnan(scraped.objects) ? scraped.storage_objects : scraped.objects;
  if (!(count >= 0 && count < 9e18)) {
    stats.state = ObjectStats::State::stale_or_failed;
    return stats;
  }
  stats.state = ObjectStats::State::known;
  stats.count = static_cast<std::int64_t>(count);
  if (scraped.bytes > 0 && scraped.bytes < 9e18 && stats.count > 0)
    stats.average_size = static_cast<std::int64_t>(scraped.bytes) / stats.count;
  return stats;
}

}  // namespace

ObjectCounts::ObjectCounts() : impl_(std::make_unique<Impl>()) {}
ObjectCounts::~ObjectCounts() = default;
ObjectCounts::ObjectCounts(const ObjectCounts& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
ObjectCounts::ObjectCounts(ObjectCounts&&) noexcept = default;
ObjectCounts& ObjectCounts::operator=(ObjectCounts&&) noexcept = default;

ObjectCounts ObjectCounts::parse(std::string_view given, const std::string& name) {
  ObjectCounts counts;
  std::string kept;
  std::string_view text = as_scrape(given, kept);
  std::unordered_map<std::string, Scraped> scraped;
  int number = 0;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::string_view line = without_blanks(text.substr(0, newline));
    text.remove_prefix(newline == text.npos ? text.size() : newline + 1);
    ++number;
    if (line.empty() || line[0] == '#') continue;
    std::string_view resource;
    std::int64_t count = 0, size = 0;
    if (parse_assignment(line, resource, count, size)) {
      counts.set(resource, count, size);
      continue;
    }
    ScrapeLine sample;
    if (!parse_sample(line, sample)) {
      throw Error(name + ":" + std::to_string(number) +
                  ": neither RESOURCE[.GROUP]=COUNT[,BYTES] nor a line of a /metrics scrape; correct or remove it");
    }
    const std::string key = resource_of(sample);
    if (key.empty()) continue;
    if (sample.metric == "apiserver_resource_objects") scraped[key].objects = sample.value;
    if (sample.metric == "apiserver_storage_objects") scraped[key].storage_objects = sample.value;
    if (sample.metric == "apiserver_resource_size_estimate_bytes") scraped[key].bytes = sample.value;
  }
  for (const auto& [key, values] : scraped) {
    if (!std::isnan(values.objects) || !std::isnan(values.storage_objects)) counts.impl_->stats[key] = stats_of(values);
  }
  return counts;
}

void ObjectCounts::set(std::string_view group_resource, std::int64_t count, std::int64_t average_size) {
  impl_->stats[std::string(group_resource)] = {ObjectStats::State::known, count, average_size};
}

ObjectStats ObjectCounts::find(std::string_view group, std::string_view resource) const {
  if (impl_->stats.empty()) return {};
  std::string_view key = resource;
  std::string long_key;
  char short_key[256];
  if (!group.empty()) {
    const std::size_t size = resource.size() + 1 + group.size();
    char* at = short_key;
    if (size > sizeof short_key) {
      long_key.resize(size);
      at = long_key.data();
    }
    resource.copy(at, resource.size());
    at[resource.size()] = '.';
    group.copy(at + resource.size() + 1, group.size());
    key = std::string_view(at, size);
  }
  const auto found = impl_->stats.find(key);
  return found == impl_->stats.end() ? ObjectStats() : found->second;
}

bool ObjectCounts::empty() const { return impl_->stats.empty(); }

}  // namespace apf
