// Outputs that are handed on: metrics text, csv, markdown and html. Whatever a log names, it stays a name.
#include <apf/error.h>
#include <apf/report.h>

#include <algorithm>
#include <limits>

#include "catch.h"
#include "report/core/chart.h"
#include "report/core/html_markup.h"

using namespace apf;

namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

ReplayReport report_of(const std::string& name) {
  ReplayReport report;
  report.logs = {name};
  report.first_arrival = report.last_arrival = 0;
  LevelReport level;
  level.name = name;
  level.queues = 8;
  level.hand_size = 2;
  level.tally.requests = level.tally.queued = 4;
  level.tally.outcomes[Outcome::executed] = 3;
  level.tally.outcomes[Outcome::queue_full] = 1;
  for (int i = 0; i < 3; ++i) level.tally.wait.add(i * kSecond);
  report.total = level.tally;
  report.levels = {level};
  FlowReport flow;
  flow.flow_schema = flow.priority_level = flow.distinguisher = name;
  flow.hash = 12345;
  flow.tally = level.tally;
  report.waited_most = report.refused_most = report.all_flows = {flow};
  report.warnings = {{.kind = RemarkKind::log_empty, .name = name}};
  LevelSeries series;
  series.name = name;
  series.bins.resize(3);
  series.bins[1].seats = series.bins[1].seats_max = 2;
  series.bins[1].waiting = series.bins[1].waiting_max = 4;
  series.bins[2].refused[Outcome::queue_full] = 1;
  report.series = {0, kSecond, {series}};
  return report;
}

std::string told(const ReplayReport& report, Notation notation) {
  return render(document_of(std::span(&report, 1), nullptr, {}, {notation}), notation);
}
std::string html_of(const ReplayReport& report) { return told(report, Notation::html); }
std::string markdown_of(const ReplayReport& report) { return told(report, Notation::markdown); }

}  // namespace

TEST_CASE("names in html are text", "[report][html]") {
  CHECK(html_text("<b>&\"'") == "&lt;b&gt;&amp;&quot;&apos;");
  CHECK(html_text(std::string_view("a\0b\x1b", 4)) == "a\\x00b\\x1b");
  for (const char* name :
       {"<script>alert(1)</script>", "\"><img src=x>", "'; a", "</title></style><b>", "&lt;i&gt;", "\xff\xfe<"}) {
    const std::string page = html_of(report_of(name));
    CHECK_FALSE(holds(page, "<script"));
    CHECK_FALSE(holds(page, "<img"));
    CHECK_FALSE(holds(page, "<b>"));
    CHECK(holds(page, html_text(name)));
    // One style sheet, one head, one body: nothing was closed early.
    for (const char* tag : {"</style>", "</title></head>", "<body>", "</html>"}) {
      std::size_t n = 0;
      const std::string wanted = tag == std::string("</title></head>") ? "</head>" : tag;
      for (std::size_t at = page.find(wanted); at != std::string::npos; at = page.find(wanted, at + 1)) ++n;
      CHECK(n == 1);
    }
  }
}

TEST_CASE("the page asks for nothing and may do nothing", "[report][html]") {
  const std::string page = html_of(report_of("level"));
  CHECK(holds(page, "default-src 'none'; style-src 'sha256-"));
  CHECK_FALSE(holds(page, "unsafe-inline"));
  CHECK_FALSE(holds(page, " style="));
  CHECK_FALSE(holds(page, "url("));
  CHECK_FALSE(holds(page, "@import"));
  CHECK_FALSE(holds(page, "http:"));
  CHECK_FALSE(holds(page, "https:"));
  CHECK(holds(page, "prefers-color-scheme:dark"));
}

TEST_CASE("a page without curves or requests is a page", "[report][html]") {
  ReplayReport report;
  CHECK(holds(html_of(report), "no requests"));
  report = report_of("level");
  report.series = {};
  CHECK(holds(html_of(report), "Priority levels"));
  CHECK(document_of({}, nullptr).sections.empty());
}

TEST_CASE("a level's section names every reason of refusal", "[report][html]") {
  ReplayReport report = report_of("level");
  report.levels[0].tally.requests += 2;
  report.levels[0].tally.outcomes[Outcome::event_rate_limit] = 2;
  CHECK(holds(html_of(report), "3 refused (50 %): 1 queue full, 2 over EventRateLimit"));
}

