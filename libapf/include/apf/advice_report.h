// Comparisons, headroom, suggestions and sweeps, for people and for programs. As in <apf/report_words.h>.
//
//   const auto show = [](const apf::HeadroomReport& report) {
//     std::fputs(apf::render(apf::document_of(report), apf::Notation::markdown).c_str(), stdout);
//   };
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <apf/advise.h>
#include <apf/compare.h>
#include <apf/config.h>
#include <apf/report_words.h>
#include <apf/sweep.h>

namespace apf {

// `new_names`: of CompareReport::new_reports. An expectation on NEW must hold for each.
APF_API std::shared_ptr<const Facts> facts_of(const CompareReport& comparison,
                                              const std::vector<std::string>& new_names);
APF_API std::shared_ptr<const Facts> facts_of(const HeadroomReport& report);

// What to change. `before`: the texts that SuggestOptions had, from which the patch is.
APF_API Document document_of(const SuggestReport& report, std::span<const ConfigText> before, const View& view);
APF_API std::string render_json(const SuggestReport& report);  // one line
APF_API std::string render_yaml(const SuggestReport& report);  // changed and new objects

// How much more load a configuration bears.
APF_API Document document_of(const HeadroomReport& report, const ReportFrame& frame = {}, const View& view = {});
APF_API std::string render_json(const HeadroomReport& report);  // one line

// What a sweep came to.
APF_API Document document_of(const SweepReport& report, const View& view = {});

// With every log, in the order of the plan: pieces that follow each other, so that memory does not grow with the logs.
enum class SweepFormat { json, csv };
class APF_API SweepPieces {
 public:
  explicit SweepPieces(SweepFormat format) : format_(format) {}
  std::string add(const SweepLogReport& log, const SweepReport& report);
  std::string end(const SweepReport& report);

 private:
  SweepFormat format_;
  bool begun_ = false;
};

// What a comparison on the traffic of a log came to.
struct CompareFrame {
  std::string old_name;
  std::vector<std::string> new_names;           // of CompareReport::new_reports
  std::vector<ExpectationResult> expectations;  // which a terminal does not show
};

// A page has the curves of both sides over each other, where they were made with ReplayOptions::series.
APF_API Document document_of(const CompareReport& comparison, const CompareFrame& frame, const View& view = {});
APF_API std::string render_json(const CompareReport& comparison, const CompareFrame& frame);  // one line
APF_API std::string render_csv(const CompareReport& comparison, const CompareFrame& frame);
APF_API std::string render_github(const CompareReport& comparison, const CompareFrame& frame);

}  // namespace apf
