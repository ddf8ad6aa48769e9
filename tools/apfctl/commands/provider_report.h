// builtins --provider: what providers document of the servers that they run.
#pragma once

#include <span>
#include <string>

#include <apf/document.h>
#include <apf/lint.h>

namespace apfctl {

apf::Document list_of_providers();
apf::Document page_of_provider(const apf::Preset& preset);
std::string render_providers(std::span<const apf::Preset* const> chosen);  // JSON

}  // namespace apfctl
