// APF229: a resource that none of the rule's API groups has.
#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "base/api_groups.h"
#include "config/closest.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/missed_request.h"

namespace apf {

namespace {

// What other rules look at: wildcards, kinds, groups and versions within names.
bool is_plain(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

std::string group_words(std::string_view group) {
  return group.empty() ? std::string("the core group") : fmt::format("the group \"{}\"", group);
}

std::string groups_words(const std::vector<std::string>& groups) {
  return groups.size() == 1 ? group_words(groups[0]) : std::string("any of these groups");
}

// The group of Kubernetes' own that has the resource in this release; null if none or several have it.
const GroupResources* only_group_of(std::string_view resource, KubeVersion version) {
  const GroupResources* only = nullptr;
  for (const GroupResources& row : group_resources()) {
    if (!has(row, version) || !has_word(row.names, resource)) continue;
    if (only) return nullptr;
    only = &row;
  }
  return only;
}

// What a kubelet asks the server about who calls its own API, in SubjectAccessReviews. RBAC has rules for these; the
// server gets no requests for them.
bool is_kubelets_own(std::string_view group, std::string_view resource, std::string_view subresource) {
  constexpr std::string_view kOfKubelets[] = {"stats",   "metrics", "log",  "spec",
                                              "healthz", "configz", "pods", "checkpoint"};
  return group.empty() && resource == "nodes" &&
         std::find(std::begin(kOfKubelets), std::end(kOfKubelets), subresource) != std::end(kOfKubelets);
}

// The built-in resource of which `name` is a short name or singular, whatever its group.
const ApiResource* abbreviated(std::string_view name) {
  const ApiResource* found = find_api_resource(name, nullptr);
  return found && found->name != name ? found : nullptr;
}

// Short names in their own group are rule kind-or-singular-resource's concern.
bool is_short_name_here(const ResourceRule& rule, std::string_view name) {
  return std::any_of(rule.api_groups.begin(), rule.api_groups.end(), [&](const std::string& group) {
    const std::string_view view = group;
    return find_api_resource(name, &view) != nullptr;
  });
}

std::vector<std::string_view> resources_in(const std::vector<std::string>& groups, KubeVersion version) {
  std::vector<std::string_view> out;
  for (const GroupResources& row : group_resources()) {
    if (!has(row, version) || !holds(groups, row.group)) continue;
    for (std::string_view rest = row.names; !rest.empty();) {
      out.push_back(rest.substr(0, rest.find(' ')));
      rest.remove_prefix(std::min(rest.size(), out.back().size() + 1));
    }
  }
  return out;
}

class PartCheck {
 public:
  PartCheck(const LintContext& context, const ResourceRuleEntry& of, Findings& findings)
      : context_(context), of_(of), rule_(of.part), version_(context.options.version), findings_(findings) {}

  void run() {
    any_group_ = is_any(rule_.api_groups);
    if (!any_group_ && !std::all_of(rule_.api_groups.begin(), rule_.api_groups.end(), is_own_group)) return;
    for (std::size_t i = 0; i < rule_.resources.size(); ++i) {
      const std::string& entry = rule_.resources[i];
      const std::string_view name = resource_of(entry);
      const bool begins_with_group = entry.size() > name.size() && is_own_group(name);  // rule group-in-resource
      if (!is_plain(name) || begins_with_group) continue;
      at_ = item_field(of_.field + ".resources", i);
      if (any_group_) check_in_any_group(entry, name);
      else check_entry(entry, name);
    }
  }

 private:
  // A custom resource may have any name: only what looks like nothing else is reported.
  void check_in_any_group(const std::string& entry, std::string_view name) {
    for (const GroupResources& row : group_resources()) {
      if (has_word(row.names, name)) return;
    }
    const std::string_view parent = only_parent_of(name);
    const ApiResource* meant = abbreviated(name);
    if (!parent.empty() && entry == name) return report_subresource(entry, parent, Severity::info);
    if (meant && !is_plural_of(meant->name, name)) {  // singulars are rule kind-or-singular-resource's concern
      const std::string whole = std::string(meant->name) + entry.substr(name.size());
      Diagnostic& d = add(fmt::format("no resource of Kubernetes is named \"{}\"; {}", entry, did_you_mean(whole)));
      d.severity = Severity::info;
      offer_correction(d, of_.schema, at_, rule_.resources, whole);
    }
  }

  void check_entry(const std::string& entry, std::string_view name) {
    const GroupResources* gone = nullptr;
    for (const std::string& group : rule_.api_groups) {
      const GroupResources* row = find_group_resource(group, name);
      if (row && has(*row, version_)) return check_subresource(entry, name, group);
      if (row) gone = row;
    }
    if (gone) return report_gone(entry, *gone);
    if (is_short_name_here(rule_, name)) return;
    if (const GroupResources* row = only_group_of(name, version_)) return report_elsewhere(entry, row->group);
    if (entry == name && is_subresource_name(name))
      return report_subresource(entry, only_parent_of(name), Severity::warning);
    if (const ApiResource* meant = abbreviated(name)) return report_short_name(entry, name, *meant);
    report_unknown(entry, name);
  }

  Diagnostic& add(std::string message) { return findings_.add(of_.schema, at_, std::move(message)); }

  void show(Diagnostic& d, std::string_view group, const std::string& resource) {
    d.witness = missed_by(context_, of_.schema, of_.rule, request_of(rule_, group, resource));
  }

  void report_gone(const std::string& entry, const GroupResources& row) {
    const bool later = comes_later(row, version_);
    add(fmt::format("\"{}\" matches no request in {}: {} has it {} 1.{}", entry, version_.str(), group_words(row.group),
                    later ? "from" : "until", later ? row.in.first_minor : row.in.last_minor))
        .severity = Severity::info;
  }

  void report_elsewhere(const std::string& entry, std::string_view group) {
    Diagnostic& d =
        add(fmt::format("\"{}\" isn't in {}: it is in {}", entry, groups_words(rule_.api_groups), group_words(group)));
    show(d, group, entry);
    const ConfigNode& root = *of_.schema.meta.source.tree;
    const std::string list = of_.field + ".apiGroups";
    const bool all_there = std::all_of(rule_.resources.begin(), rule_.resources.end(), [&](const std::string& other) {
      const GroupResources* row = find_group_resource(group, resource_of(other));
      return row && has(*row, version_);
    });
    const std::string quoted = fmt::format("\"{}\"", group);
    if (all_there && rule_.api_groups.size() == 1)
      offer_fix(d, fmt::format("make the group {}", quoted), false, replace_scalar(root, item_field(list, 0), group));
    else offer_fix(d, fmt::format("add the group {}", quoted), false, append_item(root, list, group));
  }

  void report_subresource(const std::string& entry, std::string_view parent, Severity severity) {
    Diagnostic& d = add(
        parent.empty()
            ? fmt::format("\"{}\" matches no request: it is a subresource, and is written behind its resource", entry)
            : fmt::format("\"{}\" matches no request: the subresource is written \"{}/{}\"", entry, parent, entry));
    d.severity = severity;
    if (parent.empty()) {
      d.notes.push_back({fmt::format("for example \"{}/{}\"", entry == "scale" ? "deployments" : "nodes", entry), {}});
      return;
    }
    const std::string whole = fmt::format("{}/{}", parent, entry);
    const ApiResource* known = find_api_resource(parent, nullptr);
    show(d, known->group, whole);
    offer_correction(d, of_.schema, at_, rule_.resources, whole);
  }

  void report_short_name(const std::string& entry, std::string_view name, const ApiResource& meant) {
    const std::string whole = std::string(meant.name) + entry.substr(name.size());
    Diagnostic& d = add(fmt::format("\"{}\" matches no request: the resource is \"{}\", in {}", entry, whole,
                                    group_words(meant.group)));
    show(d, meant.group, whole);
  }

  void report_unknown(const std::string& entry, std::string_view name) {
    const std::vector<std::string_view> known = resources_in(rule_.api_groups, version_);
    std::string_view near = closest(name, known);
    if (near.empty()) {
      std::vector<std::string_view> all;
      for (const ApiResource& resource : api_resources()) all.push_back(resource.name);
      const std::string_view elsewhere = closest(name, all);
      Diagnostic& d = add(
          fmt::format("\"{}\" matches no request: no such resource is in {}", entry, groups_words(rule_.api_groups)));
      if (!elsewhere.empty()) d.notes.push_back({did_you_mean(elsewhere), {}});
      return;
    }
    const std::string whole = std::string(near) + entry.substr(name.size());
    Diagnostic& d = add(fmt::format("\"{}\" matches no request: no such resource is in {}; {}", entry,
                                    groups_words(rule_.api_groups), did_you_mean(whole)));
    for (const std::string& group : rule_.api_groups) {
      if (find_group_resource(group, near)) show(d, group, whole);
    }
    offer_correction(d, of_.schema, at_, rule_.resources, whole);
  }

  void check_subresource(const std::string& entry, std::string_view name, const std::string& group) {
    const std::string_view subresource = subresource_of(entry), known = subresources_of(group, name);
    if (subresource.empty() || known.empty() || has_word(known, subresource)) return;
    if (subresource.find_first_of("*/") != std::string_view::npos || subresource == "finalizers") return;
    if (is_kubelets_own(group, name, subresource)) return report_kubelets_own(entry);
    std::vector<std::string_view> names;
    for (std::string_view rest = known; !rest.empty();) {
      names.push_back(rest.substr(0, rest.find(' ')));
      rest.remove_prefix(std::min(rest.size(), names.back().size() + 1));
    }
    const std::string_view near = closest(subresource, names);
    Diagnostic& d =
        add(fmt::format("\"{}\" matches no request: {} have no subresource \"{}\"{}", entry, name, subresource,
                        near.empty() || near == "-" ? "" : "; " + did_you_mean(fmt::format("{}/{}", name, near))));
    if (near.empty() || near == "-") return;
    const std::string whole = fmt::format("{}/{}", name, near);
    show(d, group, whole);
    offer_correction(d, of_.schema, at_, rule_.resources, whole);
  }

  void report_kubelets_own(const std::string& entry) {
    add(fmt::format(
            "\"{}\" matches no request: RBAC names a kubelet's own API so, and requests to a kubelet don't come "
            "to the API server",
            entry))
        .notes.push_back({"what the API server passes on to a kubelet is \"nodes/proxy\"", {}});
  }

  const LintContext& context_;
  const ResourceRuleEntry& of_;
  const ResourceRule& rule_;
  const KubeVersion version_;
  Findings& findings_;
  bool any_group_ = false;
  std::string at_;  // the entry that is looked at
};

void check_resource_not_in_group(const LintContext& context, Findings& findings) {
  for_each_resource_rule(context, [&](const ResourceRuleEntry& of) { PartCheck(context, of, findings).run(); });
}

}  // namespace

extern const Rule rule_resource_not_in_group = {
    .code = "APF229",
    .name = "resource-not-in-group",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "none of the API groups has the resource",
    .what = R"(All API groups of a resourceRule are Kubernetes' own, and none of them has the resource (pods in apps,
secrets in batch), or the resource has no such subresource (pods/logs), or a subresource is listed without its resource
(exec). Groups of custom resources aren't looked at. With apiGroups: ["*"] only short names and subresources are
reported, as info. A resource that another release has in the group is an info, too.)",
    .why = R"(A request has the group and the resource of its URL, /apis/apps/v1/… or /api/v1/…. There is none for such
a pair, so the entry matches nothing, and the requests that it is meant for go to another FlowSchema.)",
    .example = R"(resourceRules:
- verbs: ["*"]
  apiGroups: [apps]
  resources: [deployments, pods]
  namespaces: ["*"]
)",
    .instead = R"(resourceRules:
- verbs: ["*"]
  apiGroups: [apps, ""]
  resources: [deployments, pods]
  namespaces: ["*"]
)",
    .check = check_resource_not_in_group,
};

}  // namespace apf
