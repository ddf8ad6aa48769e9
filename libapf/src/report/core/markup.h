// Texts as other notations need them: names in GitHub's Markdown, messages in workflow commands of GitHub Actions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <apf/report_words.h>

namespace apf {

// Names come from logs and configurations. In code spans nothing is markup, a link or a mention; what could end the
// span or the cell is written as character references, which are never markup either.
std::string code(std::string_view name);

// A sentence of ours that may hold names: text that is no markup.
std::string prose(std::string_view sentence);

// As the runner undoes it: %, and in properties also what separates them. Line ends are made visible before.
std::string workflow_escaped(std::string_view text, bool property);

}  // namespace apf
