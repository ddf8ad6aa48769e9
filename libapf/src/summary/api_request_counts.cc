// What OpenShift's API servers count of their requests: APIRequestCount objects of apiserver.openshift.io/v1, an hour
// each of the last day.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <apf/log_summary.h>

#include "config/reader.h"

namespace apf {

namespace {

constexpr std::string_view kKind = "APIRequestCount";

std::uint64_t number_of(const ConfigNode& node, std::string_view key) {
  const ConfigNode* value = node.find_present(key);
  const std::optional<std::int64_t> number = value ? value->integer() : std::nullopt;
  return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

std::span<const ConfigNode> list_of(const ConfigNode& node, std::string_view key) {
  const ConfigNode* list = node.find_present(key);
  return list ? list->items() : std::span<const ConfigNode>();
}

// "deployments.apps" of deployments.v1.apps, "pods" of pods.v1.
std::string resource_of(const std::string& name) {
  const std::size_t version = name.find('.');
  if (version == std::string::npos) return name;
  const std::size_t group = name.find('.', version + 1);
  return name.substr(0, version) + (group == std::string::npos ? std::string() : name.substr(group));
}

class Counting {
 public:
  // False: it is another object.
  bool take(const ConfigNode& object) {
    if (object.find_string("kind") != kKind) return false;
    ++out_.objects;
    const ConfigNode* metadata = object.find_present("metadata");
    const ConfigNode* status = object.find_present("status");
    const std::string name = metadata ? metadata->find_string("name") : std::string();
    if (!status) return true;
    const std::uint64_t before = out_.requests;
    const auto hours = list_of(*status, "last24h");
    for (std::size_t hour = 0; hour < std::min(hours.size(), ApiRequestCounts::kHours); ++hour)
      take_hour(hours[hour], resource_of(name), hour);
    if (out_.requests > before && !status->find_string("removedInRelease").empty())
      out_.removed.emplace_back(name, status->find_string("removedInRelease"));
    return true;
  }

  ApiRequestCounts finish() {
    for (auto& [key, row] : rows_) out_.rows.push_back(std::move(row));
    std::stable_sort(out_.rows.begin(), out_.rows.end(),
                     [](const auto& a, const auto& b) { return a.requests > b.requests; });
    out_.nodes.assign(nodes_.begin(), nodes_.end());
    return std::move(out_);
  }

 private:
  void take_hour(const ConfigNode& of, const std::string& resource, std::size_t hour) {
    std::uint64_t all = 0, named = 0;
    for (const ConfigNode& node : list_of(of, "byNode")) {
      const std::string name = node.find_string("nodeName");
      std::uint64_t of_node = 0;
      for (const ConfigNode& user : list_of(node, "byUser")) of_node += take_user(user, resource, hour);
      const std::uint64_t counted = std::max(of_node, number_of(node, "requestCount"));
      named += of_node;
      all += counted;
      if (!name.empty() && counted > 0) nodes_.insert(name);
    }
    all = std::max(all, number_of(of, "requestCount"));
    out_.requests += all;
    out_.by_hour[hour] += all;
    out_.unnamed += all - named;
  }

  // The requests of a user at a node, by verb as far as that is known.
  std::uint64_t take_user(const ConfigNode& of, const std::string& resource, std::size_t hour) {
    const std::string user = of.find_string("username"), agent = of.find_string("userAgent");
    std::uint64_t counted = 0;
    const auto add = [&](const std::string& verb, std::uint64_t requests) {
      if (requests == 0) return;
      ApiRequestCounts::Row& row = rows_[{user, agent, verb, resource}];
      row.user = user;
      row.agent = agent;
      row.verb = verb;
      row.resource = resource;
      row.requests += requests;
      row.by_hour[hour] += requests;
      counted += requests;
    };
    for (const ConfigNode& verb : list_of(of, "byVerb")) add(verb.find_string("verb"), number_of(verb, "requestCount"));
    const std::uint64_t all = number_of(of, "requestCount");
    if (all > counted) add("", all - counted);
    return counted;
  }

  ApiRequestCounts out_;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, ApiRequestCounts::Row> rows_;
  std::set<std::string> nodes_;
};

}  // namespace

std::optional<ApiRequestCounts> read_api_request_counts(std::string_view text) {
  if (text.find(kKind) == text.npos) return std::nullopt;
  std::vector<Diagnostic> faults;
  const std::shared_ptr<ConfigTree> tree = read_tree({"", std::string(text)}, faults);
  Counting counting;
  bool any = false;
  for (const ConfigDocument& document : tree->documents()) {
    any = counting.take(*document.root) || any;
    for (const ConfigNode& item : list_of(*document.root, "items")) any = counting.take(item) || any;
  }
  return any ? std::optional(counting.finish()) : std::nullopt;
}

}  // namespace apf
