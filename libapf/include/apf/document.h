// A report before any notation: what it says, in its order. Each report is built once; a terminal's text, Markdown for
// a pull request and a page are told of any of them.
//
//   apf::Document report("Seats of prod");
//   apf::Table table;
//   table.left("LEVEL", 12).right("SEATS").row({"system", "30"});
//   apf::Passage& levels = report.section("Levels");
//   levels.show(std::move(table));
//   levels.say("600 seats in all.");
//   std::fputs(apf::render(report, apf::Notation::markdown).c_str(), stdout);
//
// Texts may hold names of logs and configurations: control characters are made visible, nothing in them becomes markup.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/version.h>

namespace apf {

struct TextStyle {
  bool color = false;
  int width = 80;     // columns of the terminal
  bool full = false;  // every level and every column, however wide
};

enum class Notation : std::uint8_t { text, markdown, html, svg };  // svg: of a page its chart alone

// What a document is made for: a terminal gets the main part of a long one, unless it asks for all.
struct View {
  Notation notation = Notation::text;
  bool full = false;  // TextStyle::full
  int width = 80;
  bool is_brief() const { return notation == Notation::text && !full; }
};

// What a piece of text is, for its colour.
enum class Tone : std::uint8_t { plain, faint, strong, good, caution, bad };

// Aligned columns. In a terminal that is too narrow, columns that may go are left out; what is still too wide has its
// names on lines of their own. No name is cut.
class APF_API Table {
 public:
  struct Cell {
    Cell(std::string of = {}, Tone shown = Tone::plain, std::string in_colour = {}, bool is_name = false)
        : text(std::move(of)), tone(shown), drawn(std::move(in_colour)), name(is_name) {}
    Cell(const char* of, Tone shown = Tone::plain) : Cell(std::string(of), shown) {}
    std::string text;
    Tone tone;
    std::string drawn;  // already coloured form of `text`, of the same width; empty = text in its tone
    bool name;          // from a log or a configuration: in Markdown as code
    std::string link;   // of a page: "#level-system", or the page beside it
    std::string place;  // the row is where such a link leads
  };
  struct Column {
    std::string title;
    bool right = false;
    std::size_t least = 0;  // 0 = rigid; else a column of names, at least that wide where it shares a line
    int drop = 0;           // 0 = stays; else may be left out, the highest number first
    bool wraps = false;     // of sentences, the last column: broken at blanks, to lines below each other
  };
  Table& left(std::string title, std::size_t least = 0);
  Table& right(std::string title);
  // The column last added may be left out; is of sentences.
  Table& drop(int order);
  Table& wraps();
  void row(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }
  // Every line ends with a newline; the titles are a line where there are any.
  std::string render(const TextStyle& style) const;
  std::vector<std::string> shown(const TextStyle& style) const;  // the titles of the columns that are not left out

 private:
  struct Layout {
    std::vector<std::size_t> columns;  // those that are shown
    std::vector<std::size_t> width;    // by shown column
    std::size_t allowed = 0;
    bool stacked_titles = false;  // two words of a title above each other
  };
  Layout layout(const TextStyle& style) const;
  std::string line(const Layout& layout, const std::vector<Cell>& cells, const TextStyle& style) const;
  // A row whose names do not fit into their columns: those names, then the rest of the row, then the last column.
  std::string stacked(const Layout& layout, std::vector<Cell> cells, const TextStyle& style) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// Of a name from a log or a configuration.
APF_API Table::Cell name_cell(const std::string& name, Tone tone = Tone::plain);

// What SVG draws.
struct Picture {
  std::string body;
  double height = 0;
};

// Sentences, tables and more under a title; without a title they follow what is before.
class APF_API Passage {
 public:
  explicit Passage(std::string title = {}, Tone tone = Tone::strong) : title_(std::move(title)), tone_(tone) {}

  // `hang`: blanks before its further lines in a terminal; kUnbroken: it stays one line.
  static constexpr std::size_t kUnbroken = std::string::npos;
  Passage& say(std::string sentence, Tone tone = Tone::plain, std::size_t hang = 0);
  void explain(std::string sentence) { say(std::move(sentence), Tone::faint); }  // a table's words
  // The same, sentence by sentence of columns of the table shown last: of those that are left out nothing is said.
  struct Words {
    std::vector<std::string> columns;
    std::string sentence;
  };
  void explain(std::vector<Words> words);
  void judge(std::string verdict, Tone tone);  // what it comes to
  // An entry of a list; `sign`: what a terminal has before it; `hang`: by itself, two more than the sign, or as "- ".
  void item(std::string sentence, std::string sign = "- ", Tone tone = Tone::plain, std::size_t hang = 0);
  void list(std::vector<std::string> items, const std::string& sign = "- ");
  // What the label names, and a remark on it; `sign` is the label, as wide as those around it.
  void fact(std::string label, std::string value, std::string remark = {}, Tone tone = Tone::plain);
  void type(std::string command, std::string sign = "  ", Tone tone = Tone::plain);  // into a shell
  void quote(std::string lines, std::string in_colour = {});                         // as they are
  void show(Table table);
  void draw(std::string markup, Picture alone = {});  // of a page; `alone`: the chart in it
  Passage& folded() {                                 // in Markdown it is opened by a click
    folded_ = true;
    return *this;
  }
  // A report of its own among several in one document.
  Passage& begins_report() {
    begins_report_ = true;
    return *this;
  }

  struct Block {
    enum class Form : std::uint8_t { sentence, verdict, item, fact, command, quote, table, chart };
    Form form;
    std::string text;  // or the table
    Tone tone = Tone::plain;
    std::string sign = {};    // of an item, a fact, a command: what is before it
    std::string remark = {};  // of a fact; of a quote its coloured form
    std::size_t hang = 0;
    Table table = {};
    std::vector<Words> words = {};  // which `text` was made of
    Picture picture = {};
  };
  // A sentence on which the verdict depends, right below it; false: there is no verdict here.
  bool qualify(const std::string& sentence);
  const std::string& title() const { return title_; }
  Tone tone() const { return tone_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  bool empty() const { return blocks_.empty(); }
  bool is_folded() const { return folded_; }
  bool is_report() const { return begins_report_; }

 private:
  std::string title_;
  Tone tone_;
  bool folded_ = false, begins_report_ = false;
  std::vector<Block> blocks_;
};

struct APF_API Document {
  // `title`: of the page and of the Markdown; a terminal shows it where the first passage has it, too.
  explicit Document(std::string named = {}) : title(std::move(named)) {}
  Passage& section(std::string heading = {}, Tone tone = Tone::strong);
  void add(Passage passage);  // nothing where it is empty
  void add(std::vector<Passage> passages);
  void qualify(const std::string& sentence);  // the first verdict; nothing where the sentence is empty

  std::string title, made_by;    // made_by: the command; of a page
  std::deque<Passage> sections;  // they stay where they are
};

// Throws Error: svg, and it has no chart.
APF_API std::string render(const Document& document, Notation notation, const TextStyle& style = {});

// Lines of at most `width` columns, broken at blanks; the ones after the first start with `indent` blanks. `begin`: the
// column where the first one starts, by itself as the others.
APF_API std::string wrapped(std::string_view text, std::size_t width, std::size_t indent,
                            std::size_t begin = std::string::npos);
// Columns that a terminal takes for the text: its code points.
APF_API std::size_t text_width(std::string_view text);
APF_API std::string toned(std::string_view text, Tone tone, const TextStyle& style);

}  // namespace apf
