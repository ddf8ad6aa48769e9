// kustomization.yaml: which files it puts together, and which of them are parts of objects rather than objects.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <apf/config.h>
#include <apf/related_files.h>

namespace apf {

bool is_kustomization_file(std::string_view path);

// Nothing if the text does not parse, or is none.
std::optional<Kustomization> read_kustomization(const ConfigText& text);

// "git:main:overlays/prod" and "../base" -> "git:main:overlays/base".
std::string path_in_folder(std::string_view folder, std::string_view path);
// The name as paths of kustomizations are written: "./a.yaml" -> "a.yaml".
std::string normal_name(std::string_view name);
// The part before the last slash; "." if there is none.
std::string folder_of_name(std::string_view name);

}  // namespace apf
