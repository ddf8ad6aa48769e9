// A document as a page.
#include <apf/error.h>
#include <fmt/core.h>

#include "base/text.h"
#include "report/core/chart.h"
#include "report/core/html_frame.h"
#include "report/core/html_markup.h"
#include "report/core/units.h"
#include "report/core/writers.h"

namespace apf {

namespace {

using Block = Passage::Block;
using Form = Passage::Block::Form;

std::string item_of(const Block& block) {
  if (block.form == Form::item) return "<li>" + html_text(block.text) + "</li>";
  const std::string_view label = trimmed(block.sign);
  return "<li>" + (label.empty() ? "" : "<strong>" + html_text(label) + "</strong> ") + html_text(block.text) +
         (block.remark.empty() ? "" : " <span class=\"soft\">" + html_text(block.remark) + "</span>") + "</li>";
}

// Lines that are kept apart; those of a patch as what they do.
std::string html_lines(std::string_view lines) {
  const bool is_patch = lines.starts_with("--- ") || lines.starts_with("diff ");
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string line = html_text(lines.substr(0, end));
    const bool is_head = lines.starts_with("--- ") || lines.starts_with("+++ ") || lines.starts_with("@@ ");
    const char* what = !is_patch || end == 0 ? ""
                       : is_head             ? "soft"
                       : lines[0] == '+'     ? "good"
                       : lines[0] == '-'     ? "bad"
                                             : "";
    out += (*what ? fmt::format("<span class=\"{}\">{}</span>", what, line) : line) + "\n";
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

std::string block_of(const Block& block, LinkTargets& places) {
  const std::string text = html_text(block.text);
  switch (block.form) {
    case Form::verdict:
      return fmt::format("<p class=\"verdict {}\">{}</p>\n", verdict_class(block.tone), text);
    case Form::command:
    case Form::quote:
      return "<pre>" + html_lines(block.text) + "</pre>\n";
    case Form::table:
      return html_table(block.table, places);
    case Form::chart:
      return block.text;
    default:
      return fmt::format("<p{}>{}</p>\n",
                         block.tone == Tone::faint ? " class=\"soft\""
                         : block.tone == Tone::bad ? " class=\"unmet\""
                                                   : "",
                         text);
  }
}

// Of a long list the first entries are open.
std::string list_of(const std::vector<std::string>& items) {
  constexpr std::size_t kOpen = 20, kFew = 5;
  if (items.empty()) return {};
  const std::size_t open = items.size() > kOpen + kFew ? kOpen : items.size();
  std::string out = "<ul class=\"says\">";
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i == open)
      out += fmt::format("</ul>\n<details><summary>{} more</summary><ul class=\"says\">", grouped(items.size() - open));
    out += items[i];
  }
  return out + "</ul>\n" + (open < items.size() ? "</details>\n" : "");
}

// Lists are of blocks that follow each other.
std::string html_blocks(const Passage& passage, LinkTargets& places) {
  std::string out;
  std::vector<std::string> items;
  for (const Block& block : passage.blocks()) {
    if (block.form == Form::item || block.form == Form::fact) {
      items.push_back(item_of(block));
      continue;
    }
    out += list_of(std::exchange(items, {})) + block_of(block, places);
  }
  return out + list_of(items);
}

// What stands between the two from `at` on, which is moved behind it; empty: nothing more does.
std::string_view next_between(std::string_view text, std::string_view begin, std::string_view end, std::size_t& at) {
  const std::size_t from = text.find(begin, at);
  if (from == text.npos) return at = text.npos, std::string_view();
  const std::size_t to = text.find(end, from + begin.size());
  at = to;
  return text.substr(from + begin.size(), to - from - begin.size());
}

// Where links may lead: to titles, rows and charts. Fills `ids`, one for each passage, empty where it has no title.
class Outline {
 public:
  explicit Outline(const Document& document) {
    for (const Passage& passage : document.sections) {
      ids.push_back(passage.title().empty() || passage.empty() ? std::string() : id_of(passage.title()));
      const bool is_first = &passage == &document.sections.front();  // the title of the page says it
      if (!ids.back().empty() && !(is_first && passage.is_report()))
        add(ids.back(), html_text(passage.title()), passage.is_report());
      for (const Block& block : passage.blocks()) take(block);
    }
  }

