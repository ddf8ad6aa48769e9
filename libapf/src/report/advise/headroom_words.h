// How headroom is said, alike in all formats for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <apf/advise.h>
#include <apf/document.h>

#include "report/core/writers.h"

namespace apf {

// "1.41x"
std::string times_text(double multiple);
// "1.41x", "1.30x-1.45x", "> 10x".
std::string figure_text(const HeadroomFigure& figure, const HeadroomReport& report);
// With borrowing: what the others may lend is less than what the server's formula allows a level to borrow.
int most_seats_of(const HeadroomLevel& level, const ReplayReport& log);
// The level that suffers first; null: none does.
const HeadroomLevel* first_to_suffer(const HeadroomReport& report);
// Whether it waits or refuses at any multiple that was tried.
bool suffers(const HeadroomLevel& level);
// Places in `levels`: what refuses soonest comes first, then what waits soonest.
std::vector<std::size_t> by_headroom(const HeadroomReport& report);
// "FLOWSCHEMA/USER"; empty: no flow suffers.
std::string flow_text(const HeadroomLevel& level);
// "the load", "the execution times"
std::string unit_of(const HeadroomReport& report);
// "from 2.00x to 2.18x its refusals rise from 94 to 232"
std::string cliff_text(const HeadroomLevel::Cliff& cliff);
// The limit that gives way, in a few words, and in sentences.
std::string limit_text(const HeadroomLevel& level);
std::string limit_sentence(const HeadroomLevel& level, const HeadroomReport& report);

Verdict verdict_of(const HeadroomReport& report);
// Of seats: what is enough, the table of the levels, and presets that have it.
Verdict seats_verdict_of(const HeadroomReport& report);
Table seats_table_of(const HeadroomReport& report);
std::string presets_sentence(const HeadroomReport& report);
std::string seats_explanation(const HeadroomReport& report);
// What the numbers are, for whoever reads them the first time.
std::vector<std::string> explanations_of(const HeadroomReport& report);

}  // namespace apf
