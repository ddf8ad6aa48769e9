#include "shared/folder_notes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <apf/error.h>
#include <apf/output.h>
#include <apf/report.h>
#include <fmt/core.h>

#include "shared/git_objects.h"
#include "shared/sources.h"
#include "shared/words.h"

namespace apfctl {

namespace {

constexpr std::size_t kMostNames = 3;

std::string first_names(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    out += (i > 0 ? ", " : "") + apf::printable(names[i]);
  if (names.size() > kMostNames) out += fmt::format(" and {} more", names.size() - kMostNames);
  return out;
}

// How to render them. Charts have their templates in a folder of that name; what renders others is not known.
std::string rendering_of(const std::vector<std::string>& templates) {
  const auto of_chart = [](const std::string& name) {
    return name.starts_with("templates/") || name.find("/templates/") != std::string::npos;
  };
  return std::all_of(templates.begin(), templates.end(), of_chart) ? ": helm template …"
                                                                   : ", with the tool that they are for: …";
}

// For kubectl, which knows no "git:main:overlays/prod".
std::string folder_to_build(const std::string& name) {
  const std::size_t colon = is_in_git(name) ? name.rfind(':') : std::string::npos;
  return apf::printable(apf::shell_word(colon == std::string::npos ? name : name.substr(colon + 1)));
}

bool changes_flow_control(const apf::ConfigSet& set) {
  return std::any_of(set.changed.begin(), set.changed.end(), [](const std::string& kind) {
    return kind == "FlowSchema" || kind == "PriorityLevelConfiguration";
  });
}

// What makes the answers of two sets differ: their FlowSchemas and levels, and faults of what may be one. Empty: none.
std::string flow_control_of(const apf::ConfigSet& set, const std::vector<apf::ConfigText>& texts) {
  if (changes_flow_control(set)) return set.name;  // only a build can tell
  std::vector<apf::ConfigText> own;
  for (const std::size_t text : set.texts) own.push_back(texts[text]);
  apf::LoadedConfig loaded = apf::load_config(own);
  apf::apply_defaults(loaded.config);
  std::set<std::string> objects;
  for (const apf::FlowSchema& schema : loaded.config.flow_schemas) objects.insert(apf::render_json(schema));
  for (const apf::PriorityLevel& level : loaded.config.priority_levels) objects.insert(apf::render_json(level));
  for (const apf::Diagnostic& d : loaded.diagnostics)
    if (d.severity == apf::Severity::error) objects.insert(d.kind + " " + d.message);
  return join({objects.begin(), objects.end()});
}

}  // namespace

std::string names_of_sets(std::span<const apf::ConfigSet> sets) {
  std::vector<std::string> names;
  for (const apf::ConfigSet& set : sets) names.push_back(set.name.empty() ? "the other files" : set.name);
  return first_names(names);
}

void note_left_out(const apf::FolderContents& contents, const std::string& command, const Console& console,
                   apf::WantedObjects wanted) {
  const bool all = wanted == apf::WantedObjects::all;  // each of them may be missing from the answer
  const std::string without = all ? " without a Kubernetes object" : " without an object that limits requests";
  if (!contents.needed.empty())
    console.note(fmt::format("skipped {} with objects that limit requests: {}; render {} first{} | apfctl {} -",
                             plural(contents.needed.size(), "template", "templates"), first_names(contents.needed),
                             contents.needed.size() == 1 ? "it" : "them", rendering_of(contents.needed), command));
  if (!contents.fixtures.empty())
    console.note("left out " + plural(contents.fixtures.size(), "file", "files") +
                 " of tests and samples: " + first_names(contents.fixtures) + " (apfctl lint --all checks them)");
  if (!contents.hidden.empty())
    console.note("left out " + plural(contents.hidden.size(), "file", "files") +
                 " in folders that begin with a dot: " + first_names(contents.hidden));
  if (!console.verbose && !all) return;
  if (const std::size_t others = contents.templates - contents.needed.size(); others > 0)
    console.note("skipped " + plural(others, "template", "templates") + (all ? ": render them first" : without));
  if (!contents.patches.empty())
    console.note("skipped " + plural(contents.patches.size(), "patch", "patches") +
                 " of kustomizations: " + first_names(contents.patches));
  if (contents.unrelated > 0) console.note("skipped " + plural(contents.unrelated, "file", "files") + without);
}

void note_selected(const apf::LoadedConfig& loaded, const Console& console) {
  std::map<std::pair<std::string, std::string>, std::size_t> objects;  // kind and name
  const auto count = [&](const char* kind, const apf::ObjectMeta& meta) {
    const auto selects = [](const auto& annotation) {
      const std::string& key = annotation.first;
      return (key.starts_with("configmanagement.gke.io/") || key.starts_with("configsync.gke.io/")) &&
             key.ends_with("-selector");
    };
    if (std::any_of(meta.annotations.begin(), meta.annotations.end(), selects)) ++objects[{kind, meta.name}];
  };
  for (const apf::Config* part : {&loaded.config, &loaded.replaced}) {
    for (const apf::FlowSchema& schema : part->flow_schemas) count("FlowSchema", schema.meta);
    for (const apf::PriorityLevel& level : part->priority_levels) count("PriorityLevelConfiguration", level.meta);
  }
  for (const apf::ResourceQuota& quota : loaded.resource_quotas) count("ResourceQuota", quota.meta);
  for (const apf::LimitRange& range : loaded.limit_ranges) count("LimitRange", range.meta);
  std::size_t all = 0;
  std::vector<std::string> names;
  for (const auto& [object, n] : objects) {
    all += n;
    names.push_back(object.first + "/" + object.second);
  }
  if (all > 0)
    console.note(fmt::format("Config Sync's selectors decide where {} {}: {}; {} checked by itself",
                             plural(all, "object", "objects"), all == 1 ? "goes" : "go", first_names(names),
                             all == 1 ? "it is" : "each is"));
}

void note_kustomizations(std::span<const apf::ConfigSet> sets, const std::string& command, const Console& console) {
  std::vector<std::string> folders;
  std::set<std::string> kinds, by;
  std::size_t withheld = 0;
  for (const apf::ConfigSet& set : sets) {
    if (set.changed.empty()) continue;
    folders.push_back(set.name);
    for (const std::string& kind : set.changed) kinds.insert(kind + "s");
    by.insert(set.changed_by);
    withheld += set.withheld;
  }
  if (folders.empty()) return;
  console.note(fmt::format(
      "{} {} {} by {}, which only a build applies{}: kubectl kustomize {} | apfctl {} -", first_names(folders),
      folders.size() == 1 ? "changes" : "change", join({kinds.begin(), kinds.end()}), join({by.begin(), by.end()}),
      withheld > 0
          ? ", so " + plural(withheld, "finding", "findings") + (withheld == 1 ? " is left out" : " are left out")
          : "",
      folder_to_build(folders.front()), command));
}

void keep_sets_apart(const std::vector<apf::ConfigText>& texts, const apf::FolderContents& contents,
                     std::vector<apf::Diagnostic>& findings) {
  const std::vector<apf::ConfigSet> sets = apf::sets_of(texts, contents);
  if (sets.size() == 1) return;
  const auto holds = [&](const apf::ConfigSet& set, const std::string& file) {
    return std::any_of(set.texts.begin(), set.texts.end(), [&](std::size_t i) { return texts[i].name == file; });
  };
  std::erase_if(findings, [&](const apf::Diagnostic& d) {
    if (d.name != "duplicate-object" || d.notes.empty()) return false;
    const std::string& other = d.notes.front().span.file;
    return std::none_of(sets.begin(), sets.end(),
                        [&](const apf::ConfigSet& set) { return holds(set, d.span.file) && holds(set, other); });
  });
}

void keep_flow_control(std::vector<apf::ConfigText>& texts, std::vector<apf::ConfigSet>& sets,
                       const std::vector<std::string>& paths) {
  // Of several paths, a later one may replace objects of an earlier one on purpose.
  if (sets.size() < 2 || paths.size() != 1) return;
  std::set<std::string> seen = {""};
  std::vector<apf::ConfigSet> apart;
  for (apf::ConfigSet& set : sets)
    if (seen.insert(flow_control_of(set, texts)).second) apart.push_back(std::move(set));
  sets = std::move(apart);
  if (sets.size() == 1) {
    std::vector<apf::ConfigText> own;
    for (std::size_t& text : sets.front().texts) {
      own.push_back(std::move(texts[text]));
      text = own.size() - 1;
    }
    texts = std::move(own);
  }
  if (sets.size() < 2) return;
  const auto changed = std::find_if(sets.begin(), sets.end(), changes_flow_control);
  const std::string cure = changed == sets.end() ? "name one of them"
                                                 : "build one: kubectl kustomize " + folder_to_build(changed->name) +
                                                       ", and give its output with -f -";
  throw apf::Error(fmt::format("{} holds {} configurations: {}; {}", apf::printable(paths.front()), sets.size(),
                               names_of_sets(sets), cure));
}

}  // namespace apfctl
