// A report in the formats that were asked for.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <apf/document.h>

#include "flags/options.h"

namespace apfctl {

using TextOf = std::function<std::string()>;

// What a result holds for: {"Configuration", "a.yaml and …"}, {"Server", "Kubernetes 1.37, 600 seats (…)"}.
using Setup = std::vector<std::pair<std::string, std::string>>;

// As a page, which ends with its setup, `last` and the command that makes it.
std::string page_of(apf::Document document, const Setup& setup, const OutputFlags& output,
                    apf::Passage last = apf::Passage());

// With what its verdict takes for granted right below it, and in text what to type next.
apf::Document told(apf::Document document, const apf::View& view, const std::string& assumed, apf::Passage next);

// A sentence as a workflow command of GitHub Actions; nothing where it is empty.
std::string github_notice(const char* command, const std::string& sentence);

// `document`: what people read; `json`: what programs read, without the last newline; `others`: by the format's name.
// `setup`: what the document does not say of it; a page ends with it, as it is read where its command line is not.
void write_report(const OutputFlags& output, const Console& console,
                  const std::function<apf::Document(const apf::View&)>& document, const TextOf& json,
                  const std::map<std::string, TextOf>& others = {}, const Setup& setup = {});

}  // namespace apfctl
