#include "report/core/chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/core/html_markup.h"
#include "report/core/units.h"

namespace apf {

namespace {

constexpr double kGlyph = 7, kBold = 9;  // of a label, of a name, about

double width_of(std::string_view text, double glyph = kGlyph) { return glyph * static_cast<double>(text_width(text)); }

std::string titled(std::string_view tip) { return tip.empty() ? "" : "<title>" + html_text(tip) + "</title>"; }

std::string label_at(double x, double y, const char* anchor, std::string_view text, const char* style = "label",
                     std::string_view tip = {}) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\"{}>{}{}</text>", style, svg_number(x), svg_number(y),
                     *anchor ? fmt::format(" text-anchor=\"{}\"", anchor) : "", titled(tip), html_text(text));
}

std::string box_at(const char* style, double x, double y, double width, double height, std::string_view tip) {
  return fmt::format("<path class=\"{}\" d=\"M{} {}h{}v{}h-{}Z\">{}</path>", style, svg_number(x), svg_number(y),
                     svg_number(width), svg_number(height), svg_number(width), titled(tip));
}

// Cut at the end where it is wider.
std::string fitted(std::string text, double width, double glyph = kGlyph) {
  if (width_of(text, glyph) <= width) return text;
  while (!text.empty() && width_of(text, glyph) + glyph > width) do
      text.pop_back();
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80);
  return text + "…";
}

}  // namespace

std::vector<Tick> count_ticks(double most) {
  if (!(most > 0)) most = 1;
  const double rough = most / 4;
  const double magnitude = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * magnitude;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * magnitude >= rough) {
      step = factor * magnitude;
      break;
    }
  }
  step = std::max(step, most <= 1 ? 0.5 : 1.0);
  std::vector<Tick> out;
  for (int i = 0;; ++i) {
    const double value = step * i;
    out.push_back({value, step < 1 ? fmt::format("{:g}", value) : grouped(static_cast<std::uint64_t>(value + 0.5))});
    if (value >= most * (1 - 1e-9)) return out;
  }
}

std::vector<Tick> time_ticks(Nanos from, Nanos to, int most) {
  constexpr Nanos kMinute = 60 * kSecond, kHour = 60 * kMinute;
  constexpr Nanos kSteps[] = {kMillisecond,       2 * kMillisecond,
                              5 * kMillisecond,   10 * kMillisecond,
                              20 * kMillisecond,  50 * kMillisecond,
                              100 * kMillisecond, 200 * kMillisecond,
                              500 * kMillisecond, kSecond,
                              2 * kSecond,        5 * kSecond,
                              10 * kSecond,       15 * kSecond,
                              30 * kSecond,       kMinute,
                              2 * kMinute,        5 * kMinute,
                              10 * kMinute,       15 * kMinute,
                              30 * kMinute,       kHour,
                              2 * kHour,          3 * kHour,
                              6 * kHour,          12 * kHour,
                              24 * kHour,         48 * kHour,
                              7 * 24 * kHour};
  Nanos step = 28 * 24 * kHour;
  for (const Nanos s : kSteps) {
    if ((to - from) / s <= most) {
      step = s;
      break;
    }
  }
  while ((to - from) / step > most) step *= 2;
  std::vector<Tick> out;
  Nanos at = from - from % step;
  if (at < from) at += step;
  for (; at <= to; at += step) {
    const std::string text = format_rfc3339(at);  // 2026-11-20T12:00:00.500Z
    const std::string clock = step >= 24 * kHour ? text.substr(5, 5)
                              : step >= kMinute  ? text.substr(11, 5)
                              : step >= kSecond  ? text.substr(11, 8)
                                                 : text.substr(17, text.size() - 18) + "s";
    out.push_back({static_cast<double>(at), clock});
    if (at > to - step) break;
  }
  return out;
}

std::vector<Tick> duration_ticks(double least_seconds, double most_seconds) {
  std::vector<Tick> out;
  for (int power = -9; power <= 9; ++power) {
    const double value = std::pow(10.0, power);
    if (value < least_seconds * 0.999 || value > most_seconds * 1.001) continue;
    const char* unit = power >= 0 ? "s" : power >= -3 ? "ms" : power >= -6 ? "µs" : "ns";
    const int scaled = power >= 0 ? power : power >= -3 ? power + 3 : power >= -6 ? power + 6 : power + 9;
    out.push_back({value, fmt::format("{:.0f} {}", std::pow(10.0, scaled), unit)});
  }
  return out;
}

