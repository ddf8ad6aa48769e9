// What tells a document in one notation each, and the words that they share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <apf/report_words.h>

namespace apf {

struct Verdict {
  Tone tone = Tone::good;                   // bad: requests were refused; caution: they waited
  std::string what = {};                    // "Refused 29,398 of 99,889 requests (29 %); …"
  std::vector<std::string> sentences = {};  // to whom, because of whom
};

std::string as_text(const Document& document, const TextStyle& style);
std::string as_markdown(const Document& document);  // nothing in a name becomes markup, a link or a mention
std::string as_page(const Document& document);      // needs nothing else, fetches nothing
std::string as_picture(const Document& document);   // of its first chart; throws Error: it has none

// "❌" in Markdown, "bad" as a class of a page.
const char* verdict_sign(Tone tone);
const char* verdict_class(Tone tone);
bool has_titles(const Table& table);
// There is nothing in it to read: charts of a page alone.
bool has_no_words(const Passage& passage);
// A column's title where capitals would shout: "TOTAL DELAY" is "Total delay".
std::string sentence_case(std::string_view title);

// What was expected, and whether it is so; nothing in a terminal, where standard error says it.
Passage expectations_passage(const std::vector<ExpectationResult>& results, const View& view);

}  // namespace apf
