// The odds that heavy flows take the queues of a small one, for people, and tables of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <apf/hand.h>
#include <apf/report.h>

namespace apfctl {

struct OddsTable {
  std::vector<apf::CollisionOdds> rows;
  std::vector<int> elephants;
  std::uint64_t impossible = 0;  // pairs of numbers of which no hand can be dealt
};

// `queues` and `hand_sizes`: as --queues and --hand-size take them with --table; both empty: the table of the
// documentation. Throws UsageError.
OddsTable odds_table(const std::string& queues, const std::string& hand_sizes, const std::vector<int>& elephants);

apf::Document document_of(const OddsTable& table, const apf::View& view);
void add_odds(apf::Document& out, const apf::CollisionOdds& odds, const apf::View& view);

}  // namespace apfctl
