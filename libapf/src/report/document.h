// A report before any notation: what it says, in its order. One builder makes it of a result, and each writer tells any
// of them: a terminal, Markdown for a pull request, a page.
#pragma once

#include <string>
#include <vector>

#include <apf/report.h>

#include "report/passage.h"

namespace apf {

struct Verdict {
  Tone tone = Tone::good;              // bad: requests were refused; caution: they waited
  std::string what;                    // "Refused 29,398 of 99,889 requests (29 %); …"
  std::vector<std::string> sentences;  // to whom, because of whom
};
// "❌" in Markdown, "bad" as a class of a page.
const char* verdict_sign(Tone tone);
const char* verdict_class(Tone tone);

struct Document {
  std::string title;  // "Log audit.log"
  Verdict verdict;
  std::vector<std::string> lead;  // what it is about, and under which facts it holds
  struct Section {
    Passage passage;
    bool folded = false;  // in Markdown it is opened by a click
  };
  std::vector<Section> sections;
};

std::string render(const Document& document, Notation notation, const TextStyle& style);

}  // namespace apf