TEST_CASE("numbers of plots are finite and short", "[report][html]") {
  CHECK(svg_number(1.0) == "1");
  CHECK(svg_number(1.256) == "1.26");
  CHECK(svg_number(-0.001) == "0");
  CHECK(svg_number(1e9) == "1000000000");
  CHECK(svg_number(std::numeric_limits<double>::quiet_NaN()) == "0");
  CHECK(svg_number(std::numeric_limits<double>::infinity()) == "0");
  Plot plot("caption", "name", "description");
  plot.y_axis(count_ticks(0));
  plot.x_axis(5, 5, {});
  plot.line("x", {{5, 0}, {5, 1}});
  plot.mark(5, "word");
  const std::string svg = plot.figure("id");
  CHECK_FALSE(holds(svg, "nan"));
  CHECK_FALSE(holds(svg, "inf"));
  CHECK(holds(svg, "<title id=\"id-t\">name</title><desc id=\"id-d\">description</desc>"));
}

TEST_CASE("bars are parts of a whole, whatever the sizes", "[report][html]") {
  Bars bars("caption", "name", "description");
  const double infinite = std::numeric_limits<double>::infinity();
  bars.add({"<b>", "figures", "", 0, {{"x", 1, "part"}}});
  bars.add({"level", "", "#level-level", infinite, {{"x", infinite, "part"}}, {infinite}});
  bars.add({std::string(400, 'n'), "", "", 10, {{"x", 4, "most"}, {"y", 6, "rest"}, {"z", 5, "too much"}}, {20}});
  const std::string svg = bars.figure("id");
  CHECK_FALSE(holds(svg, "nan"));
  CHECK_FALSE(holds(svg, "inf"));
  CHECK_FALSE(holds(svg, "<b>"));
  CHECK(holds(svg, "most 40 %"));
  CHECK(holds(svg, "nnn…<"));
  CHECK(holds(svg, "<a href=\"#level-level\">"));
}

TEST_CASE("a place has one name, which needs no escapes", "[report][html]") {
  CHECK(place_of("level", "workload-low") == "level-workload-low");
  CHECK(place_of("client", "sa:ci/\"<") == "client-sa_3aci_2f_22_3c");
}

TEST_CASE("links lead to places that there are", "[report][html]") {
  Document document("Title");
  Table table;
  table.left("NAME");
  Table::Cell there = name_cell("there"), gone = name_cell("gone"), beside = name_cell("beside"),
              row = name_cell("row");
  there.link = "#row";
  gone.link = "#nowhere";
  beside.link = "c.old.html";
  row.place = "row";
  for (const Table::Cell& cell : {there, gone, beside, row, row}) table.row({cell});
  for (int i = 0; i < 30; ++i) table.row({"more"});
  document.section("A title").show(std::move(table));
  const std::string page = render(document, Notation::html);
  CHECK(holds(page, "<a href=\"#row\">there</a>"));
  CHECK_FALSE(holds(page, "#nowhere"));
  CHECK(holds(page, "<a href=\"c.old.html\">beside</a>"));
  CHECK(page.find("<tr id=\"row\">") == page.rfind("<tr id=\"row\">"));
  CHECK(holds(page, "<h2 id=\"a-title\">"));
  CHECK(holds(page, "<summary>15 more</summary>"));
  CHECK_THROWS_AS(render(document, Notation::svg), Error);
}

