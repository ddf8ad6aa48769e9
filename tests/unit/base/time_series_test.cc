// Answers and exports of time series databases as series with samples.
#include "base/time_series.h"

#include "catch.h"

using namespace apf;

TEST_CASE("Series of every form have their names, samples and times", "[base][time-series]") {
  const char* const kForms[] = {
      R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"m","a":"x\"y"},"value":[1788877000.5,"7"]}]}})",
      R"([{"metric":{"__name__":"m","a":"x\"y"},"value":[1788877000.5,"7"]}])",
      R"(m{a="x\"y"} => 7 @[1788877000.5])",
      "m{a=\"x\\\"y\"} =>\n7 @[1788877000.5]",
      R"({__name__="m", a="x\"y"} 7 1788877000500)",
      R"({"metric":{"__name__":"m","a":"x\"y"},"values":[7],"timestamps":[1788877000500]})",
      R"(m{a="x\"y"} 7 1788877000500)",
      "# TYPE m counter\nm{a=\"x\\\"y\"} 7 1788877000.5 # {trace_id=\"1\"} 1\n# EOF\n",
  };
  for (const char* form : kForms) {
    INFO(form);
    const auto answer = parse_time_series(form);
    REQUIRE(answer);
    REQUIRE(answer->series.size() == 1);
    CHECK(answer->series[0].name == R"(m{a="x\"y"})");
    REQUIRE(answer->series[0].samples.size() == 1);
    CHECK(answer->series[0].samples[0].value == 7);
    CHECK(answer->series[0].samples[0].time == 1788877000500 * kMillisecond);
    CHECK(answer->unnamed == 0);
    CHECK(answer->skipped.empty());
    std::string kept;
    CHECK(as_scrape(form, kept) == "m{a=\"x\\\"y\"} 7 1788877000500\n");
  }
}

TEST_CASE("What has no times, and JSON of others, is no answer", "[base][time-series]") {
  for (const char* text : {"m{a=\"b\"} 7\n", "", "# HELP m x\nm 1\n", "{}", "[]", R"({"kind":"Pod"})",
                           R"({"data":{"resultType":"streams","result":[{"stream":{},"values":[["1","x"]]}]}})"})
    CHECK_FALSE(parse_time_series(text));
}

TEST_CASE("Series without a name and lines that are none are counted", "[base][time-series]") {
  const auto answer =
      parse_time_series("$ promtool query instant http://x m\nm => 1 @[1788877000]\n{a=\"b\"} => 2 @[1788877000]\n");
  REQUIRE(answer);
  CHECK(answer->series.size() == 1);
  CHECK(answer->unnamed == 1);
  CHECK(answer->skipped == std::vector<std::size_t>{1});
}

TEST_CASE("An empty result is an answer without series", "[base][time-series]") {
  const auto answer = parse_time_series(R"({"status":"success","data":{"resultType":"vector","result":[]}})");
  REQUIRE(answer);
  CHECK(answer->series.empty());
}
