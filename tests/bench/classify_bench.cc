// How many requests a second one core parses and classifies, and how that grows with the number of FlowSchemas.
// Prints one line per claim; exits 1 when a floor is missed.
#include <apf/classify.h>
#include <apf/config.h>

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "classify/match.h"
#include "classify/request_view.h"

using namespace apf;

namespace {

constexpr int kRepetitions = 9;
constexpr int kRequests = 2'000'000;

volatile std::uint64_t sink = 0;  // so that the work is not optimised away

// Time of this thread on a core: the claims are per core, and the machine may have other things to do.
double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Millions a second, the median of several runs of `count` pieces of work.
template <class Work>
double rate(int count, Work work) {
  std::vector<double> rates;
  for (int i = 0; i < kRepetitions; ++i) {
    const double begin = seconds();
    sink = sink + work();
    rates.push_back(count / (seconds() - begin) / 1e6);
  }
  std::nth_element(rates.begin(), rates.begin() + kRepetitions / 2, rates.end());
  return rates[kRepetitions / 2];
}

struct Sample {
  const char* verb;
  std::string uri;
  User user;
};

// What a cluster's log is made of: kubelets, controllers, the scheduler, people, probes.
std::vector<Sample> cluster_samples() {
  const User kubelet{"system:node:n1", {"system:nodes", "system:authenticated"}};
  const User manager{"system:kube-controller-manager", {"system:authenticated"}};
  const User account{"system:serviceaccount:ci:runner",
                     {"system:serviceaccounts", "system:serviceaccounts:ci", "system:authenticated"}};
  const User person{"jane", {"devs", "system:authenticated"}};
  const User admin{"admin", {"system:masters", "system:authenticated"}};
  const User anonymous{"system:anonymous", {"system:unauthenticated"}};
  return {{"update", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1?timeout=10s", kubelet},
          {"patch", "/api/v1/nodes/n1/status?timeout=10s", kubelet},
          {"get", "/api/v1/namespaces/shop/pods/cart-5d8f7c9b6-x2x7k", kubelet},
          {"watch",
           "/api/v1/"
           "pods?allowWatchBookmarks=true&fieldSelector=spec.nodeName%3Dn1&resourceVersion=7&timeout=7m23s&watch=true",
           kubelet},
          {"update", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager?timeout=5s",
           manager},
          {"list", "/apis/apps/v1/replicasets?limit=500&resourceVersion=0", manager},
          {"create", "/api/v1/namespaces/shop/events", manager},
          {"list", "/api/v1/namespaces/ci/pods?labelSelector=job%3D7", account},
          {"create", "/apis/batch/v1/namespaces/ci/jobs", account},
          {"get", "/apis/apps/v1/namespaces/shop/deployments/cart", person},
          {"list", "/api/v1/namespaces/shop/pods", person},
          {"get", "/api/v1/namespaces/shop/pods/cart-5d8f7c9b6-x2x7k/log", admin},
          {"get", "/healthz", anonymous},
          {"get", "/openapi/v2?timeout=32s", person}};
}

double view_rate(const std::vector<Sample>& samples) {
  return rate(kRequests, [&] {
    RequestView view;
    std::uint64_t sum = 0;
    for (int i = 0, at = 0; i < kRequests; ++i) {
      parse_audited_view(samples[at].verb, samples[at].uri, view);
      sum += view.f.name.size() + view.f.long_running;
      if (++at == static_cast<int>(samples.size())) at = 0;
    }
    return sum;
  });
}

double parse_rate(const std::vector<Sample>& samples) {
  return rate(kRequests, [&] {
    ParsedRequest parsed;
    std::uint64_t sum = 0;
    for (int i = 0, at = 0; i < kRequests; ++i) {
      parse_audited_request(samples[at].verb, samples[at].uri, parsed);
      sum += parsed.info.name.size();
      if (++at == static_cast<int>(samples.size())) at = 0;
    }
    return sum;
  });
}

// Matching alone: users' candidates cached, requests parsed.
double match_rate(const Classifier& classifier, const std::vector<Sample>& samples) {
  std::vector<ParsedRequest> parsed(samples.size());
  std::vector<std::shared_ptr<const Classifier::Candidates>> candidates;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    parse_audited_request(samples[i].verb, samples[i].uri, parsed[i]);
    candidates.push_back(classifier.candidates(samples[i].user));
  }
  return rate(kRequests, [&] {
    std::uint64_t sum = 0;
    for (int i = 0, at = 0; i < kRequests; ++i) {
      sum += classifier.match(parsed[at].info, *candidates[at]).schema;
      if (++at == static_cast<int>(samples.size())) at = 0;
    }
    return sum;
  });
}

// `count` schemas in four kinds by turns, as large configurations have them: for one service account, for one
// namespace, for one resource of a group, for some verbs on one path. The latter three concern every user.
Config many_schemas(int count) {
  Config config;
  PriorityLevel level;
  level.meta.name = "level";
  level.type = "Limited";
  level.limited.emplace().limit_response = "Reject";
  config.priority_levels.push_back(level);
  const Subject everyone{"Group", {}, "system:authenticated", {}};
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i / 4);
    FlowSchema& schema = config.flow_schemas.emplace_back();
    schema.meta.name = "schema-" + std::to_string(i);
    schema.matching_precedence = 1000 + i;
    schema.priority_level = "level";
    PolicyRule& rule = schema.rules.emplace_back();
    rule.subjects = {everyone};
    switch (i % 4) {
      case 0:
        rule.subjects = {{"ServiceAccount", {}, {}, Subject::ServiceAccount{"team-" + number, "builder"}}};
        rule.resource_rules.push_back({{"*"}, {"*"}, {"*"}, {"*"}, true});
        break;
      case 1:
        rule.resource_rules.push_back({{"*"}, {"*"}, {"*"}, {"team-" + number}, false});
        break;
      case 2:
        rule.resource_rules.push_back(
            {{"list", "watch"}, {"group-" + number + ".example.com"}, {"widgets"}, {"*"}, true});
        break;
      case 3:
        rule.non_resource_rules.push_back({{"get"}, {"/extra-" + number + "/*"}});
        break;
    }
  }
  return config;
}

