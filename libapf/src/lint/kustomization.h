// kustomization.yaml: which files it puts together, and which of them are parts of objects rather than objects.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <apf/config.h>
#include <apf/related_files.h>

namespace apf {

bool is_kustomization_file(std::string_view path);

// The file of that normal name; null if it is not known.
using FindText = std::function<const ConfigText*(const std::string& name)>;

// Nothing if the text does not parse, or is none. `find`: of the files that it names.
std::optional<Kustomization> read_kustomization(const ConfigText& text, const FindText& find);

// Whether a regular expression for the whole name, as selectors have them, takes it. Empty: any.
bool matches_whole(const std::string& pattern, std::string_view name);

// "git:main:overlays/prod" and "../base" -> "git:main:overlays/base".
std::string path_in_folder(std::string_view folder, std::string_view path);
// The name as paths of kustomizations are written: "./a.yaml" -> "a.yaml".
std::string normal_name(std::string_view name);
// The part before the last slash; "." if there is none.
std::string folder_of_name(std::string_view name);

}  // namespace apf
