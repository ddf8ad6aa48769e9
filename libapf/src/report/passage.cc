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

void Passage::list(std::vector<std::string> items) {
  for (std::string& item : items) blocks_.push_back({.sentence = std::move(item), .form = Block::Form::item});
}

void Passage::explain(std::vector<Words> words) {
  std::string sentence = sentence_of(words, nullptr);
  blocks_.push_back({std::move(sentence), {}, true, std::move(words)});
}

// `shown`: null: all columns are.
std::string Passage::sentence_of(const std::vector<Words>& words, const std::vector<std::string>* shown) {
  std::string out;
  for (const Words& of : words) {
    std::string names;
    for (const std::string& column : of.columns)
      if (!shown || std::find(shown->begin(), shown->end(), column) != shown->end())
        names += (names.empty() ? "" : ", ") + column;
    if (!names.empty()) out += (out.empty() ? "" : " ") + names + ": " + of.sentence;
  }
  return out;
}

std::string Passage::text(const TextStyle& style) const {
  if (blocks_.empty()) return {};
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  std::string out = "\n" + toned(wrapped(title_, width, 0), Tone::strong, style) + "\n";
  std::vector<std::string> shown;  // columns
  for (const Block& block : blocks_) {
    if (!block.table.empty()) {
      out += block.table.render(style);
      shown = block.table.shown(style);
      continue;
    }
    if (block.form == Block::Form::chart) continue;
    if (block.form == Block::Form::command) {
      out += "  " + block.sentence + "\n";
      continue;
    }
    if (block.form == Block::Form::item) {
      out += "- " + toned(wrapped(block.sentence, width, 2), block.faint ? Tone::faint : Tone::plain, style) + "\n";
      continue;
    }
    const std::string sentence = block.words.empty() ? block.sentence : sentence_of(block.words, &shown);
    if (sentence.empty()) continue;
    out += toned(wrapped(sentence, width, 0), block.faint ? Tone::faint : Tone::plain, style) + "\n";
  }
  return out;
}

}  // namespace apf