void Chart::mean(const char* style, bool is_line, const std::string& words) {
  const auto known =
      std::any_of(meanings_.begin(), meanings_.end(), [&](const Meaning& m) { return m.words == words; });
  if (!words.empty() && !known) meanings_.push_back({style, is_line, words});
}

std::string Chart::svg(const std::string& id, double width, std::string_view place) const {
  const Drawn drawn = draw(width);
  return fmt::format(
      "<svg class=\"plot{}{}\" role=\"img\" viewBox=\"0 0 {} {}\" aria-labelledby=\"{}-t {}-d\">"
      "<title id=\"{}-t\">{}</title><desc id=\"{}-d\">{}</desc>{}</svg>\n",
      place.empty() ? "" : " ", place, svg_number(width), svg_number(drawn.height), id, id, id, html_text(name_), id,
      html_text(description_), drawn.body);
}

std::string Chart::figure(const std::string& id) const {
  return "<figure" + std::string(width_ < kWide ? " class=\"small\"" : "") + "><figcaption>" + html_text(caption_) +
         "</figcaption>" +
         (width_ < kWide ? svg(id, width_, "") : svg(id, kWide, "wide") + svg(id + "-n", kNarrow, "narrow")) +
         "</figure>\n";
}

void Plot::x_axis(double from, double to, std::vector<Tick> ticks, bool logarithmic) {
  x_from_ = from;
  x_to_ = to > from ? to : from + 1;
  x_ticks_ = std::move(ticks);
  logarithmic_ = logarithmic;
}

void Plot::time_axis(Nanos from, Nanos to) {
  x_axis(static_cast<double>(from), static_cast<double>(to), {});
  of_time_ = true;
}

void Plot::line(const char* style, Points points, const std::string& words) {
  if (points.empty()) return;
  mean(style, true, words);
  layers_.push_back({Layer::Form::line, style, std::move(points), {}, {}});
}

void Plot::area(const char* style, Points upper, Points lower, const std::string& words) {
  if (upper.empty()) return;
  if (lower.empty()) lower = {{upper.front().first, 0}, {upper.back().first, 0}};
  mean(style, false, words);
  layers_.push_back({Layer::Form::area, style, std::move(upper), std::move(lower), {}});
}

void Plot::bar(const char* style, double from_x, double to_x, double from_y, double to_y, std::string tip,
               const std::string& words) {
  if (!(to_y > from_y)) return;
  mean(style, false, words);
  layers_.push_back({Layer::Form::bar, style, {{from_x, from_y}, {to_x, to_y}}, {}, std::move(tip)});
}

// A plot of one width.
class Plot::Canvas {
 public:
  Canvas(const Plot& plot, double width) : plot_(plot), width_(width) {
    double longest = 0;
    for (const Tick& tick : plot.y_ticks_) longest = std::max(longest, width_of(tick.label));
    left_ = std::max(44.0, 12 + longest);
    for (const Mark& mark : plot.marks_) top_ += mark.from == mark.to ? 0 : kLine;
  }

  std::string draw() {
    marks();
    y_axis();
    x_axis();
    for (const Layer& layer : plot_.layers_) add(layer);
    return std::move(grid_) + body_ + over_;
  }

 private:
  static constexpr double kRight = 8, kBottom = 22, kLine = 13;

  double bottom() const { return plot_.height_ - kBottom; }
  double x(double value) const {
    const double from = plot_.x_from_, to = plot_.x_to_;
    double part = plot_.logarithmic_ ? (std::log(value) - std::log(from)) / (std::log(to) - std::log(from))
                                     : (value - from) / (to - from);
    if (!std::isfinite(part)) part = 0;
    return left_ + std::clamp(part, 0.0, 1.0) * (width_ - left_ - kRight);
  }
  double y(double value) const {
    const double most = plot_.y_ticks_.empty() ? 1 : plot_.y_ticks_.back().value;
    return bottom() - std::clamp(value / (most > 0 ? most : 1), 0.0, 1.0) * (bottom() - top_);
  }

  void x_axis() {
    const std::vector<Tick> ticks = plot_.of_time_ ? time_ticks(static_cast<Nanos>(plot_.x_from_),
                                                                static_cast<Nanos>(plot_.x_to_), width_ > 400 ? 8 : 4)
                                                   : plot_.x_ticks_;
    double free = 0;  // where the next label may begin
    for (const Tick& tick : ticks) {
      const double at = x(tick.value), half = width_of(tick.label) / 2;
      grid_ += fmt::format("<path class=\"tick\" d=\"M{0} {1}V{2}\"/>", svg_number(at), svg_number(bottom()),
                           svg_number(bottom() + 4));
      const bool last = at + half > width_, first = at < half;
      const double begin = last ? at - 2 * half : first ? at : at - half;
      if (begin < free) continue;  // it would run into the one before
      free = begin + 2 * half + kGlyph / 2;
      grid_ += label_at(at, bottom() + 16, last ? "end" : first ? "start" : "middle", tick.label);
    }
  }

