// What providers document of the servers that they run: numbers, objects, and where each was read.
#include <apf/error.h>
#include <apf/settings.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "config/dialect.h"
#include "settings/openshift.h"
#include "settings/settings.h"

namespace apf {

namespace {

constexpr const char* kRead = "2026-11-22";  // when the sources were read

constexpr const char* kApiserver = "https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/";
constexpr const char* kAksTiers = "https://learn.microsoft.com/en-us/azure/aks/quotas-skus-regions";
constexpr const char* kEks = "https://docs.aws.amazon.com/eks/latest/best-practices/scale-control-plane.html";
constexpr const char* kEksTiers = "https://docs.aws.amazon.com/eks/latest/userguide/eks-provisioned-control-plane.html";
constexpr const char* kHypershift =
    "https://github.com/openshift/hypershift/blob/main/api/hypershift/v1beta1/hostedcluster_types.go";
constexpr const char* kOpenshiftConfig =
    "https://github.com/openshift/cluster-kube-apiserver-operator/blob/main/bindata/assets/config/defaultconfig.yaml";

constexpr const char* kSum =
    "/metrics of a server has apiserver_flowcontrol_nominal_limit_seats of each level; their sum, less what rounding "
    "up "
    "each of them adds, is the number to set.";

constexpr const char* kAksGuard =
    "Where more servers do not help against overload, AKS adds the FlowSchema and the level "
    "aks-managed-apiserver-guard. "
    "Their contents are not documented, so they are left out.";

constexpr const char* kEksObjects =
    "EKS adds the FlowSchemas eks-exempt (matchingPrecedence 2), which leads to the level exempt, and "
    "eks-workload-high "
    "(1000), which leads to workload-high. Their rules are not documented, so they are left out. A listing of a "
    "cluster "
    "of 1.31 also had the level eks-monitoring, whose shares dilute those of all others: --from-cluster shows whether "
    "yours has it.";

Preset eks(const char* size, int seats) {
  Preset preset;
  preset.name = std::string("eks-") + size;
  std::string tier;
  for (const char* c = size; *c; ++c) tier += *c >= 'a' && *c <= 'z' ? static_cast<char>(*c - 'a' + 'A') : *c;
  preset.title = "EKS, provisioned control plane, tier " + tier;
  preset.server_concurrency = seats;
  preset.facts = {{"server-concurrency " + std::to_string(seats), kEksTiers, kRead}};
  preset.limits = {
      "The number is the API request concurrency of the tier. How it is divided among the servers of the control plane "
      "is not documented.",
      kEksObjects};
  if (tier == "8XL") {
    preset.facts.front().source =
        std::string(kEksTiers) + " names the tier, a guide of a third party (2026) its number";
    preset.limits.push_back(
        "There is also a tier-ultra in EKS' API, without a number. What a cluster has, 'aws eks describe-cluster' "
        "says: "
        "give its output to --server.");
  }
  return preset;
}

std::vector<Preset> make_presets() {
  std::vector<Preset> out;
  Preset aks;
  aks.name = "aks";
  aks.title = "Azure Kubernetes Service, tiers Standard and Premium";
  aks.limits = {
      "The API server scales with its load; how many requests in flight it allows is not documented: 400 and "
      "200, kube-apiserver's defaults, are used.",
      kSum, kAksGuard};
  out.push_back(std::move(aks));

  Preset free;
  free.name = "aks-free";
  free.title = "Azure Kubernetes Service, tier Free";
  free.max_requests_inflight = 100;
  free.max_mutating_requests_inflight = 50;
  free.facts = {{"max-requests-inflight 100", kAksTiers, kRead},
                {"max-mutating-requests-inflight 50", kAksTiers, kRead}};
  free.limits = {kAksGuard};
  out.push_back(std::move(free));

  Preset standard;
  standard.name = "eks";
  standard.title = "Amazon EKS, standard control plane";
  standard.max_requests_inflight = 400;
  standard.max_mutating_requests_inflight = 200;
  standard.facts = {{"max-requests-inflight 400", kEks, kRead}, {"max-mutating-requests-inflight 200", kEks, kRead}};
  standard.limits = {
      "These are the numbers of each of at least two servers of a new cluster. EKS raises their sum with the size of "
      "the "
      "control plane, up to 2,000 and subject to change; which size has which sum is not documented.",
      kSum, kEksObjects};
  out.push_back(std::move(standard));
  out.push_back(eks("xl", 1700));
  out.push_back(eks("2xl", 3400));
  out.push_back(eks("4xl", 6800));
  out.push_back(eks("8xl", 13600));

  Preset gke;
  gke.name = "gke";
  gke.title = "Google Kubernetes Engine";
  gke.limits = {
      "How many requests in flight a server allows is documented for no size of the control plane: 400 and 200, "
      "kube-apiserver's defaults, are used.",
      kSum, "Objects that GKE adds are not documented."};
  out.push_back(std::move(gke));

  Preset kubeadm;
  kubeadm.name = "kubeadm";
  kubeadm.title = "kubeadm, without extraArgs for kube-apiserver";
  kubeadm.max_requests_inflight = 400;
  kubeadm.max_mutating_requests_inflight = 200;
  kubeadm.facts = {{"max-requests-inflight 400", kApiserver, kRead},
                   {"max-mutating-requests-inflight 200", kApiserver, kRead}};
  out.push_back(std::move(kubeadm));

  Preset openshift;
  openshift.name = "openshift";
  openshift.title = "OpenShift 4, self-managed";
  openshift.max_requests_inflight = 3000;
  openshift.max_mutating_requests_inflight = 1000;
  openshift.min_request_timeout = 3600;
  openshift.objects = openshift_objects();
  openshift.facts = {{"max-requests-inflight 3000", kOpenshiftConfig, kRead},
                     {"max-mutating-requests-inflight 1000", kOpenshiftConfig, kRead},
                     {"min-request-timeout 3600", kOpenshiftConfig, kRead}};
  for (Preset::Fact& fact : openshift_object_facts(kRead)) openshift.facts.push_back(std::move(fact));
  openshift.limits = {"Hosted control planes: see the preset hypershift."};
  Preset hypershift = openshift;
  hypershift.name = "hypershift";
  hypershift.title = "OpenShift 4, hosted control plane (HyperShift)";
  hypershift.facts[0].source = hypershift.facts[1].source = kHypershift;
  hypershift.limits = {
      "Annotations of the HostedCluster (hypershift.openshift.io/kube-apiserver-max-requests-inflight and "
      "-max-mutating-requests-inflight) and the sizes of a ClusterSizingConfiguration set other numbers: give the "
      "HostedCluster to --server."};
  out.push_back(std::move(hypershift));
  out.push_back(std::move(openshift));
  return out;
}

const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> kAll = make_presets();
  return kAll;
}

}  // namespace

std::span<const Preset> presets() { return all_presets(); }

const Preset* find_preset(std::string_view name) {
  const auto& all = all_presets();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Preset& preset) { return preset.name == name; });
  return at == all.end() ? nullptr : &*at;
}

Config preset_objects(const Preset& preset) {
  if (preset.objects.empty()) return {};
  const std::vector<ConfigText> texts = {{std::string(kPresetText) + preset.name, preset.objects}};
  Config config = load_config(texts).config;
  apply_defaults(config);
  return config;
}

Config with_objects(Config config, const Config& added) {
  if (!dialect_of(config).is_served()) return config;  // no server has both
  const auto add = [](auto& to, const auto& from) {
    std::set<std::string> names;
    for (const auto& object : to) names.insert(object.meta.name);
    for (const auto& object : from) {
      if (names.insert(object.meta.name).second) to.push_back(object);
    }
  };
  add(config.priority_levels, added.priority_levels);
  add(config.flow_schemas, added.flow_schemas);
  return config;
}

}  // namespace apf
