// Sources: k8s.io/apiserver/pkg/authentication/user and serviceaccount (well-known names), the bindings of
// rbac.authorization.k8s.io that kube-apiserver creates, kubernetes.io "PKI certificates and requirements", v1.20 to
// v1.36; OpenShift's and the cloud providers' own names as far as they are near one of these.
#include "lint/system_names.h"

#include <algorithm>

#include "base/identities.h"
#include "base/text.h"
#include "config/closest.h"

namespace apf {

namespace {

constexpr std::string_view kPrefix = "system:";

constexpr std::string_view kUsers[] = {
    "system:anonymous",
    "system:apiserver",
    "system:kube-aggregator",
    "system:aggregator",
    "system:kube-scheduler",
    "system:kube-proxy",
    "system:kube-controller-manager",
    "system:addon-manager",
    "system:admin",
    "system:node-problem-detector",
    "system:cluster-autoscaler",
    "system:kube-apiserver",
    "system:volume-scheduler",
    "system:cloud-controller-manager",
    "system:konnectivity-server",
};
constexpr std::string_view kGroups[] = {
    "system:authenticated", "system:unauthenticated", "system:masters",         "system:nodes",
    "system:monitoring",    "system:serviceaccounts", "system:bootstrappers",   "system:node-proxier",
    "system:node-proxiers", "system:cluster-admins",  "system:cluster-readers", "system:node-admins",
};
// What has a part of its own behind it, and how many more colons that may have.
struct Head {
  std::string_view text;
  NameKind kind;
  int colons;  // -1: any
  std::string_view pattern;
};
constexpr Head kHeads[] = {
    {"system:serviceaccount", NameKind::user, 1, "system:serviceaccount:NAMESPACE:NAME"},
    {"system:node", NameKind::user, 0, "system:node:NAME"},
    {"system:bootstrap", NameKind::user, 0, "system:bootstrap:TOKEN-ID"},
    {"system:serviceaccounts", NameKind::group, 0, "system:serviceaccounts:NAMESPACE"},
    {"system:bootstrappers", NameKind::group, -1, "system:bootstrappers:NAME"},
    {"system:authenticated", NameKind::group, -1, "system:authenticated:NAME"},
};
// Without their prefix.
struct Bare {
  std::string_view text;
  NameKind kind;
  Severity severity;
};
constexpr Bare kBare[] = {
    {"kube-controller-manager", NameKind::user, Severity::warning},
    {"kube-scheduler", NameKind::user, Severity::warning},
    {"kube-proxy", NameKind::user, Severity::warning},
    {"apiserver", NameKind::user, Severity::info},
    {"anonymous", NameKind::user, Severity::info},
    {"authenticated", NameKind::group, Severity::info},
    {"unauthenticated", NameKind::group, Severity::info},
    {"serviceaccounts", NameKind::group, Severity::info},
};

// ClusterRoles that kube-apiserver creates, and whom it binds them to. Those of controllers are bound to service
// accounts.
struct Role {
  std::string_view role;
  NameKind kind;
  std::string_view bound;
};
constexpr Role kRoles[] = {
    {"system:kube-dns", NameKind::user, "system:serviceaccount:kube-system:kube-dns"},
    {"system:coredns", NameKind::user, "system:serviceaccount:kube-system:coredns"},
    {"system:discovery", NameKind::group, "system:authenticated"},
    {"system:basic-user", NameKind::group, "system:authenticated"},
    {"system:node-bootstrapper", NameKind::group, "system:bootstrappers"},
};
// Words of people for what has another name.
constexpr Role kOtherWords[] = {
    {"system:scheduler", NameKind::user, "system:kube-scheduler"},
    {"system:controller-manager", NameKind::user, "system:kube-controller-manager"},
    {"system:proxy", NameKind::user, "system:kube-proxy"},
    {"system:kubelet", NameKind::group, "system:nodes"},
    {"system:kubelets", NameKind::group, "system:nodes"},
    {"system:everyone", NameKind::group, "system:authenticated"},
    {"system:users", NameKind::group, "system:authenticated"},
};

constexpr std::string_view kControllerRole = "system:controller:",
                           kKubeSystemUser = "system:serviceaccount:kube-system:";

std::optional<MeantName> in_other_words(std::string_view name) {
  for (const Role& word : kOtherWords)
    if (word.role == name) return MeantName{word.kind, std::string(word.bound), false, Severity::warning};
  for (const Role& role : kRoles)
    if (role.role == name) return MeantName{role.kind, std::string(role.bound), false, Severity::warning, true};
  if (!name.starts_with(kControllerRole) || name.size() == kControllerRole.size()) return std::nullopt;
  const std::string account = std::string(kKubeSystemUser).append(name.substr(kControllerRole.size()));
  return MeantName{NameKind::user, account, false, Severity::warning, true};
}

struct Split {
  std::string_view head, rest;  // "system:node", "worker-1"
  bool has_rest = false;
};
Split split(std::string_view name) {
  const std::size_t first = name.find(':');
  const std::size_t second = first == std::string_view::npos ? first : name.find(':', first + 1);
  if (second == std::string_view::npos) return {name, {}, false};
  return {name.substr(0, second), name.substr(second + 1), true};
}

bool fits(const Head& head, std::string_view rest) {
  const auto colons = std::count(rest.begin(), rest.end(), ':');
  if (head.colons >= 0 && colons != head.colons) return false;
  return !rest.empty() && rest.front() != ':' && rest.back() != ':';
}

// Near enough for a slip of the fingers: two letters of a long name, one of a short one.
bool is_near(std::string_view word, std::string_view name) {
  constexpr std::size_t kLong = 15;  // the prefix included
  return edit_distance(word, name) <= (name.size() >= kLong ? 2u : 1u);
}

// "system-nodes", "System:nodes", "systems:nodes".
bool has_near_prefix(std::string_view name) {
  std::string start(name.substr(0, kPrefix.size()));
  return edit_distance(start, kPrefix) <= 1 || edit_distance(name.substr(0, kPrefix.size() - 1), kPrefix) <= 1;
}

std::optional<MeantName> nearest(NameKind kind, std::string_view name) {
  std::size_t best = SIZE_MAX;
  std::optional<MeantName> out;
  const auto consider = [&](NameKind of, std::string_view known) {
    const std::size_t distance = edit_distance(name, known) * 2 + (of == kind ? 0 : 1);
    if (!is_near(name, known) || distance >= best) return;
    best = distance;
    out = MeantName{of, std::string(known), false, Severity::warning};
  };
  for (const std::string_view known : kUsers) consider(NameKind::user, known);
  for (const std::string_view known : kGroups) consider(NameKind::group, known);
  return out;
}

// A name of several parts: the first of them is misspelt, or is that of the other kind.
std::optional<MeantName> nearest_of_parts(NameKind kind, const Split& parts) {
  std::size_t best = SIZE_MAX;
  std::optional<MeantName> out;
  for (const Head& head : kHeads) {
    if (!fits(head, parts.rest) || !is_near(parts.head, head.text)) continue;
    const std::size_t distance = edit_distance(parts.head, head.text) * 2 + (head.kind == kind ? 0 : 1);
    if (distance >= best) continue;
    best = distance;
    out = MeantName{head.kind, std::string(head.text) + ":" + std::string(parts.rest), false, Severity::warning};
  }
  return out;
}

}  // namespace

bool is_system_name(NameKind kind, std::string_view name) {
  if (kind == NameKind::user ? is_one_of(kUsers, name) : is_one_of(kGroups, name)) return true;
  const Split parts = split(name);
  return std::any_of(std::begin(kHeads), std::end(kHeads), [&](const Head& head) {
    return parts.has_rest && head.kind == kind && head.text == parts.head && fits(head, parts.rest);
  });
}

std::string_view meant_system_namespace(std::string_view name) {
  constexpr std::string_view kNamespaces[] = {"kube-system", "kube-public", "kube-node-lease", "default"};
  for (const std::string_view known : kNamespaces) {
    if (name == known) return {};
    // People number names, and put words before and behind them.
    if (name.starts_with(known) || name.ends_with(known)) continue;
    if (edit_distance(name, known, 2) == 1) return known;
  }
  return {};
}

std::string with_meant_namespace(std::string_view name) {
  for (const std::string_view head : {kServiceAccountPrefix, kNamespaceGroupPrefix}) {
    if (!name.starts_with(head)) continue;
    const std::size_t end = std::min(name.find(':', head.size()), name.size());
    const std::string_view meant = meant_system_namespace(name.substr(head.size(), end - head.size()));
    if (meant.empty()) return {};
    return std::string(head).append(meant).append(name.substr(end));
  }
  return {};
}

std::optional<MeantName> meant_system_name(NameKind kind, std::string_view name) {
  if (is_system_name(kind, name) || name.find('*') != std::string_view::npos) return std::nullopt;
  for (const Bare& bare : kBare) {
    if (bare.kind == kind && bare.text == name)
      return MeantName{kind, std::string(kPrefix) + std::string(name), false, bare.severity};
  }
  if (const std::optional<MeantName> bound = in_other_words(name)) return bound;
  if (!has_near_prefix(name)) return std::nullopt;
  const NameKind other = kind == NameKind::user ? NameKind::group : NameKind::user;
  if (is_system_name(other, name)) return MeantName{other, std::string(name), false, Severity::warning};
  const Split parts = split(name);
  std::optional<MeantName> out;
  if (parts.has_rest) {
    out = nearest_of_parts(kind, parts);
  } else {
    // The head alone: of users there is a group of all, of groups it is a letter short.
    for (const Head& head : kHeads) {
      if (head.text != name || head.kind != kind || kind != NameKind::user) continue;
      out = nearest(NameKind::group, name);
      if (!out) out = MeantName{kind, std::string(head.pattern), true, Severity::warning};
      return out;
    }
    out = nearest(kind, name);
  }
  if (out && edit_distance(name.substr(0, kPrefix.size()), kPrefix) > 0) out->severity = Severity::info;
  return out;
}

}  // namespace apf