  void y_axis() {
    for (const Tick& tick : plot_.y_ticks_) {
      const double at = y(tick.value);
      grid_ += fmt::format("<path class=\"{}\" d=\"M{} {}H{}\"/>", tick.value == 0 ? "axis" : "grid", svg_number(left_),
                           svg_number(at), svg_number(width_ - kRight)) +
               label_at(left_ - 6, at + 4, "end", tick.label);
    }
  }

  // Points less than a pixel from their neighbours on the same level are left out.
  std::string path(const Points& points) const {
    std::string out;
    std::string last_y;
    bool skipped = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::string at_y = svg_number(y(points[i].second));
      if (i > 0 && i + 1 < points.size() && at_y == last_y) {
        skipped = true;
        continue;
      }
      if (skipped) out += fmt::format("L{} {}", svg_number(x(points[i - 1].first)), last_y);
      skipped = false;
      out += fmt::format("{}{} {}", i == 0 ? "M" : "L", svg_number(x(points[i].first)), at_y);
      last_y = at_y;
    }
    return out;
  }

  void add(const Layer& layer) {
    if (layer.form == Layer::Form::bar) {
      const auto& [from, to] = std::pair(layer.points.front(), layer.points.back());
      const double height = y(from.second) - y(to.second), left = x(from.first);
      if (height > 0)
        body_ += box_at(layer.style, left, y(to.second), std::max(x(to.first) - left, 0.6), height, layer.tip);
      return;
    }
    std::string back = layer.form == Layer::Form::area ? path({layer.lower.rbegin(), layer.lower.rend()}) + "Z" : "";
    if (!back.empty()) back.front() = 'L';
    body_ += fmt::format("<path class=\"{}\" d=\"{}{}\"/>", layer.style, path(layer.points), back);
  }

  // Words of spans have lines above the plot; other words have one more in it where they would run into each other.
  void marks() {
    double line = 17, before = -width_;
    for (const Mark& mark : plot_.marks_) {
      const double from = x(mark.from), to = x(mark.to);
      const bool is_span = mark.from != mark.to;
      const std::string word = fitted(mark.word, width_);
      const double half = width_of(word) / 2 + 2, middle = std::max(half, std::min((from + to) / 2, width_ - half));
      const double y = is_span ? line - 5 : std::abs(middle - before) < 2 * half ? top_ + 5 + kLine : top_ + 5;
      if (is_span) grid_ += box_at("span", from, line - 3, std::max(to - from, 1.0), bottom() - line + 3, {});
      else
        over_ += fmt::format("<path class=\"mark\" d=\"M{} {}V{}\"/>", svg_number(from), svg_number(y + 3),
                             svg_number(bottom()));
      over_ += label_at(middle, y, "middle", word, "label", mark.tip);
      if (is_span) line += kLine;
      else before = middle;
    }
  }

  const Plot& plot_;
  const double width_;
  double left_ = 0, top_ = 10;
  std::string grid_, body_, over_;
};

Chart::Drawn Plot::draw(double width) const { return {Canvas(*this, width).draw(), height_}; }

void Bars::add(Row row) {
  for (const Part& part : row.parts)
    if (part.size > 0) mean(part.style, false, part.words);
  rows_.push_back(std::move(row));
}

Chart::Drawn Bars::draw(double width) const {
  constexpr double kText = 16, kBar = 17, kGap = 7;
  std::string out;
  double y = 0;
  for (const Row& row : rows_) {
    const std::string name = fitted(printable(row.name), width, kBold);
    const bool is_together = width_of(name, kBold) + width_of(row.words) + 2 * kGlyph <= width;
    y += kText;
    const std::string text = label_at(0, y - 3, "", name, "name");
    out += row.link.empty() ? text : "<a href=\"" + row.link + "\">" + text + "</a>";
    if (!is_together) y += kText;
    out += label_at(width - 1, y - 3, "end", row.words);
    out += box_at("track", 0, y, width, kBar, {});
    double at = 0;
    const auto scaled = [&](double size) { return row.whole > 0 ? std::clamp(size / row.whole, 0.0, 1.0) * width : 0; };
    for (const Part& part : row.parts) {
      if (part.size <= 0) continue;
      const double end = scaled(at + part.size), begin = scaled(at);
      at += part.size;
      const std::string size =
          part.label.empty() ? human_percent(rounded_count(part.size), rounded_count(row.whole)) : part.label;
      out += box_at(part.style, begin, y, std::max(end - begin, 0.6), kBar, part.words + ": " + size);
      for (const std::string& label : {part.words + " " + size, size}) {
        if (width_of(label) + kGlyph > end - begin) continue;
        out += label_at((begin + end) / 2, y + 12.5, "middle", label, (std::string("on ") + part.style).c_str());
        break;
      }
    }
    for (const double mark : row.marks)
      out += fmt::format("<path class=\"limit\" d=\"M{} {}v{}\"/>",
                         svg_number(std::clamp(scaled(mark), 0.75, width - 0.75)), svg_number(y), svg_number(kBar + 3));
    y += kBar + kGap;
  }
  return {out, y};
}

