#include <apf/limits.h>

#include <algorithm>
#include <set>
#include <string>

#include "catch.h"

using namespace apf;

TEST_CASE("the table names every outcome once, alike in all outputs", "[schedule]") {
  std::set<std::string> names;
  for (const OutcomeRow& row : refusals()) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    std::string column = row.name, json;
    std::replace(column.begin(), column.end(), '-', '_');
    CHECK(column == row.column);
    for (const char* c = row.name; *c; ++c) json += *c == '-' ? static_cast<char>(*++c - 'a' + 'A') : *c;
    CHECK(json == row.json);
    CHECK(std::string(row.label) != "");
    CHECK(std::string(row.mark) != "");
    CHECK(is_refused_in_handler(row.outcome) == is_in_handler(row.stage));
    if (row.stage != AdmissionStage::apf && row.outcome != Outcome::quota_conflict)
      CHECK(std::string(to_string(row.stage)) == row.name);
  }
  CHECK(names.size() == kOutcomes - 1);
  CHECK(std::string(to_string(Outcome::executed)).empty());
  CHECK_FALSE(is_refused_in_handler(Outcome::executed));
}

TEST_CASE("outcomes are counted and added up", "[schedule]") {
  OutcomeCounts counts, more;
  counts[Outcome::executed] = 10;
  counts[Outcome::queue_full] = 2;
  more[Outcome::time_out] = 3;
  more[Outcome::resource_quota] = 4;
  counts += more;
  CHECK(counts.refused() == 9);
  CHECK(counts.refused(AdmissionStage::apf) == 5);
  CHECK(counts.refused(AdmissionStage::resource_quota) == 4);
  CHECK(counts[Outcome::executed] == 10);
}
