#include <apf/document.h>

#include "report/core/plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/core/html_markup.h"
#include "report/core/units.h"

namespace apf {

namespace {

constexpr double kGlyph = 7;  // of a label, about

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

Plot::Plot(std::string name, std::string description, Frame frame)
    : name_(std::move(name)), description_(std::move(description)), frame_(frame) {}

double Plot::x(double value) const {
  const double width = frame_.width - frame_.left - frame_.right;
  double part = logarithmic_ ? (std::log(value) - std::log(x_from_)) / (std::log(x_to_) - std::log(x_from_))
                             : (value - x_from_) / (x_to_ - x_from_);
  if (!std::isfinite(part)) part = 0;
  return frame_.left + std::clamp(part, 0.0, 1.0) * width;
}

double Plot::y(double value) const {
  const double height = frame_.height - frame_.top - frame_.bottom;
  return frame_.height - frame_.bottom - std::clamp(value / y_to_, 0.0, 1.0) * height;
}

void Plot::x_axis(double from, double to, const std::vector<Tick>& ticks, bool logarithmic) {
  x_from_ = from;
  x_to_ = to > from ? to : from + 1;
  logarithmic_ = logarithmic;
  const double bottom = frame_.height - frame_.bottom;
  double free = 0;  // where the next label may begin
  for (const Tick& tick : ticks) {
    const double at = x(tick.value);
    grid_ += fmt::format("<path class=\"tick\" d=\"M{0} {1}V{2}\"/>", svg_number(at), svg_number(bottom),
                         svg_number(bottom + 4));
    const double half = kGlyph * static_cast<double>(text_width(tick.label)) / 2;
    const bool last = at + half > frame_.width, first = at < half;
    const double begin = last ? at - 2 * half : first ? at : at - half;
    if (begin < free) continue;  // it would run into the one before
    free = begin + 2 * half + kGlyph / 2;
    grid_ += fmt::format("<text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>", svg_number(at),
                         svg_number(bottom + 16),
                         last    ? "end"
                         : first ? "start"
                                 : "middle",
                         html_text(tick.label));
  }
}

void Plot::y_axis(double to, const std::vector<Tick>& ticks) {
  y_to_ = to > 0 ? to : 1;
  std::size_t longest = 0;
  for (const Tick& tick : ticks) longest = std::max(longest, text_width(tick.label));
  frame_.left = std::max(frame_.left, 12 + kGlyph * static_cast<double>(longest));
  for (const Tick& tick : ticks) {
    const double at = y(tick.value);
    grid_ += fmt::format("<path class=\"{}\" d=\"M{} {}H{}\"/>", tick.value == 0 ? "axis" : "grid",
                         svg_number(frame_.left), svg_number(at), svg_number(frame_.width - frame_.right));
    grid_ += fmt::format("<text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                         svg_number(frame_.left - 6), svg_number(at + 4), html_text(tick.label));
  }
}

// Points less than a pixel from their neighbours on the same level are left out.
std::string Plot::path(const std::vector<Point>& points) const {
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

void Plot::line(const char* style, const std::vector<Point>& points) {
  if (points.empty()) return;
  body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", style, path(points));
}

void Plot::area(const char* style, const std::vector<Point>& points) {
  if (points.empty()) return;
  body_ +=
      fmt::format("<path class=\"{}\" d=\"{}L{} {}L{} {}Z\"/>", style, path(points), svg_number(x(points.back().first)),
                  svg_number(y(0)), svg_number(x(points.front().first)), svg_number(y(0)));
}

void Plot::area(const char* style, const std::vector<Point>& upper, const std::vector<Point>& lower) {
  if (upper.empty() || lower.empty()) return;
  std::string back = path({lower.rbegin(), lower.rend()});
  back.front() = 'L';
  body_ += fmt::format("<path class=\"{}\" d=\"{}{}Z\"/>", style, path(upper), back);
}

void Plot::bar(const char* style, double from_x, double to_x, double from_y, double to_y, std::string_view tip) {
  const double left = x(from_x), width = std::max(x(to_x) - left, 0.6), top = y(to_y);
  const double height = y(from_y) - top;
  if (!(height > 0)) return;
  body_ += fmt::format("<path class=\"{}\" d=\"M{} {}h{}v{}h-{}Z\"><title>{}</title></path>", style, svg_number(left),
                       svg_number(top), svg_number(width), svg_number(height), svg_number(width), html_text(tip));
}

void Plot::mark(double x_value, std::string_view word) {
  const double at = x(x_value);
  over_ += fmt::format("<path class=\"mark\" d=\"M{} {}V{}\"/>", svg_number(at), svg_number(frame_.top + 8),
                       svg_number(frame_.height - frame_.bottom));
  const double half = kGlyph * static_cast<double>(word.size()) / 2;
  over_ += fmt::format("<text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>", svg_number(at),
                       svg_number(frame_.top + 5), at + half > frame_.width ? "end" : "middle", html_text(word));
}

std::string Plot::render(const std::string& id, std::string_view style) const {
  return fmt::format(
      "<svg class=\"plot{}{}\" role=\"img\" viewBox=\"0 0 {} {}\" aria-labelledby=\"{}-t {}-d\">"
      "<title id=\"{}-t\">{}</title><desc id=\"{}-d\">{}</desc>{}{}{}</svg>\n",
      style.empty() ? "" : " ", style, svg_number(frame_.width), svg_number(frame_.height), id, id, id,
      html_text(name_), id, html_text(description_), grid_, body_, over_);
}

std::string plot_figure(const Plot& plot, const std::string& id, const std::string& caption) {
  return "<figure><figcaption>" + caption + "</figcaption>" + plot.render(id) + "</figure>\n";
}

std::string plot_figure(const std::function<Plot(const Plot::Frame&)>& draw, const Plot::Frame& frame,
                        const std::string& id, const std::string& caption) {
  Plot::Frame narrow = frame;
  narrow.width = 320;
  return "<figure><figcaption>" + caption + "</figcaption>" + draw(frame).render(id, "wide") +
         draw(narrow).render(id + "-n", "narrow") + "</figure>\n";
}

}  // namespace apf
