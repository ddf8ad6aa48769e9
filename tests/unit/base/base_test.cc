#include <apf/findings.h>
#include <apf/output.h>
#include <apf/time.h>

#include <random>
#include <unordered_map>

#include "base/interner.h"
#include "base/utf8.h"
#include "catch.h"
#include "support/vectors.h"

using namespace apf;

TEST_CASE("Go durations read as Go reads them", "[base]") {
  CHECK(parse_go_duration("0") == 0);
  CHECK(parse_go_duration("1.5s") == 1500 * kMillisecond);
  CHECK(parse_go_duration("532.1ms") == 532100 * kMicrosecond);
  CHECK(parse_go_duration("1m2.3s") == 62300 * kMillisecond);
  CHECK(parse_go_duration("-3\xc2\xb5s") == -3000);
  CHECK(parse_go_duration("+.5s") == 500 * kMillisecond);
  CHECK(parse_go_duration("1.s") == kSecond);
  CHECK(parse_go_duration("9223372036854775807ns") == INT64_MAX);
  CHECK(parse_go_duration("-9223372036854775808ns") == INT64_MIN);
  for (const char* bad :
       {"", "1", "s", ".s", "1x", "1s2", "--1s", "9223372036854775808ns", "3000000h", "1 s", "1e3s"}) {
    INFO(bad);
    CHECK_FALSE(parse_go_duration(bad));
  }
}

TEST_CASE("Go durations print as Go prints them and read back", "[base]") {
  CHECK(format_go_duration(0) == "0s");
  CHECK(format_go_duration(1) == "1ns");
  CHECK(format_go_duration(1100) == "1.1\xc2\xb5s");
  CHECK(format_go_duration(2200 * kMicrosecond) == "2.2ms");
  CHECK(format_go_duration(3300 * kMillisecond) == "3.3s");
  CHECK(format_go_duration(4 * 60 * kSecond + 5 * kSecond) == "4m5s");
  CHECK(format_go_duration(5 * 3600 * kSecond + kSecond) == "5h0m1s");
  CHECK(format_go_duration(-1500 * kMillisecond) == "-1.5s");
  std::mt19937_64 random(test::seed());
  INFO("APF_TEST_SEED=" << test::seed());
  for (int i = 0; i < 2000; ++i) {
    const Nanos value = static_cast<Nanos>(random() >> (2 + random() % 60));
    CHECK(parse_go_duration(format_go_duration(value)) == value);
  }
}

