// What only a page has of comparisons and of headroom: curves.
#pragma once

#include <cstddef>
#include <string>

#include <apf/advise.h>
#include <apf/document.h>

namespace apf {

// What the names of a side's places begin with, where there are several of them.
inline std::string side_prefix(const CompareReport& comparison, std::size_t side) {
  return comparison.new_reports.size() > 1 ? "n" + std::to_string(side) + "-" : std::string();
}
// The curves of both sides of a comparison over each other.
Passage compare_plots(const CompareReport& comparison, std::size_t side);
// For each level that waits or refuses at a multiple that was tried: how much, by load.
Passage load_plots(const HeadroomReport& report);

}  // namespace apf
