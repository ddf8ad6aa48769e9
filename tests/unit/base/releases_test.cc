// The table of what differs between Kubernetes releases.
#include <set>
#include <string>
#include <utility>

#include "base/releases.h"
#include "catch.h"

using namespace apf;

TEST_CASE("each difference between releases has a name, and divides the supported releases", "[base]") {
  std::set<std::string_view> names;
  for (const ReleaseDifference& row : release_differences()) {
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == row.name.npos);
    CHECK_FALSE(row.what.empty());
    // Some differences are of patches only, and no release has more than 20 of them.
    std::size_t with = 0, all = 0;
    for (const KubeVersion version : kube_versions()) {
      for (int patch = 0; patch < 20; ++patch, ++all) with += has({version.minor, patch}, row.feature);
    }
    CHECK(with > 0);
    CHECK(with < all);
  }
}

TEST_CASE("differences may begin, end and come back", "[base]") {
  CHECK_FALSE(has(KubeVersion{25}, Feature::borrowing));
  CHECK(has(KubeVersion{26}, Feature::borrowing));
  CHECK(has(KubeVersion{33}, Feature::workload_leader_election_schema));
  CHECK_FALSE(has(KubeVersion{34}, Feature::workload_leader_election_schema));
  CHECK_FALSE(has(KubeVersion{31}, Feature::watch_list));
  CHECK(has(KubeVersion{32}, Feature::watch_list));
  CHECK_FALSE(has(KubeVersion{33}, Feature::watch_list));
  CHECK(has(KubeVersion{34}, Feature::watch_list));
  CHECK(has(KubeVersion{36}, Feature::watch_list));
}

TEST_CASE("feature gates decide in the releases that ask them", "[base]") {
  const auto with = [](int minor, const char* gates) {
    KubeVersion version{minor};
    const std::vector<std::string> unheeded = set_feature_gates(gates, version);
    return std::pair(version, unheeded);
  };
  CHECK_FALSE(has(with(34, "SizeBasedListCostEstimate=false").first, Feature::size_based_list_cost));
  CHECK(has(with(33, "WatchList=true").first, Feature::watch_list));
  CHECK_FALSE(has(with(32, "A=true,kube:WatchList=false").first, Feature::watch_list));
  CHECK(has(with(28, "ConsistentListFromCache=true").first, Feature::consistent_list_from_cache));
  CHECK_FALSE(has(with(33, "ConsistentListFromCache=false").first, Feature::consistent_list_from_cache));
  CHECK(has(with(29, "ZeroLimitedNominalConcurrencyShares=true").first, Feature::zero_shares));
  CHECK(with(34, "WatchList=true,Other=false").second.empty());
  // Locked: such a server does not start.
  const auto locked = with(34, "ConsistentListFromCache=false");
  CHECK(has(locked.first, Feature::consistent_list_from_cache));
  CHECK(locked.second == std::vector<std::string>{
                             "ConsistentListFromCache=false: Kubernetes 1.34 has it locked, and does not start so"});
  CHECK(with(27, "SizeBasedListCostEstimate=true").second.size() == 1);
  CHECK(with(36, "AllBeta=false").second.size() == 1);
  // The code is that of the release, whatever its gates.
  CHECK(has_in_code(with(34, "SizeBasedListCostEstimate=false").first, Feature::size_based_list_cost));
}

TEST_CASE("what logs hold, and a patch that changed the averages of demand", "[base]") {
  CHECK_FALSE(has(KubeVersion{22}, Feature::http_log_classification));
  CHECK(has(KubeVersion{23}, Feature::http_log_classification));
  CHECK_FALSE(has(KubeVersion{23}, Feature::http_log_execution));
  CHECK(has(KubeVersion{24}, Feature::http_log_execution));
  CHECK_FALSE(has({24, 6}, Feature::http_log_seats));
  CHECK(has({24, 7}, Feature::http_log_seats));
  CHECK(has({25, 0}, Feature::http_log_seats));
  CHECK_FALSE(has(KubeVersion{30}, Feature::audited_queue_wait));
  CHECK(has({31, 0}, Feature::audited_queue_wait));
  CHECK(has(KubeVersion{33}, Feature::audited_queue_wait));
  for (const auto& [minor, first] : {std::pair{34, 7}, {35, 4}}) {
    CHECK_FALSE(has({minor, 0}, Feature::audited_queue_wait));
    CHECK_FALSE(has({minor, first - 1}, Feature::audited_queue_wait));
    CHECK(has({minor, first}, Feature::audited_queue_wait));
  }
  CHECK(has({36, 0}, Feature::audited_queue_wait));
  for (const auto& [minor, first] : {std::pair{26, 13}, {27, 10}, {28, 6}}) {
    CHECK_FALSE(has({minor, first - 1}, Feature::demand_is_a_number));
    CHECK(has({minor, first}, Feature::demand_is_a_number));
  }
  CHECK(has({29, 0}, Feature::demand_is_a_number));
}

TEST_CASE("a range of releases may begin or end with a patch", "[base]") {
  constexpr Releases backported{25, 13, 25, Releases::kNoEnd};
  CHECK_FALSE(backported.contain({25, 12}));
  CHECK(backported.contain({25, 13}));
  CHECK(backported.contain({25}));  // the newest patch
  CHECK_FALSE(backported.contain({26}));
  constexpr Releases broken{34, 0, 34, 6};
  CHECK(broken.contain({34, 6}));
  CHECK_FALSE(broken.contain({34, 7}));
  CHECK_FALSE(broken.contain({34}));
}

TEST_CASE("each release serves a version of the API, the newest of them not deprecated", "[base]") {
  for (const KubeVersion version : kube_versions()) {
    INFO(version.str());
    CHECK(newest_lifecycle(version).is_served(version));
    CHECK_FALSE(newest_lifecycle(version).is_deprecated(version));
  }
  CHECK(newest_lifecycle(KubeVersion{28}).version == "v1beta3");
  CHECK(newest_lifecycle(KubeVersion{29}).version == "v1");
  CHECK(find_api_lifecycle("v1beta2")->is_deprecated(KubeVersion{28}));
  CHECK_FALSE(find_api_lifecycle("v1beta2")->is_served(KubeVersion{29}));
  CHECK(find_api_lifecycle("v2") == nullptr);
}