TEST_CASE("a picture is the first chart alone, with colours in place of variables", "[report][html]") {
  const ReplayReport report = report_of("<b>&");
  const std::string picture = render(document_of(std::span(&report, 1), nullptr, {}, {Notation::html}), Notation::svg);
  CHECK(picture.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(picture.ends_with("</svg>\n"));
  CHECK_FALSE(holds(picture, "var("));
  CHECK_FALSE(holds(picture, "<b>"));
  CHECK(holds(picture, "Seats in use, limit and borrowing"));
  CHECK(holds(picture, "seats in use, on average"));
}

TEST_CASE("ticks are round and few", "[report][html]") {
  for (const double most : {0.0, 0.2, 1.0, 2.0, 7.0, 10.0, 99.0, 101.0, 12345.0, 1e9}) {
    const std::vector<Tick> ticks = count_ticks(most);
    CHECK(ticks.size() >= 2);
    CHECK(ticks.size() <= 7);
    CHECK(ticks.front().value == 0);
    CHECK(ticks.back().value >= most);
  }
  const Nanos noon = *parse_rfc3339("2026-11-20T12:00:00Z");
  constexpr Nanos kDay = 24 * 3600 * kSecond;
  for (const Nanos span : {kMillisecond, kSecond, 61 * kSecond, kDay / 24, 100 * kDay, 40 * 365 * kDay}) {
    const std::vector<Tick> ticks = time_ticks(noon + 1, noon + span);
    CHECK(ticks.size() <= 9);
    for (const Tick& tick : ticks) CHECK(tick.value >= static_cast<double>(noon));
  }
  CHECK(time_ticks(noon, noon + 60 * kSecond).front().label == "12:00:00");
  CHECK(time_ticks(noon, noon + 3600 * kSecond).front().label == "12:00");
  CHECK(time_ticks(noon, noon + 4 * kSecond / 10)[1].label == "00.050s");
  CHECK(duration_ticks(0.001, 100).size() == 6);
  CHECK(duration_ticks(0.001, 100)[1].label == "10 ms");
}

TEST_CASE("csv: quoting, and no formulas", "[report][csv]") {
  const auto flow_cell = [](const std::string& name) {
    const ReplayReport report = report_of(name);
    const std::string text = render_csv(std::span(&report, 1), CsvRows::flows);
    const std::size_t line = text.find("\r\n") + 2;
    const std::string row = text.substr(line);
    return row.substr(0, row.find(",4,3,4,1,1,0,0"));
  };
  CHECK(flow_cell("plain") == "plain,plain,plain");
  CHECK(flow_cell("a,b") == "\"a,b\",\"a,b\",\"a,b\"");
  CHECK(flow_cell("say \"x\"").substr(0, 11) == "\"say \"\"x\"\"\"");
  for (const char* formula : {"=1+1", "+1", "-1", "@SUM(A1)"})
    CHECK(flow_cell(formula).substr(0, 3) == std::string("\"'") + formula[0]);
  CHECK(flow_cell("\t=1").substr(0, 4) == "\\t=1");  // visible, and no formula
  CHECK(flow_cell("a\nb").substr(0, 4) == "a\\nb");
  const ReplayReport report = report_of("x");
  const std::string text = render_csv(std::span(&report, 1), CsvRows::levels);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  CHECK(std::count(text.begin(), text.end(), '\r') == 2);
  const std::string header = text.substr(0, text.find('\r'));
  CHECK(std::count(text.begin(), text.end(), ',') == 2 * std::count(header.begin(), header.end(), ','));
}

TEST_CASE("markdown: names are code, whatever is in them", "[report][markdown]") {
  CHECK(holds(markdown_of(report_of("system:serviceaccount:ci:x")), "| `system:serviceaccount:ci:x` |"));
  for (const char* name :
       {"a|b", "`x`", "<img src=x>", "@octocat", "[a](https://evil.example)", "*b*", "a\nb", "#1", "\\`"}) {
    const std::string text = markdown_of(report_of(name));
    for (const char* raw : {"<img", "@octocat", "](", "*b*", "a\nb", "`x`", "a|b"}) {
      INFO(name << " in " << text);
      CHECK_FALSE(holds(text, raw));
    }
    CHECK(holds(text, "<code>"));
  }
  // Every row of a table has as many cells as its head.
  const std::string text = markdown_of(report_of("a|b"));
  std::ptrdiff_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    const auto bars = std::count(line.begin(), line.end(), '|');
    if (bars == 0) columns = 0;
    else if (columns == 0) columns = bars;
    else CHECK(bars == columns);
  }
}

TEST_CASE("metrics text: labels escaped, servers told apart", "[report][metrics]") {
  ReplayReport report;
  MetricFamily family{"apiserver_flowcontrol_rejected_requests_total", "Help.", MetricFamily::Type::counter, {}};
  MetricSeries series;
  series.labels = {{"flow_schema", "a\"b\\c\nd\xff"}};
  series.value = 3;
  family.series = {series};
  MetricFamily histogram{"h_seconds", "Help.", MetricFamily::Type::histogram, {}};
  MetricSeries buckets;
  buckets.buckets = {{0.5, 1}, {std::numeric_limits<double>::infinity(), 4}};
  buckets.sum = 2.5;
  histogram.series = {buckets};
  report.metrics = {family, histogram};
  const std::string text = render_metrics(std::span(&report, 1));
  CHECK(holds(text,
              "# TYPE apiserver_flowcontrol_rejected_requests_total counter\n"
              "apiserver_flowcontrol_rejected_requests_total{flow_schema=\"a\\\"b\\\\c\\nd\xEF\xBF\xBD\"} 3\n"));
  CHECK(holds(
      text, "h_seconds_bucket{le=\"0.5\"} 1\nh_seconds_bucket{le=\"+Inf\"} 4\nh_seconds_sum 2.5\nh_seconds_count 4\n"));
  std::vector<ReplayReport> two(2, report);
  two[0].server = "a";
  two[1].server = "b";
  const std::string both = render_metrics(two);
  CHECK(both.find("# TYPE h_seconds ") == both.rfind("# TYPE h_seconds "));
  CHECK(holds(both, "h_seconds_bucket{server=\"a\",le=\"0.5\"} 1\n"));
  CHECK(holds(both, "h_seconds_count{server=\"b\"} 4\n"));
}
