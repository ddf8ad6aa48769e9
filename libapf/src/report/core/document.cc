// What a document is made of, and its text for a terminal.
#include <algorithm>
#include <cstdint>

#include <apf/document.h>
#include <apf/report_words.h>

#include "base/text.h"
#include "report/core/writers.h"

namespace apf {

namespace {

using Block = Passage::Block;
using Form = Passage::Block::Form;

// `shown`: null: all columns are.
std::string as_sentence(const std::vector<Passage::Words>& words, const std::vector<std::string>* shown) {
  std::string out;
  for (const Passage::Words& of : words) {
    std::string names;
    bool any = false;
    for (const std::string& column : of.columns) {
      if (shown && std::find(shown->begin(), shown->end(), column) == shown->end()) continue;
      names += (names.empty() ? "" : ", ") + column;
      any = true;
    }
    if (any) out += (out.empty() ? "" : " ") + names + (names.empty() ? "" : ": ") + of.sentence;
  }
  return out;
}

class TextWriter {
 public:
  explicit TextWriter(const TextStyle& style)
      : style_(style), width_(static_cast<std::size_t>(std::max(style.width, 40))) {}

  std::string write(const Document& document) {
    for (const Passage& passage : document.sections) {
      if (has_no_words(passage) && !passage.is_report()) continue;
      if (!out_.empty()) out_ += "\n";
      if (!passage.title().empty())
        out_ +=
            toned(wrapped(printable(passage.title()), width_, passage.is_report() ? 2 : 0, 0), passage.tone(), style_) +
            "\n";
      after_titled_ = false;
      for (const Block& block : passage.blocks()) add(block);
    }
    return std::move(out_);
  }

 private:
  void add(const Block& block) {
    if (block.form == Form::chart) return;
    if (block.form == Form::table) {
      const bool is_titled = has_titles(block.table);
      if (!is_titled && after_titled_) out_ += "\n";
      after_titled_ = is_titled;
      out_ += block.table.render(style_);
      shown_ = block.table.shown(style_);
      return;
    }
    if (block.form == Form::quote) {
      out_ += style_.color && !block.remark.empty() ? block.remark : block.text;
      return;
    }
    const std::string text = printable(block.words.empty() ? block.text : as_sentence(block.words, &shown_));
    if (text.empty()) return;
    if (block.form == Form::fact) return fact(block, text);
    const bool is_unbroken = block.form == Form::command || block.hang == Passage::kUnbroken;
    out_ += block.sign;
    out_ += toned(is_unbroken ? text : wrapped(text, width_, block.hang, text_width(block.sign)), block.tone, style_);
    out_ += "\n";
  }

  // With the remark on the lines below where the two do not fit; what has no label may stand further to the left.
  void fact(const Block& block, const std::string& text) {
    const std::size_t width = style_.full ? SIZE_MAX / 2 : width_, used = text_width(text);
    std::string label = block.sign;
    if (trimmed(label).empty() && used < width && label.size() + used > width)
      label.resize(std::max<std::size_t>(width - used, 2));
    out_ += label + toned(wrapped(text, width, block.hang, text_width(label)), block.tone, style_);
    const std::string remark = printable(block.remark);
    if (!remark.empty()) {
      const bool fits = block.hang + used + 3 + text_width(remark) <= width;
      out_ += fits ? "   " : "\n" + std::string(block.hang, ' ');
      out_ += toned(fits ? remark : wrapped(remark, width, block.hang), Tone::faint, style_);
    }
    out_ += "\n";
  }

