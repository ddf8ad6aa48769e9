#include "commands/hand_odds.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "shared/command_line.h"
#include "shared/words.h"

namespace apfctl {

namespace {

constexpr std::size_t kMostRows = 10'000;
constexpr int kMostQueues = 10'000'000;  // of a level

// The pairs of the table in the Kubernetes documentation ("API Priority and Fairness", HandSize and Queues).
constexpr std::pair<int, int> kPublished[] = {{12, 32}, {10, 32}, {10, 64}, {9, 64},  {8, 64},  {8, 128},
                                              {7, 128}, {7, 256}, {6, 256}, {6, 512}, {6, 1024}};

std::string title(int elephants) { return fmt::format("{} {}", elephants, elephants == 1 ? "elephant" : "elephants"); }

std::string one_in(double probability) {
  if (probability <= 0) return "never";
  const double n = 1 / probability;
  if (n < 1.005) return "almost always";
  if (n < 100) return fmt::format("1 in {:.1f}", n);
  // Three figures; then as a power of ten.
  const int digits = static_cast<int>(std::floor(std::log10(n)));
  const double unit = std::pow(10.0, digits - 2);
  return digits < 7 ? fmt::format("1 in {:.0f}", std::round(n / unit) * unit)
                    : fmt::format("1 in {:.2f} x 10^{}", n / std::pow(10.0, digits), digits);
}

// Three figures; what no one needs to tell apart is "<0.0001 %".
std::string percent(double probability) {
  const double value = probability * 100;
  if (value <= 0) return "0 %";
  if (value < 0.0001) return "<0.0001 %";
  if (value >= 99.95 && value < 100) return value > 99.9999 ? ">99.9999 %" : fmt::format("{:.4f} %", value);
  const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(value))), 0, 6);
  return fmt::format("{:.{}f} %", value, digits);
}

// "6", "4-8", "64,128-1024": ranges go by one, or double.
std::vector<int> parse_numbers(const char* flag, const std::string& text, bool doubles) {
  std::vector<int> numbers;
  std::string_view rest = text;
  for (;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view entry = rest.substr(0, comma);
    const std::size_t dash = std::min(entry.find('-'), entry.size());
    const auto first = static_cast<int>(parse_int(flag, entry.substr(0, dash), 1, kMostQueues));
    const auto last =
        dash == entry.size() ? first : static_cast<int>(parse_int(flag, entry.substr(dash + 1), first, kMostQueues));
    for (std::int64_t n = first; n <= last; n = doubles ? 2 * n : n + 1) {
      numbers.push_back(static_cast<int>(n));
      if (numbers.size() > kMostRows) throw UsageError(fmt::format("{}: more than {} numbers", flag, kMostRows));
    }
    if (comma == rest.size()) return numbers;
    rest.remove_prefix(comma + 1);
  }
}

// A column for each of these numbers of elephants.
apf::Table free_queues(const apf::CollisionOdds& odds, std::size_t from, std::size_t to) {
  apf::Table out;
  out.right("FREE QUEUES");
  for (std::size_t i = from; i < to; ++i) out.right(title(odds.collision[i].first));
  for (std::size_t n = 0; n <= static_cast<std::size_t>(odds.hand_size); ++n) {
    std::vector<apf::Table::Cell> row = {std::to_string(n)};
    for (std::size_t i = from; i < to; ++i) row.emplace_back(percent(odds.details[i].free[n]));
    out.row(std::move(row));
  }
  return out;
}

std::string probability_text(double probability, const apf::View& view) {
  return view.full ? fmt::format("{}", probability) : percent(probability);
}

}  // namespace

OddsTable odds_table(const std::string& queues, const std::string& hand_sizes, const std::vector<int>& elephants) {
  OddsTable table;
  table.elephants = elephants;
  if (queues.empty() && hand_sizes.empty()) {
    for (const auto& [hand_size, n] : kPublished) table.rows.push_back(apf::collision_odds(n, hand_size, elephants));
    return table;
  }
  if (queues.empty() || hand_sizes.empty()) throw UsageError("--queues and --hand-size must be used together");
  const std::vector<int> hands = parse_numbers("--hand-size", hand_sizes, false);
  for (const int n : parse_numbers("--queues", queues, true)) {
    for (const int hand_size : hands) {
      if (apf::dealer_error(n, hand_size).empty()) table.rows.push_back(apf::collision_odds(n, hand_size, elephants));
      else ++table.impossible;
      if (table.rows.size() > kMostRows) throw UsageError(fmt::format("--table: more than {} rows", kMostRows));
    }
  }
  if (table.rows.empty()) throw UsageError("--table: no hand can be dealt of these numbers");
  return table;
}

apf::Document document_of(const OddsTable& table, const apf::View& view) {
  apf::Document out("How likely heavy flows take all queues of a flow");
  apf::Table odds_of;
  odds_of.right("HandSize").right("Queues");
  for (const int n : table.elephants) odds_of.right(title(n));
  odds_of.right("1 % at");
  for (const apf::CollisionOdds& odds : table.rows) {
    std::vector<apf::Table::Cell> row = {std::to_string(odds.hand_size), std::to_string(odds.queues)};
    for (const auto& [n, probability] : odds.collision) row.emplace_back(probability_text(probability, view));
    row.emplace_back(odds.one_percent_at ? std::to_string(*odds.one_percent_at) : "-");
    odds_of.row(std::move(row));
  }
  out.section().show(std::move(odds_of));
  return out;
}

void add_odds(apf::Document& out, const apf::CollisionOdds& odds, const apf::View& view) {
  out.section().say(fmt::format("{} queues, hands of {}: how likely heavy flows take all queues of a flow", odds.queues,
                                odds.hand_size));
  apf::Table table;
  table.right("ELEPHANTS").right("PROBABILITY").left("ODDS").right("QUEUES TAKEN");
  for (std::size_t i = 0; i < odds.collision.size(); ++i) {
    const auto& [elephants, probability] = odds.collision[i];
    table.row({std::to_string(elephants), probability_text(probability, view), one_in(probability),
               fmt::format("{:.1f}", odds.details[i].taken)});
  }
  out.section().show(std::move(table));
  if (odds.one_percent_at) out.section().say(fmt::format("1 % is reached with {}.", title(*odds.one_percent_at)));
  out.section().say("How many of its queues no heavy flow has:");
  constexpr std::size_t kColumns = 4;
  for (std::size_t from = 0; from < odds.collision.size(); from += kColumns)
    out.section().show(free_queues(odds, from, std::min(from + kColumns, odds.collision.size())));
}

}  // namespace apfctl
