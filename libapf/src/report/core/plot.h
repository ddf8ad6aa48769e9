// A plot with two axes, drawn as SVG when the report is rendered. Colours and line styles are classes: the page's
// style sheet knows them, for light and dark.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/time.h>

namespace apf {

// Values of an axis with a line and a label.
struct Tick {
  double value = 0;
  std::string label;
};

// 0, 5, 10 … up to a round number of at least `most`; the last one is the end of the axis.
std::vector<Tick> count_ticks(double most);
// Instants between the two at round times of the day, labelled in UTC.
std::vector<Tick> time_ticks(Nanos from, Nanos to, int most = 8);
// Powers of ten of seconds as durations.
std::vector<Tick> duration_ticks(double least_seconds, double most_seconds);

class Plot {
 public:
  struct Frame {
    double width = 640, height = 170, left = 44, right = 8, top = 10, bottom = 22;
  };
  // `name`: what the plot shows, in one line; `description`: what one would see in it.
  Plot(std::string name, std::string description, Frame frame);

  // After y_axis(), whose labels decide where the plot begins.
  void x_axis(double from, double to, const std::vector<Tick>& ticks, bool logarithmic = false);
  void y_axis(double to, const std::vector<Tick>& ticks);

  using Point = std::pair<double, double>;
  using Points = std::vector<Point>;
  void line(const char* style, const Points& points);
  // Between the points and the axis, or another line over the same x.
  void area(const char* style, const Points& points);
  void area(const char* style, const Points& upper, const Points& lower);
  // `tip`: what a pointer on it shows.
  void bar(const char* style, double from_x, double to_x, double from_y, double to_y, std::string_view tip);
  // A vertical line with a word at its top.
  void mark(double x, std::string_view word);

  // The whole <svg>; `id` is unique on the page, `style` says for which places it is meant: "wide", "narrow" or "".
  std::string render(const std::string& id, std::string_view style = {}) const;
  double width() const { return frame_.width; }

 private:
  double x(double value) const;
  double y(double value) const;
  std::string path(const Points& points) const;

  std::string name_, description_;
  Frame frame_;
  double x_from_ = 0, x_to_ = 1, y_to_ = 1;
  bool logarithmic_ = false;
  std::string grid_, body_, over_;
};

// A <figure> with a plot.
std::string plot_figure(const Plot& plot, const std::string& id, const std::string& caption);
// `draw` makes the plot for a frame. Drawn twice, because text that shrinks with its plot cannot be read: the style
// sheet shows the one that fits.
std::string plot_figure(const std::function<Plot(const Plot::Frame&)>& draw, const Plot::Frame& frame,
                        const std::string& id, const std::string& caption);

}  // namespace apf