std::vector<Sample> samples_for(int count) {
  std::vector<Sample> samples;
  for (int i = 0; i < 64; ++i) {
    const std::string number = std::to_string(i * 37 % std::max(1, count / 4));
    const User account{"system:serviceaccount:team-" + number + ":builder",
                       {"system:serviceaccounts", "system:authenticated"}};
    const User person{"jane", {"system:authenticated"}};
    switch (i % 4) {
      case 0:
        samples.push_back({"list", "/api/v1/namespaces/x/pods", account});
        break;
      case 1:
        samples.push_back({"get", "/api/v1/namespaces/team-" + number + "/pods/p", person});
        break;
      case 2:
        samples.push_back({"list", "/apis/group-" + number + ".example.com/v1/widgets", person});
        break;
      case 3:
        samples.push_back({"get", "/extra-" + number + "/x", person});
        break;
    }
  }
  return samples;
}

}  // namespace

int main() {
  constexpr double kFloor = 5;
  const std::vector<Sample> samples = cluster_samples();
  std::printf("parse: view of an audited URI %.1f M/s\n", view_rate(samples));
  std::printf("parse: RequestInfo of an audited URI %.1f M/s\n", parse_rate(samples));
  const double builtin = match_rate(Classifier(bootstrap_config(kNewestKubeVersion)), samples);
  std::printf("classify: builtin %.1f M/s (floor %.0f M/s)\n", builtin, kFloor);
  double rates[3];
  constexpr int kCounts[] = {10, 100, 1000};
  for (int i = 0; i < 3; ++i) {
    rates[i] = match_rate(Classifier(many_schemas(kCounts[i])), samples_for(kCounts[i]));
    std::printf("classify: %d schemas %.1f M/s\n", kCounts[i], rates[i]);
  }
  // Linear growth would be 100; the bar is a tenth of it.
  const double growth = rates[0] / rates[2];
  std::printf("classify: time per request from 10 to 1000 schemas x%.1f (bar: at most x10)\n", growth);
  return builtin >= kFloor && growth <= 10 ? 0 : 1;
}
