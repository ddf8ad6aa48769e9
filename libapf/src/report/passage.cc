#include "report/passage.h"

#include <algorithm>

namespace apf {

std::string sentence_case(std::string_view title) {
  if (title == "FLOWSCHEMA") return "FlowSchema";
  std::string out(title);
  for (std::size_t i = 1; i < out.size(); ++i)
    if (out[i] >= 'A' && out[i] <= 'Z') out[i] = static_cast<char>(out[i] - 'A' + 'a');
  return out;
}

std::string Passage::text(const TextStyle& style) const {
  if (blocks_.empty()) return {};
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  std::string out = "\n" + toned(wrapped(title_, width, 0), Tone::strong, style) + "\n";
  for (const Block& block : blocks_) {
    if (!block.table.empty()) out += block.table.render(style);
    else out += toned(wrapped(block.sentence, width, 0), block.faint ? Tone::faint : Tone::plain, style) + "\n";
  }
  return out;
}

}  // namespace apf
