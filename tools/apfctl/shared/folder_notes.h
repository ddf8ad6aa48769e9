// What of folders is no configuration, and how the rest belongs together: messages on standard error.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <apf/related_files.h>

#include "shared/console.h"

namespace apfctl {

// Templates with objects that limit requests, and with -v the files that hold none. `command`: "lint", which is to be
// run on what a template renders to.
void note_left_out(const apf::FolderContents& contents, const std::string& command, const Console& console,
                   apf::WantedObjects wanted = apf::WantedObjects::limits);

// Objects that Config Sync's selectors send to some clusters or namespaces.
void note_selected(const apf::LoadedConfig& loaded, const Console& console);

// Kustomizations that change objects: what is in their files is not what they build.
void note_kustomizations(std::span<const apf::ConfigSet> sets, const std::string& command, const Console& console);

// "base, overlays/prod and 3 more"
std::string names_of_sets(std::span<const apf::ConfigSet> sets);

// Takes out of `findings` that an object is defined again where the other one is of another configuration of the
// folder: of another environment, or another cluster.
void keep_sets_apart(const std::vector<apf::ConfigText>& texts, const apf::FolderContents& contents,
                     std::vector<apf::Diagnostic>& findings);

// Of one folder that holds several configurations, what commands of flow control answer for: keeps the set whose
// FlowSchemas and levels all sets have that have any. Throws where they differ.
void keep_flow_control(std::vector<apf::ConfigText>& texts, std::vector<apf::ConfigSet>& sets,
                       const std::vector<std::string>& paths);

}  // namespace apfctl