  // Nothing where all is in sight.
  std::string nav() const {
    constexpr std::size_t kFew = 3;
    return entries_ < kFew ? "" : "<nav aria-label=\"On this page\"><ul>" + list_ + "</ul></nav>\n";
  }

  std::vector<std::string> ids;
  LinkTargets places;

 private:
  std::string id_of(std::string_view title) {
    std::string id;
    for (const char c : title) {
      const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      if ((small >= 'a' && small <= 'z') || (small >= '0' && small <= '9')) id += small;
      else if (!id.empty() && id.back() != '-') id += '-';
    }
    if (id.ends_with('-')) id.pop_back();
    std::string unique = id;
    for (int n = 2; !places.known.insert(unique).second; ++n) unique = fmt::format("{}-{}", id, n);
    return unique;
  }
  void add(const std::string& id, std::string_view text, bool is_report) {
    list_ += fmt::format("<li{}><a href=\"#{}\">{}</a></li>", is_report ? " class=\"server\"" : "", id, text);
    ++entries_;
  }
  void take(const Block& block) {
    for (const auto& row : block.table.rows())
      for (const Table::Cell& cell : row)
        if (!cell.place.empty()) places.known.insert(cell.place);
    if (block.form != Form::chart) return;
    for (std::size_t at = 0; at != std::string::npos;) {
      const std::string id(next_between(block.text, "<section class=\"level\" id=\"", "\"", at));
      if (id.empty()) break;
      places.known.insert(id);
      if (block.text.compare(at, 5, "\"><h3") == 0) add(id, next_between(block.text, ">", "</h3>", at += 2), false);
    }
  }

  std::string list_;
  std::size_t entries_ = 0;
};

}  // namespace

std::string as_page(const Document& document) {
  const std::string title = html_text(document.title);
  std::string out = html_head(title) + "<header>\n<h1>" + title + "</h1>\n</header>\n<main>\n", end;
  Outline outline(document);
  std::size_t number = 0;
  for (const Passage& passage : document.sections) {
    const std::string& id = outline.ids[number++];
    if (passage.empty() && !passage.is_report()) continue;
    const bool is_report = passage.is_report() && &passage != &document.sections.front();
    if (is_report) {
      out += end + "<section class=\"server\"><h1 id=\"" + id + "\">" + html_text(passage.title()) + "</h1>\n";
      end = "</section>\n";
    } else if (!passage.title().empty() && !passage.is_report()) {
      out += "<h2 id=\"" + id + "\">" + html_text(passage.title()) + "</h2>\n";
    }
    out += html_blocks(passage, outline.places);
    if (number == 1) out += outline.nav();
  }
  return out + end + html_foot(document.made_by);
}

std::string as_picture(const Document& document) {
  constexpr double kMargin = 20, kLine = 17;
  constexpr std::size_t kColumns = 88;
  const Picture* chart = nullptr;
  std::vector<std::pair<const char*, std::string>> lines;  // style and text
  const auto say = [&](const char* style, const std::string& text) {
    const std::string whole = wrapped(text, kColumns, 0) + "\n";
    for (std::size_t at = 0, next; (next = whole.find('\n', at)) != std::string::npos; at = next + 1)
      lines.emplace_back(style, html_text(whole.substr(at, next - at)));
  };
  say("name", printable(document.title));
  for (const Passage& passage : document.sections)
    for (const Block& block : passage.blocks()) {
      if (block.form == Form::verdict && lines.back().first == std::string_view("name"))
        say("label", printable(block.text));
      if (!chart && block.picture.height > 0 && !passage.title().empty()) chart = &block.picture;
    }
  if (!chart) throw Error("-o svg: there is no chart of this result; -o html writes all of it");
  std::string body;
  double y = kMargin - 4;
  for (const auto& [style, text] : lines) {
    body += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", style, kMargin, y + 12, text);
    y += kLine;
  }
  return svg_file(
      Chart::kWide + 2 * kMargin, y + 12 + chart->height + kMargin,
      fmt::format("{}<g transform=\"translate({} {})\">{}</g>", body, kMargin, svg_number(y + 12), chart->body),
      html_text(document.title));
}

}  // namespace apf
