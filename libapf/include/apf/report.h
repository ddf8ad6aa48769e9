// Reports: results as text for people, and in the formats that programs read. Nothing is printed here.
//
//   const apf::LimitsTable table = apf::compute_limits(apf::bootstrap_config(apf::kNewestKubeVersion), 600);
//   std::fputs(apf::render(apf::document_of(table), apf::Notation::markdown).c_str(), stdout);
//   std::puts(apf::render_json(table).c_str());
//
// document_of() says for people what a result is, in all notations (document.h); what programs read has a function for
// each result and format. Text is UTF-8, with control characters made visible; the same result gives the same bytes
// everywhere. All functions may be called from several threads at once; those that throw apf::Error say so.
#pragma once

#include <apf/advice_report.h>
#include <apf/findings_report.h>
#include <apf/logs_report.h>
#include <apf/replays_report.h>
#include <apf/report_words.h>
