// Charts of a page, drawn as SVG when it is rendered, for each width anew: text that shrinks with its chart cannot be
// read. Colours and line styles are classes: the page's style sheet knows them, for light and dark.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/document.h>
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

class Chart {
 public:
  static constexpr double kWide = 640, kNarrow = 320;
  // `caption`: above it; `name`: what it shows, in one line; `description`: what one would see in it.
  Chart(std::string caption, std::string name, std::string description)
      : caption_(std::move(caption)), name_(std::move(name)), description_(std::move(description)) {}
  virtual ~Chart() = default;

  struct Drawn {
    std::string body;
    double height = 0;
  };
  virtual Drawn draw(double width) const = 0;
  // A <figure>; `id` is unique on the page.
  std::string figure(const std::string& id) const;
  const std::string& caption() const { return caption_; }

  // What the style of a line or an area means.
  struct Meaning {
    const char* style;
    bool is_line;
    std::string words;
  };
  const std::vector<Meaning>& meanings() const { return meanings_; }

 protected:
  void mean(const char* style, bool is_line, const std::string& words);
  double width_ = kWide;  // where there is room

 private:
  std::string svg(const std::string& id, double width, std::string_view place) const;

  std::string caption_, name_, description_;
  std::vector<Meaning> meanings_;
};

// With two axes.
class Plot : public Chart {
 public:
  Plot(std::string caption, std::string name, std::string description, double height = 180, double width = kWide)
      : Chart(std::move(caption), std::move(name), std::move(description)), height_(height) {
    width_ = width;
  }
  Drawn draw(double width) const override;

  void x_axis(double from, double to, std::vector<Tick> ticks, bool logarithmic = false);
  void time_axis(Nanos from, Nanos to);
  void y_axis(std::vector<Tick> ticks) { y_ticks_ = std::move(ticks); }  // from 0 to the last one

  using Points = std::vector<std::pair<double, double>>;
  // `words`: what it means; empty: that is said elsewhere.
  void line(const char* style, Points points, const std::string& words = {});
  // Between the points and the axis, or another line over the same x.
  void area(const char* style, Points points, const std::string& words = {}) {
    area(style, std::move(points), {}, words);
  }
  void area(const char* style, Points upper, Points lower, const std::string& words = {});
  // `tip`: what a pointer on it shows.
  void bar(const char* style, double from_x, double to_x, double from_y, double to_y, std::string tip,
           const std::string& words = {});
  // A vertical line with a word above, or what lies between two of them.
  void mark(double x, std::string word) { mark(x, x, std::move(word), {}); }
  void mark(double from_x, double to_x, std::string word, std::string tip) {
    marks_.push_back({from_x, to_x, std::move(word), std::move(tip)});
  }

 private:
  struct Layer {
    enum class Form { line, area, bar } form;
    const char* style;
    Points points, lower;  // of a bar: two corners
    std::string tip;
  };
  struct Mark {
    double from, to;
    std::string word, tip;
  };
  class Canvas;

  double height_;
  double x_from_ = 0, x_to_ = 1;
  bool logarithmic_ = false, of_time_ = false;
  std::vector<Tick> x_ticks_, y_ticks_;
  std::vector<Layer> layers_;
  std::vector<Mark> marks_;
};

// Bars below each other, each under its name: parts of a whole, with marks.
class Bars : public Chart {
 public:
  using Chart::Chart;
  Drawn draw(double width) const override;

  struct Part {
    const char* style;
    double size;
    std::string words;       // what it means, and what a pointer on it shows
    std::string label = {};  // empty: its share
  };
  struct Row {
    std::string name, words;  // words: figures, on the right
    std::string link;         // "#level-system"
    double whole = 0;
    std::vector<Part> parts = {};
    std::vector<double> marks = {};
  };
  void add(Row row);
  void mean_marks(const std::string& words) { mean("limit", true, words); }
  bool empty() const { return rows_.empty(); }

 private:
  std::vector<Row> rows_;
};

// The name of a place on a page, for ids and links: what is not a letter or a digit of `name` is written as its bytes.
std::string place_of(std::string_view kind, std::string_view name);  // "level-workload-low"

// Charts of one thing under its name: of a level.
class Card {
 public:
  Card(std::string id, const std::string& name, const std::string& words = {}, Tone tone = Tone::plain);
  void add(const Chart& chart);
  void note(const std::string& markup) { notes_ += markup; }  // below the charts
  bool empty() const { return figures_.empty(); }
  std::string markup() const;

 private:
  friend void show_cards(Passage&, const std::vector<Card>&, const std::string&, const std::vector<Card>&);
  std::string id_, head_, figures_, notes_;
  std::size_t number_ = 0;
  Picture picture_;
  std::vector<Chart::Meaning> meanings_;
};

// With a key to what is drawn; `others` are folded under their `title`. The first card is the picture of the page.
void show_cards(Passage& out, const std::vector<Card>& cards, const std::string& title = {},
                const std::vector<Card>& others = {});

}  // namespace apf