TEST_CASE("days of the calendar", "[base]") {
  for (const char* day : {"2026-11-20", "2024-02-29", "9999-12-31"}) CHECK(is_calendar_date(day));
  for (const char* none :
       {"2026-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "2026-1-1", "20261120", "2026-11-20T", ""})
    CHECK_FALSE(is_calendar_date(none));
}

TEST_CASE("RFC 3339 instants", "[base]") {
  CHECK(parse_rfc3339("1970-01-01T00:00:00Z") == 0);
  CHECK(parse_rfc3339("2026-11-20T12:26:25.153658Z") == 1795177585153658000);
  CHECK(parse_rfc3339("2026-11-20T14:26:25.153658+02:00") == 1795177585153658000);
  CHECK(parse_rfc3339("2000-02-29T23:59:60Z") == *parse_rfc3339("2000-03-01T00:00:00Z"));
  CHECK(parse_rfc3339("1969-12-31T23:59:59.999999999Z") == -1);
  for (const char* bad :
       {"", "2026-11-20", "2026-11-20T12:26:25", "2026-13-20T12:26:25Z", "2026-02-29T12:26:25Z", "2026-11-20T24:00:00Z",
        "2026-11-20T12:26:25.Z", "2026-11-20T12:26:25Zx", "2026-11-20T12:26:25+2:00", "9999-11-20T12:26:25Z"}) {
    INFO(bad);
    CHECK_FALSE(parse_rfc3339(bad));
  }
  CHECK(format_rfc3339(0) == "1970-01-01T00:00:00Z");
  CHECK(format_rfc3339(1795177585153658000) == "2026-11-20T12:26:25.153658Z");
  CHECK(format_rfc3339(-1) == "1969-12-31T23:59:59.999999999Z");
  std::mt19937_64 random(test::seed());
  INFO("APF_TEST_SEED=" << test::seed());
  for (int i = 0; i < 2000; ++i) {
    const Nanos value = static_cast<Nanos>(random() >> (2 + random() % 40)) * (random() % 2 ? 1 : -1);
    CHECK(parse_rfc3339(format_rfc3339(value)) == value);
  }
}

TEST_CASE("JSON strings survive anything", "[base]") {
  const auto quoted = [](std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
  };
  CHECK(quoted("a\"b\\c\n\t") == "\"a\\\"b\\\\c\\n\\t\"");
  CHECK(quoted(std::string_view("\0\x1b\x7f", 3)) == "\"\\u0000\\u001b\\u007f\"");
  CHECK(quoted("\xc3\xa9\xff\xe2\x80\xa8") == "\"\xc3\xa9\xef\xbf\xbd\\u2028\"");
}

TEST_CASE("JSON strings escape what they must, wherever it is", "[base]") {
  for (std::size_t size = 1; size <= 40; ++size) {
    const std::string plain(size, 'a');
    std::string out;
    append_json_string(out, plain);
    REQUIRE(out == '"' + plain + '"');
    const std::pair<char, std::string> others[] = {{'"', R"(\")"},        {'\\', R"(\\)"},
                                                   {'\n', R"(\n)"},       {'\x1f', R"(\u001f)"},
                                                   {'\x7f', R"(\u007f)"}, {'\x80', "\xef\xbf\xbd"}};
    for (std::size_t at = 0; at < size; ++at) {
      for (const auto& [other, written] : others) {
        std::string text = plain;
        text[at] = other;
        out.clear();
        append_json_string(out, text);
        REQUIRE(out == '"' + plain.substr(0, at) + written + plain.substr(at + 1) + '"');
      }
    }
  }
}

TEST_CASE("the JSON writer puts commas where they belong", "[base]") {
  JsonWriter w;
  w.begin_object().field("a", 1).key("b").begin_array().value("x").null().begin_object().end_object().end_array();
  w.key("c").decimal_string(UINT64_MAX).field("d", 0.1).field("e", true).end_object();
  CHECK(w.str() == R"({"a":1,"b":["x",null,{}],"c":"18446744073709551615","d":0.1,"e":true})");
}

TEST_CASE("invalid UTF-8 is found", "[base]") {
  CHECK(find_invalid_utf8("plain \xc3\xa9 \xf0\x9f\x98\x80") == 13);
  CHECK(find_invalid_utf8("ab\xc0\x80") == 2);
  CHECK(find_invalid_utf8("a\xed\xa0\x80") == 1);
  CHECK(find_invalid_utf8("\xf4\x90\x80\x80") == 0);
  CHECK(find_invalid_utf8("x\xe2\x82") == 1);
}

TEST_CASE("interned strings keep their numbers", "[base]") {
  Interner interner;
  std::unordered_map<std::string, std::uint32_t> reference;
  std::mt19937_64 random(test::seed());
  INFO("APF_TEST_SEED=" << test::seed());
  for (int i = 0; i < 20000; ++i) {
    std::string text(random() % 40, static_cast<char>('a' + random() % 4));
    text += std::to_string(random() % 500);
    if (random() % 50 == 0) text += std::string(20000, 'x');
    const auto next = static_cast<std::uint32_t>(reference.size());
    const auto expected = reference.emplace(text, next).first->second;
    REQUIRE(interner.id(text) == expected);
    REQUIRE(interner.text(expected) == text);
  }
  CHECK(interner.id("") == reference.size());
}

TEST_CASE("diagnostics sort by place and lose repetitions", "[base]") {
  Diagnostic a, b;
  a.message = "late";
  a.span = {"x.yaml", 9, 1, 9, 2};
  b.message = "early";
  b.span = {"x.yaml", 2, 3, 2, 4};
  b.severity = Severity::warning;
  b.kind = "FlowSchema";
  b.object_name = "ci";
  std::vector<Diagnostic> all{a, b, a};
  sort_diagnostics(all);
  REQUIRE(all.size() == 2);
  CHECK(to_string(all[0]) == "x.yaml:2:3: warning: FlowSchema/ci: early");
  CHECK(to_string(all[1]) == "x.yaml:9:1: error: late");
}
