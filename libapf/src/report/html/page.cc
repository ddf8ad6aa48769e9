// The page: one file that needs no other, whose names from logs stay text and which a browser lets fetch and run
// nothing.

#include <apf/report.h>
#include <fmt/core.h>

#include <algorithm>

#include "report/agreement.h"
#include "report/clients.h"
#include "report/coverage.h"
#include "report/doubts.h"
#include "report/html/frame.h"
#include "report/html/markup.h"
#include "report/html/sections.h"
#include "report/left_out.h"
#include "report/remarks.h"
#include "report/stages.h"
#include "report/too_wide.h"
#include "report/units.h"
#include "report/verdict.h"

namespace apf {

namespace {

std::string logs_of(const ReplayReport& report) {
  std::string out;
  for (std::size_t i = 0; i < report.logs.size() && i < 3; ++i) out += (i ? ", " : "") + html_text(report.logs[i]);
  return report.logs.size() > 3 ? out + fmt::format(" and {} more", grouped(report.logs.size() - 3)) : out;
}

std::string heading(const ReplayReport& report) {
  if (report.summed > 0) return fmt::format("All {} servers", report.summed);
  if (!report.server.empty()) return "Server " + html_text(report.server) + ": replay of " + logs_of(report);
  return "Replay of " + logs_of(report);
}

std::string span_of(const ReplayReport& report) {
  std::string out = "No requests";
  if (report.first_arrival && report.last_arrival)
    out = fmt::format("{} in {}, from {}", counted(report.total.requests, "request", "requests"),
                      human_duration(*report.last_arrival - *report.first_arrival),
                      format_rfc3339(*report.first_arrival));
  if (report.summed == 0)
    out += fmt::format("; Kubernetes {}, {}", report.version.str(),
                       report.in_flight ? std::string("API Priority and Fairness off")
                                        : seats_in_words(report.server_concurrency_limit) +
                                              (report.seats_by_log ? " (by the server's log)" : ""));
  return out;
}

void tile(std::string& out, const char* name, const std::string& value, const std::string& note, bool bad = false) {
  out += fmt::format("<div><dt>{}</dt><dd{}>{}<small>{}</small></dd></div>", name, bad ? " class=\"bad\"" : "", value,
                     note);
}

std::string tiles(const ReplayReport& report) {
  std::string out = "<dl class=\"tiles\">";
  const TallyVersions t = versions_of(report).part(&ReplayReport::total);
  const auto count = [&](const char* name, auto figure) {
    const auto n = t.range(figure);
    tile(out, name, count_text(n), share_text(share_of(t, figure)));
  };
  tile(out, "Requests", count_text(t.range([](Tally v) { return v.requests; })),
       counted(report.flows, "flow", "flows"));
  count("Served", [](Tally v) { return v.executed(); });
  count("Had to wait", [](Tally v) { return v.queued; });
  const auto refused = t.range(refused_of);
  tile(out, "Refused", count_text(refused), share_text(share_of(t, refused_of)), refused.high > 0);
  const auto wait = [&](double quantile) {
    const std::string text = wait_text(t, quantile);
    return text == "-" ? std::string("–") : text;
  };
  tile(out, "99 % waited at most", wait(0.99), "longest " + wait(1));
  return out + "</dl>\n";
}

std::string verdict(const ReplayReport& report) {
  const Verdict v = verdict_of(report);
  const std::vector<std::string> doubts = doubts_of(report);
  std::string out = html_doubts(doubts);
  out += doubts.empty() ? fmt::format("<p class=\"verdict {}\">{}</p>\n", verdict_class(v.tone), html_text(v.what))
                        : "<p>The replay: " + html_text(v.what) + "</p>\n";
  if (v.sentences.empty()) return out;
  out += "<ul class=\"says\">";
  for (const std::string& sentence : v.sentences) out += "<li>" + html_text(sentence) + "</li>";
  return out + "</ul>\n";
}

void left_out(std::string& out, const ReplayReport& report) {
  std::vector<std::string> list;
  for (const auto& [reason, count] : report.left_out)
    list.push_back(counted(count, "request", "requests") + ": " + reason);
  for (const auto& [reason, count] : report.unusable) list.push_back(counted(count, "line", "lines") + ": " + reason);
  for (std::string& sentence : bad_line_sentences(report.bad_lines)) list.push_back(std::move(sentence));
  if (report.out_of_window > 0) list.push_back(late_sentence(report));
  out += page_sentences("Left out", list);
}

constexpr const char* kLevelsKey =
    "<ul class=\"key\" aria-label=\"Key to the plots\">"
    "<li><svg viewBox=\"0 0 22 10\"><path class=\"use\" d=\"M0 2h22v8H0Z\"/><path class=\"use-line\" d=\"M0 "
    "2h22\"/></svg>seats in use, on average</li>"
    "<li><svg viewBox=\"0 0 22 10\"><path class=\"peak\" d=\"M0 5h22\"/></svg>most at once</li>"
    "<li><svg viewBox=\"0 0 22 10\"><path class=\"limit\" d=\"M0 5h22\"/></svg>limit in force</li>"
    "<li><svg viewBox=\"0 0 22 10\"><path class=\"nominal\" d=\"M0 5h22\"/></svg>nominal limit</li>"
    "<li><svg viewBox=\"0 0 22 10\"><path class=\"borrow\" d=\"M0 0h22v10H0Z\"/></svg>borrowed</li>"
    "<li><svg viewBox=\"0 0 22 10\"><path class=\"lend\" d=\"M0 0h22v10H0Z\"/></svg>lent</li>"
    "<li><svg viewBox=\"0 0 22 10\"><path class=\"waiting\" d=\"M0 2h22v8H0Z\"/><path class=\"waiting-line\" d=\"M0 "
    "2h22\"/></svg>waiting</li></ul>\n";

// Everything of one server (or of all) below its heading.
std::string server_body(const ReplayReport& report, const std::string& id) {
  std::string out;
  if (report.interrupted) out += "<p class=\"unmet\">Interrupted: this report covers the time until then.</p>\n";
  for (const std::string& sentence : first_sentences(report))
    out += "<p class=\"soft\">" + html_text(sentence) + "</p>\n";
  if (report.total.requests > 0) out += verdict(report);
  const std::vector<std::string> incomplete = incomplete_sentences(report);
  for (const std::string& sentence : incomplete) out += "<p class=\"soft\">" + html_text(sentence) + "</p>\n";
  out += tiles(report);
  if (report.total.requests > 0) {
    for (const Passage& passage : stage_passages(report)) out += html_passage(passage);
    if (report.in_flight) out += in_flight_plots(report, id);
    for (const Passage& passage : in_flight_passages(report)) out += html_passage(passage);
    if (!report.in_flight) out += "<h2>Priority levels</h2>\n" + level_table(report);
    if (!report.series.levels.empty()) {
      const std::string width = human_duration(report.series.width);
      out += "<h2>Over time</h2>\n<p class=\"soft\">Times are UTC; each point stands for " + width + ".</p>\n" +
             kLevelsKey + level_plots(report, id);
    }
    for (const Passage& passage : culprit_passages(report)) out += html_passage(passage);
    out += html_passage(too_wide_passage(report));
    const std::string flows = flow_tables(report);
    if (!flows.empty()) out += "<h2 id=\"" + id + "-flows\">Flows</h2>\n" + flows;
    const std::string shared = report.summed > 0 ? std::string() : shared_queues(report);
    if (!shared.empty()) out += "<h2>Which of these flows share queues</h2>\n" + shared;
  }
  out += html_passage(clients_passage(report)) + html_passage(retries_passage(report));
  for (const Passage& passage : coverage_passages(report)) out += html_passage(passage);
  out += html_passage(spread_passage(report)) + html_passage(agreement_passage(report));
  out += page_sentences("Assumptions", texts_of(report.assumptions));
  out += page_sentences("Warnings", further_warnings(report));
  left_out(out, report);
  return out;
}

}  // namespace

std::string page_sentences(const char* title, const std::vector<std::string>& list) {
  if (list.empty()) return {};
  std::string out = fmt::format("<h2>{}</h2>\n<ul class=\"says\">", title);
  for (const std::string& sentence : list) out += "<li>" + html_text(sentence) + "</li>";
  return out + "</ul>\n";
}

std::string render_html(std::span<const ReplayReport> servers, const ReplayReport* total, const ReportFrame& frame) {
  const ReplayReport* first = total ? total : servers.empty() ? nullptr : &servers.front();
  if (!first) return {};
  std::string out = html_head(heading(*first)) + "<header>\n";
  out += "<h1>" + heading(*first) + "</h1>\n<p class=\"soft\">" + html_text(span_of(*first)) + "</p>\n";
  if (!frame.configuration.empty())
    out += "<p class=\"soft\">Configuration: " + html_text(frame.configuration) + "</p>\n";
  out += "</header>\n<main>\n" + html_expectations(frame.expectations) + server_body(*first, "r");
  if (total) {
    for (std::size_t i = 0; i < servers.size(); ++i) {
      out += "<section class=\"server\"><h1>" + heading(servers[i]) + "</h1>\n<p class=\"soft\">" +
             html_text(span_of(servers[i])) + "</p>\n" + server_body(servers[i], fmt::format("s{}", i)) +
             "</section>\n";
    }
  }
  return out + html_foot();
}

}  // namespace apf
