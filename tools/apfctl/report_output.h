// A report in the formats that were asked for.
#pragma once

#include <functional>
#include <map>
#include <string>

#include <apf/document.h>

#include "options.h"

namespace apfctl {

using TextOf = std::function<std::string()>;

// `document`: what people read; `json`: what programs read, without the last newline; `others`: by the format's name.
void write_report(const OutputFlags& output, const Console& console,
                  const std::function<apf::Document(const apf::View&)>& document, const TextOf& json,
                  const std::map<std::string, TextOf>& others = {});

}  // namespace apfctl
