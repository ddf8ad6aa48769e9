// What all formats say of a comparison on the traffic of a log: the verdict, and tables of who gains and who loses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <apf/advice_report.h>
#include <apf/advise.h>

namespace apf {

// All that changed, beyond chance, of one level, FlowSchema, flow or user agent.
struct ComparedSubject {
  ComparedChange::What what = ComparedChange::What::level;
  std::string name;
  std::array<const ComparedChange*, 4> by_metric = {};  // of ComparedChange::Metric; null: the same on both sides
  std::uint64_t requests = 0;
  const ComparedChange* of(ComparedChange::Metric metric) const { return by_metric[static_cast<std::size_t>(metric)]; }
  // Refusals decide, then clients that hang up, then the mean wait, then the 99th percentile.
  enum class Effect : std::uint8_t { new_refusals, worse, better } effect = Effect::better;
  bool is_protected = false;  // of the control plane, nodes or leader election
  double harm = 0;            // refused requests more or less, however many wait; else seconds of waiting
};
const char* to_string(ComparedSubject::Effect effect);  // "NEW REFUSALS"

// Those of a side, everything excepted: new refusals first, then the worse, in each by kind and by their part of the
// traffic.
std::vector<ComparedSubject> compared_subjects(const CompareReport& comparison, std::size_t side);

// "0 % → 3 %", "p99 80ms → 1.2s" (the mean where that is the same), "hung up 0 % → 3 %"; "": the same on both sides.
std::string refused_words(const ComparedSubject& subject);
std::string wait_words(const ComparedSubject& subject);
// The one of them that decides: "refused 0 % → 3 %", "p99 wait 80ms → 1.2s".
std::string deciding_words(const ComparedSubject& subject);
// Service accounts as people name them: shop:order-sync.
std::string short_name(const std::string& name);
std::string move_words(const ComparedMove& move);  // "service-accounts → order-sync", level and all
std::string who_moves(const ComparedMove& move);   // "system:serviceaccount:shop:order-sync and 3 more flows"

// The few lines that say most: who gains and loses, who moves.
std::vector<Table> compare_headlines(const CompareReport& comparison, std::size_t side);
// All of it, by kind, then who moves where. `rows`: of each table, for those who gain and for the others.
std::vector<Passage> compare_passages(const CompareReport& comparison, std::size_t side, std::size_t rows);
// A column for OLD, and one for each NEW from `first` on, up to `count`. `names`: their titles.
Table compare_summary(const CompareReport& comparison, const std::vector<std::string>& names, std::size_t first = 0,
                      std::size_t count = SIZE_MAX);
// Rows of a table in a report for people.
std::size_t rows_of(const CompareReport& comparison);
// What is compared, and how far it can be believed.
std::vector<std::string> compare_notes(const CompareReport& comparison, const CompareFrame& frame);
// Of OLD and all NEW, each once.
std::vector<std::string> compare_assumptions(const CompareReport& comparison);
std::vector<std::string> compare_warnings(const CompareReport& comparison);

// Better is good; a loss is bad where it is of refusals.
Tone tone_of(const ComparedSubject& subject);

inline constexpr const char* kArrow = " → ";

}  // namespace apf
