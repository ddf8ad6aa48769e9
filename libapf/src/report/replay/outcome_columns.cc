#include "report/replay/outcome_columns.h"

#include <algorithm>
#include <string>

#include "report/core/units.h"
#include "report/replay/stages.h"

namespace apf {

std::uint64_t requests_of(const RequestTally& tally) { return tally.requests; }
std::uint64_t executed_of(const RequestTally& tally) { return tally.executed(); }
std::uint64_t queued_of(const RequestTally& tally) { return tally.queued; }

std::uint64_t waited_and_served(const RequestTally& tally) {
  const std::uint64_t late = tally.outcomes.refused_after_wait();
  return std::min(tally.executed(), tally.queued > late ? tally.queued - late : 0);
}

namespace {

constexpr std::size_t kBarCells = 10;

// Cells for each part, in proportion; a part that is not nothing gets at least one.
std::vector<std::size_t> split_cells(std::vector<std::uint64_t> parts, std::size_t cells) {
  std::uint64_t whole = 0;
  for (const std::uint64_t part : parts) whole += part;
  std::vector<std::size_t> out(parts.size(), 0);
  if (whole == 0) return out;
  std::size_t used = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double exact = static_cast<double>(parts[i]) / static_cast<double>(whole) * static_cast<double>(cells);
    out[i] = parts[i] == 0 ? 0 : std::max<std::size_t>(1, static_cast<std::size_t>(exact + 0.5));
    used += out[i];
  }
  while (used != cells) {  // rounding is settled at the largest part
    const auto largest = std::max_element(out.begin(), out.end());
    if (used > cells) --*largest, --used;
    else ++*largest, ++used;
  }
  return out;
}

// ████▒▒▒▒×××: served at once, served after waiting, refused.
Table::Cell outcome_bar(const RequestTally& tally) {
  const std::uint64_t waited = waited_and_served(tally);
  const std::vector<std::size_t> cells = split_cells({tally.executed() - waited, waited, tally.rejected()}, kBarCells);
  const char* marks[] = {"█", "▒", "×"};
  const Tone tones[] = {Tone::good, Tone::caution, Tone::bad};
  Table::Cell cell;
  for (std::size_t i = 0; i < 3; ++i) {
    std::string part;
    for (std::size_t n = 0; n < cells[i]; ++n) part += marks[i];
    cell.text += part;
    cell.drawn += toned(part, tones[i], {.color = true});
  }
  return cell;
}

// In order.
std::vector<std::string_view> refusal_headings(const TallyVersions& total) {
  std::vector<std::string_view> out;
  for (const OutcomeRow& row : refusals()) {
    const std::string_view heading = row.heading;
    if (heading.empty() || !total.any([&](const RequestTally& t) { return t.outcomes[row.outcome] > 0; })) continue;
    if (std::find(out.begin(), out.end(), heading) == out.end()) out.push_back(heading);
  }
  return out;
}

}  // namespace

Range<std::uint64_t> refused_for(const TallyVersions& tally, std::string_view heading) {
  return tally.range([&](const RequestTally& t) {
    std::uint64_t count = 0;
    for (const OutcomeRow& of : refusals()) count += of.heading == heading ? t.outcomes[of.outcome] : 0;
    return count;
  });
}

bool fits_in_bars(const ReplayReport& report) {
  const TallyVersions all = versions_of(report).part(&ReplayReport::total);
  return all.range(executed_of).decided() && all.range(queued_of).decided();
}

OutcomeColumns::OutcomeColumns(const ReplayReport& report, bool served, bool bars)
    : served_(served),
      reasons_(refusal_headings(versions_of(report).part(&ReplayReport::total))),
      bars_(bars && fits_in_bars(report)) {}

void OutcomeColumns::add_to(Table& table) const {
  table.right("REQUESTS");
  if (served_) table.right("EXECUTED").drop(2).right("QUEUED");
  for (const std::string_view reason : reasons_) table.right(std::string(reason));
  table.right("REFUSED %");
  if (bars_) table.left("").drop(1);
}

void OutcomeColumns::add_cells(const TallyVersions& tally, std::vector<Table::Cell>& row) const {
  row.push_back(count_cell(tally.range(requests_of), Tone::plain));
  if (served_) {
    row.push_back(count_cell(tally.range(executed_of), Tone::plain));
    row.push_back(count_cell(tally.range(queued_of), Tone::caution));
  }
  for (const std::string_view reason : reasons_) row.push_back(count_cell(refused_for(tally, reason), Tone::bad));
  row.emplace_back(refused_share(tally), tally.range(refused_of).high == 0 ? Tone::faint : Tone::bad);
  if (bars_) row.push_back(outcome_bar(tally.value()));
}

}  // namespace apf
