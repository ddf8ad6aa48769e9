// The building blocks of the text reports: safe text, units, tables.
#include <apf/report.h>

#include "catch.h"
#include "report/core/units.h"

using namespace apf;

TEST_CASE("printable text leaves nothing for a terminal to act on", "[report]") {
  CHECK(printable("plain äöü 漢字") == "plain äöü 漢字");
  CHECK(printable("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(printable("a\nb\tc\rd") == "a\\nb\\tc\\rd");
  CHECK(printable(std::string_view("\0\x7f", 2)) == "\\x00\\x7f");
  CHECK(printable("\xc2\x9b") == "\\u009b");  // CSI in one character
  // The layout counts what is printed, so that commands of CI systems are written otherwise before it.
  CHECK(printable("a ##vso[task]") == "a \\u0023#vso[task]");
  CHECK(printable("::error::x, 2001:db8::1") == "\\u003a:error::x, 2001:db8::1");
  CHECK(printable("\xe2\x80\xae"
                  "evil") == "\\u202eevil");  // right-to-left override
  CHECK(printable("\xe2\x80\x8b\xef\xbb\xbf") == "\\u200b\\ufeff");
  CHECK(printable("\xf3\xa0\x80\x81") == "\\U000e0001");
  CHECK(printable("\xff\xc3") == "\\xff\\xc3");           // no UTF-8
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
}

TEST_CASE("numbers as people read them", "[report]") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(std::uint64_t{18446744073709551615U}) == "18,446,744,073,709,551,615");
  CHECK(one_decimal(18882.06) == "18,882.1");
  CHECK(decimals(-1234567.891, 2) == "-1,234,567.89");
  CHECK(decimals(-123.4, 1) == "-123.4");
  CHECK(counted(1, "level", "levels") == "1 level");
  CHECK(counted(2000, "level", "levels") == "2,000 levels");
  CHECK(human_percent(0, 10) == "0 %");
  CHECK(human_percent(0, 0) == "0 %");
  CHECK(human_percent(10, 10) == "100 %");
  CHECK(human_percent(1, 100000) == "<0.1 %");
  CHECK(human_percent(99999, 100000) == ">99.9 %");
  CHECK(human_percent(1, 300) == "0.3 %");
  CHECK(human_percent(1, 3) == "33 %");
  CHECK(human_bytes(999) == "999 B");
  CHECK(human_bytes(1000) == "1.0 kB");
  CHECK(human_bytes(2085013) == "2.1 MB");
  CHECK(human_bytes(999'999'999) == "1.0 GB");
}

TEST_CASE("durations as people read them", "[report]") {
  CHECK(human_duration(0) == "0");
  CHECK(human_duration(17) == "17ns");
  CHECK(human_duration(1500) == "1.50µs");
  CHECK(human_duration(340 * kMillisecond) == "340ms");
  CHECK(human_duration(3'264'000) == "3.26ms");
  CHECK(human_duration(19'700'000) == "19.7ms");
  CHECK(human_duration(1'230'000'000) == "1.23s");
  CHECK(human_duration(15 * kSecond) == "15.0s");
  CHECK(human_duration(59'990'000'000) == "1m00s");  // not 60.0s
  CHECK(human_duration(999'600'000) == "1.00s");     // not 1000ms
  CHECK(human_duration(125 * kSecond) == "2m05s");
  CHECK(human_duration(2 * 3600 * kSecond + 5 * 60 * kSecond) == "2h05m");
  CHECK(human_duration(-1'230'000'000) == "-1.23s");
  CHECK(human_duration(INT64_MIN).starts_with("-2562047h"));
}

TEST_CASE("the width of text is counted in code points", "[report]") { CHECK(text_width("a…é漢") == 4); }

TEST_CASE("wrapped text keeps its words and its width", "[report]") {
  CHECK(wrapped("", 10, 0).empty());
  CHECK(wrapped("one two three", 7, 0) == "one two\nthree");
  CHECK(wrapped("one two three", 9, 2) == "one two\n  three");
  CHECK(wrapped("muchtoolongword x", 5, 0) == "muchtoolongword\nx");
}

TEST_CASE("tables align, and leave no blanks at line ends", "[report]") {
  Table table;
  table.left("NAME", 6).right("N").left("REMARK");
  table.row({{"a", Tone::plain, {}}, {"1", Tone::plain, {}}, {"", Tone::plain, {}}});
  table.row({{"longer-name", Tone::plain, {}}, {"1,000", Tone::bad, {}}, {"x", Tone::plain, {}}});
  TextStyle style;
  CHECK(table.render(style) ==
        "NAME             N  REMARK\n"
        "a                1\n"
        "longer-name  1,000  x\n");
  style.width = 21;  // a name that does not fit has a line of its own
  CHECK(table.render(style) ==
        "NAME        N  REMARK\n"
        "a           1\n"
        "longer-name\n"
        "        1,000  x\n");
  style.full = true;
  CHECK(table.render(style).find("longer-name  1,000  x") != std::string::npos);
  style.full = false;
  style.width = 100;
  style.color = true;
  CHECK(table.render(style).find("\x1b[31m1,000\x1b[0m") != std::string::npos);
}

TEST_CASE("a narrow terminal loses the columns that may go, the highest number first, and no name", "[report]") {
  Table table;
  table.left("FLOW", 6).left("SCHEMA", 6).drop(1).right("N").right("M").drop(2);
  table.row({{"system:serviceaccount:ci:builder", Tone::plain, {}},
             {"service-accounts", Tone::plain, {}},
             {"1", Tone::plain, {}},
             {"2", Tone::plain, {}}});
  table.row({{"alice", Tone::plain, {}}, {"dev", Tone::plain, {}}, {"3", Tone::plain, {}}, {"4", Tone::plain, {}}});
  TextStyle style;
  style.width = 54;
  CHECK(table.render(style) ==
        "FLOW                              SCHEMA            N\n"
        "system:serviceaccount:ci:builder  service-accounts  1\n"
        "alice                             dev               3\n");
  style.width = 40;
  CHECK(table.render(style) ==
        "FLOW                              N\n"
        "system:serviceaccount:ci:builder  1\n"
        "alice                             3\n");
  style.width = 20;
  CHECK(table.render(style) ==
        "FLOW               N\n"
        "system:serviceaccount:ci:builder\n"
        "                   1\n"
        "alice              3\n");
}

TEST_CASE("the nearest of a closed set of names", "[report]") {
  const std::string formats[] = {"text", "json"},
                    flags[] = {"--max-requests-inflight", "--max-mutating-requests-inflight", "-q"};
  CHECK(nearest_name("jsn", formats) == "json");
  CHECK(nearest_name("JSON", formats) == "json");
  CHECK(nearest_name("txet", formats) == "text");
  CHECK(nearest_name("tex", formats) == "text");
  CHECK(nearest_name("parquet", formats).empty());
  CHECK(nearest_name("", formats).empty());
  CHECK(nearest_name("--max-request-inflight", flags) == "--max-requests-inflight");
  CHECK(nearest_name("--max-mut", flags) == "--max-mutating-requests-inflight");
}
