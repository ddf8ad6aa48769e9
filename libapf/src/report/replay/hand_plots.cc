// Which flows share queues: the hands that shuffle sharding deals to the flows that waited or were refused most.
#include <apf/hand.h>
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "report/core/html_markup.h"
#include "report/core/units.h"
#include "report/replay/plots.h"

namespace apf {

namespace {

constexpr std::size_t kMostFlows = 12;  // in one table

struct Hand {
  const FlowReport* flow;
  std::vector<std::uint32_t> queues;  // sorted
};

// The flows of one level that waited or were refused most.
std::vector<Hand> hands_of(const ReplayReport& report, const LevelReport& level) {
  std::vector<Hand> out;
  for (const auto* list : {&report.waited_most, &report.refused_most}) {
    for (const FlowReport& flow : *list) {
      if (flow.priority_level != level.name || flow.hash == 0 || out.size() == kMostFlows) continue;
      const bool known = std::any_of(out.begin(), out.end(), [&](const Hand& h) {
        return h.flow->flow_schema == flow.flow_schema && h.flow->distinguisher == flow.distinguisher;
      });
      if (known) continue;
      out.push_back({&flow, deal_hand(flow.hash, level.queues, level.hand_size)});
      std::sort(out.back().queues.begin(), out.back().queues.end());
    }
  }
  return out;
}

std::size_t common(const Hand& a, const Hand& b) {
  std::vector<std::uint32_t> both;
  std::set_intersection(a.queues.begin(), a.queues.end(), b.queues.begin(), b.queues.end(), std::back_inserter(both));
  return both.size();
}

std::string name_of(const FlowReport& flow) {
  return html_text(flow.distinguisher.empty() ? flow.flow_schema : flow.distinguisher);
}

std::string odds_of(const LevelReport& level, std::size_t flows) {
  const double odds = collision_probability(level.queues, level.hand_size, static_cast<int>(flows));
  if (odds <= 0) return "0 %";
  if (odds > 0.9999) return ">99.9 %";
  return odds >= 0.001 ? fmt::format("{:.1f} %", odds * 100)
                       : fmt::format("1 in {}", grouped(static_cast<std::uint64_t>(std::min(1 / odds, 1e18))));
}

std::string hand_table(const LevelReport& level, const std::vector<Hand>& hands) {
  std::string out = fmt::format("<h3>{}</h3>\n<p class=\"soft\">Each flow has {} of {} queues. ", html_text(level.name),
                                level.hand_size, level.queues);
  out += fmt::format("Probability that all queues of another flow are among those of {}: {}.</p>\n",
                     hands.size() == 1 ? "this flow" : fmt::format("these {} flows", hands.size()),
                     odds_of(level, hands.size()));
  out +=
      "<div class=\"scroll\"><table><caption>Queues in common</caption><thead><tr><th class=\"t\" "
      "scope=\"col\">Flow</th>";
  for (std::size_t i = 0; i < hands.size(); ++i) out += fmt::format("<th scope=\"col\">{}</th>", i + 1);
  out += "<th class=\"t\" scope=\"col\">Its queues</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < hands.size(); ++i) {
    out += fmt::format("<tr><th scope=\"row\">{}. {}</th>", i + 1, name_of(*hands[i].flow));
    for (std::size_t k = 0; k < hands.size(); ++k) {
      const std::size_t n = common(hands[i], hands[k]);
      if (i == k) {
        out += "<td class=\"self\">·</td>";
      } else {
        // 0, then quarters of the hand.
        const std::size_t shade = n == 0 ? 0 : 1 + std::min<std::size_t>(3, (4 * n - 1) / hands[i].queues.size());
        out += fmt::format("<td class=\"h{}\">{}</td>", shade, n);
      }
    }
    out += "<td class=\"t\">";
    for (std::size_t k = 0; k < hands[i].queues.size(); ++k)
      out += fmt::format("{}{}", k ? ", " : "", hands[i].queues[k]);
    out += "</td></tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace

Passage shared_queues(const ReplayReport& report) {
  Passage out("Which of these flows share queues");
  if (report.summed > 0) return out;
  for (const LevelReport& level : report.levels) {
    if (level.exempt || level.queues <= 0 || level.hand_size <= 0) continue;
    const std::vector<Hand> hands = hands_of(report, level);
    if (!hands.empty()) out.draw(hand_table(level, hands));
  }
  return out;
}

}  // namespace apf