std::string place_of(std::string_view kind, std::string_view name) {
  std::string out(kind);
  out += '-';
  for (const char c : name) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    out += is_plain ? std::string(1, c) : fmt::format("_{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

Card::Card(std::string id, const std::string& name, const std::string& words, Tone tone) : id_(std::move(id)) {
  if (!name.empty()) head_ = fmt::format("<h3{}>{}</h3>", tone == Tone::bad ? " class=\"bad\"" : "", html_text(name));
  if (!words.empty()) head_ += "<p class=\"soft\">" + html_text(words) + "</p>";
  if (!name.empty()) picture_ = {label_at(0, 16, "", name, "name"), 24};
}

void Card::add(const Chart& chart) {
  figures_ += chart.figure(fmt::format("{}-{}", id_, number_++));
  const Chart::Drawn drawn = chart.draw(Chart::kWide);
  picture_.body +=
      fmt::format("{}<g transform=\"translate(0 {})\">{}</g>", label_at(0, picture_.height + 12, "", chart.caption()),
                  svg_number(picture_.height + 18), drawn.body);
  picture_.height += drawn.height + 26;
  meanings_.insert(meanings_.end(), chart.meanings().begin(), chart.meanings().end());
}

std::string Card::markup() const {
  return fmt::format("<section class=\"level\" id=\"{}\">{}<div class=\"plots\">{}</div>{}</section>\n", id_, head_,
                     figures_, notes_);
}

namespace {

using Meaning = Chart::Meaning;

std::string swatch(const Meaning& of) {
  return fmt::format("<path class=\"{}\" d=\"{}\"/>", of.style, of.is_line ? "M0 5h22" : "M0 0h22v10H0Z");
}

// Below a picture.
void add_key(Picture& picture, const std::vector<Meaning>& meanings) {
  double x = 0, y = picture.height + 8;
  for (const Meaning& of : meanings) {
    const double width = 28 + width_of(of.words);
    if (x > 0 && x + width > Chart::kWide) x = 0, y += 18;
    picture.body += fmt::format("<g transform=\"translate({} {})\">{}</g>", svg_number(x), svg_number(y), swatch(of)) +
                    label_at(x + 28, y + 9, "", of.words);
    x += width + 16;
  }
  picture.height = y + (meanings.empty() ? 0 : 18);
}

}  // namespace

void show_cards(Passage& out, const std::vector<Card>& cards, const std::string& title,
                const std::vector<Card>& others) {
  const auto joined = [](const std::vector<Card>& of) {
    std::string markup;
    for (const Card& card : of)
      if (!card.empty()) markup += card.markup();
    return markup;
  };
  std::vector<Meaning> meanings;
  std::optional<Picture> picture;
  for (const std::vector<Card>* of : {&cards, &others})
    for (const Card& card : *of) {
      if (card.empty()) continue;
      for (const Meaning& meaning : card.meanings_)
        if (std::none_of(meanings.begin(), meanings.end(), [&](const Meaning& m) { return m.words == meaning.words; }))
          meanings.push_back(meaning);
      if (!picture) add_key(picture.emplace(card.picture_), meanings);
    }
  if (!picture) return;
  std::string markup;
  for (const Meaning& of : meanings)
    markup += "<li><svg viewBox=\"0 0 22 10\">" + swatch(of) + "</svg>" + html_text(of.words) + "</li>";
  if (!markup.empty()) markup = "<ul class=\"key\" aria-label=\"Key\">" + markup + "</ul>\n";
  markup += joined(cards);
  if (const std::string folded = joined(others); !folded.empty())
    markup += title.empty() ? folded
                            : "<details><summary>" + html_text(title) + "</summary><div class=\"quiet\">" + folded +
                                  "</div></details>\n";
  out.draw(std::move(markup), std::move(*picture));
}

}  // namespace apf
