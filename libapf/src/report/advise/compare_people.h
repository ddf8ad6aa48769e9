// Who is better and worse off on the traffic of a log: people, not sums.
#pragma once

#include <string>
#include <vector>

#include "report/advise/compare_words.h"

namespace apf {

// Whether this subject's loss counts: that of who floods does not, nor what it makes a level lose.
bool counts_as_harm(const ComparedSubject& subject, const std::vector<ComparedSubject>& all,
                    const CompareReport& comparison);
// "Better for 57 flows, worse for 2 (order-sync, which floods: refused 77 % → 94 %; …), same for 36."; empty: no flow
// changes.
std::string people_words(const CompareReport& comparison, std::size_t side);

// How many requests change level, for whom it is better and worse, and how many are refused.
std::string compare_verdict(const CompareReport& comparison, std::size_t side);
// How many flows are better and worse off, as a bar of a page.
Passage people_bars(const CompareReport& comparison, std::size_t side);
Tone compare_tone(const CompareReport& comparison, std::size_t side);

}  // namespace apf
