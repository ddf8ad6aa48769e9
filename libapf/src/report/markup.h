// Texts as other notations need them: names in GitHub's Markdown, messages in workflow commands of GitHub Actions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <apf/report.h>

#include "report/passage.h"
#include "report/table.h"

namespace apf {

// Names come from logs and configurations. In code spans nothing is markup, a link or a mention; what could end the
// span or the cell is written as character references, which are never markup either.
std::string code(std::string_view name);

// A sentence of ours that may hold names: text that is no markup.
std::string prose(std::string_view sentence);

std::string markdown_table(const Table& table);

// What a passage says, without its title; folded, with it.
std::string markdown_blocks(const Passage& passage);
void write_folded_passage(std::string& out, const Passage& passage);

// A block of commands that nothing in them can end.
std::string shell_block(const std::string& text);

// A list that is opened by a click; nothing without sentences.
void write_folded_list(std::string& out, const char* title, const std::vector<std::string>& sentences);

// As the runner undoes it: %, and in properties also what separates them. Line ends are made visible before.
std::string workflow_escaped(std::string_view text, bool property);

// "✅ met"
const char* expectation_sign(const ExpectationResult& result);

}  // namespace apf