  const TextStyle& style_;
  const std::size_t width_;
  std::string out_;
  std::vector<std::string> shown_;  // columns of the table before
  bool after_titled_ = false;       // which has titles, and is of the same passage
};

}  // namespace

Passage& Passage::say(std::string sentence, Tone tone, std::size_t hang) {
  blocks_.push_back({.form = Form::sentence, .text = std::move(sentence), .tone = tone, .hang = hang});
  return *this;
}

void Passage::explain(std::vector<Words> words) {
  std::string sentence = as_sentence(words, nullptr);
  blocks_.push_back(
      {.form = Form::sentence, .text = std::move(sentence), .tone = Tone::faint, .words = std::move(words)});
}

void Passage::judge(std::string verdict, Tone tone) {
  blocks_.push_back({.form = Form::verdict, .text = std::move(verdict), .tone = tone});
}

void Passage::item(std::string sentence, std::string sign, Tone tone, std::size_t hang) {
  if (hang == 0 && !sign.empty()) hang = sign == "- " ? 2 : sign.size() + 2;
  blocks_.push_back(
      {.form = Form::item, .text = std::move(sentence), .tone = tone, .sign = std::move(sign), .hang = hang});
}

void Passage::list(std::vector<std::string> items, const std::string& sign) {
  for (std::string& entry : items) item(std::move(entry), sign);
}

void Passage::fact(std::string label, std::string value, std::string remark, Tone tone) {
  const std::size_t hang = text_width(label);
  blocks_.push_back({.form = Form::fact,
                     .text = std::move(value),
                     .tone = tone,
                     .sign = std::move(label),
                     .remark = std::move(remark),
                     .hang = hang});
}

void Passage::type(std::string command, std::string sign, Tone tone) {
  blocks_.push_back({.form = Form::command, .text = std::move(command), .tone = tone, .sign = std::move(sign)});
}

void Passage::quote(std::string lines, std::string in_colour) {
  if (!lines.empty())
    blocks_.push_back({.form = Form::quote, .text = std::move(lines), .remark = std::move(in_colour)});
}

void Passage::show(Table table) {
  if (!table.empty()) blocks_.push_back({.form = Form::table, .text = {}, .table = std::move(table)});
}

void Passage::draw(std::string markup, Picture alone) {
  if (!markup.empty()) blocks_.push_back({.form = Form::chart, .text = std::move(markup), .picture = std::move(alone)});
}

// Not by emplace_back(): a function of a template that returns a Passage& would be exported as ours.
Passage& Document::section(std::string heading, Tone tone) {
  sections.resize(sections.size() + 1);
  return sections.back() = Passage(std::move(heading), tone);
}

void Document::add(Passage passage) {
  if (passage.empty()) return;
  sections.resize(sections.size() + 1);
  sections.back() = std::move(passage);
}

void Document::add(std::vector<Passage> passages) {
  for (Passage& passage : passages) add(std::move(passage));
}

bool Passage::qualify(const std::string& sentence) {
  const auto verdict =
      std::find_if(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.form == Block::Form::verdict; });
  if (verdict == blocks_.end()) return false;
  blocks_.insert(verdict + 1, {Block::Form::sentence, sentence, Tone::caution});
  return true;
}

void Document::qualify(const std::string& sentence) {
  if (sentence.empty()) return;
  for (Passage& passage : sections)
    if (passage.qualify(sentence)) return;
}

std::string as_text(const Document& document, const TextStyle& style) { return TextWriter(style).write(document); }

bool has_no_words(const Passage& passage) {
  return std::all_of(passage.blocks().begin(), passage.blocks().end(),
                     [](const Block& block) { return block.form == Form::chart; });
}

const char* verdict_sign(Tone tone) {
  return tone == Tone::bad ? "❌ " : tone == Tone::caution ? "⚠️ " : tone == Tone::good ? "✅ " : "";
}

const char* verdict_class(Tone tone) {
  return tone == Tone::bad ? "bad" : tone == Tone::caution ? "caution" : tone == Tone::good ? "good" : "plain";
}

std::string sentence_case(std::string_view title) {
  if (title == "FLOWSCHEMA") return "FlowSchema";
  std::string out(title);
  for (std::size_t i = 1; i < out.size(); ++i)
    if (out[i] >= 'A' && out[i] <= 'Z') out[i] = static_cast<char>(out[i] - 'A' + 'a');
  return out;
}

Passage expectations_passage(const std::vector<ExpectationResult>& results, const View& view) {
  Passage out("Expected");
  if (view.notation == Notation::text) return out;
  for (const ExpectationResult& result : results)
    out.item(std::string(!result.decided ? "⚠️ not decided"
                         : result.met    ? "✅ met"
                                         : "❌ not met") +
             ": " + result.message);
  return out;
}

std::string render(const Document& document, Notation notation, const TextStyle& style) {
  return notation == Notation::text       ? as_text(document, style)
         : notation == Notation::markdown ? as_markdown(document)
         : notation == Notation::svg      ? as_picture(document)
                                          : as_page(document);
}

}  // namespace apf
