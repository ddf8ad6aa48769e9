// A part of a report that all formats for people show alike: sentences and tables under a title.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/table.h"

namespace apf {

class Passage {
 public:
  explicit Passage(std::string title) : title_(std::move(title)) {}
  void say(std::string sentence) { blocks_.push_back({std::move(sentence), {}, false}); }
  void explain(std::string sentence) { blocks_.push_back({std::move(sentence), {}, true}); }  // a table's words
  void list(std::vector<std::string> items);                                                  // an entry each
  void type(std::string command) { blocks_.push_back({.sentence = std::move(command), .form = Block::Form::command}); }
  void draw(std::string svg) { blocks_.push_back({.sentence = std::move(svg), .form = Block::Form::chart}); }
  // The same, sentence by sentence of columns of the table shown last: of those that are left out nothing is said.
  struct Words {
    std::vector<std::string> columns;
    std::string sentence;
  };
  void explain(std::vector<Words> words);
  void show(Table table) {
    if (!table.empty()) blocks_.push_back({{}, std::move(table), false});
  }

  struct Block {
    enum class Form : std::uint8_t { sentence, item, command, chart };  // a chart is markup, for pages alone
    std::string sentence = {};                                          // or
    Table table = {};
    bool faint = false;
    std::vector<Words> words = {};  // which `sentence` was made of
    Form form = Form::sentence;
  };
  const std::string& title() const { return title_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  bool empty() const { return blocks_.empty(); }

  // For a terminal; nothing when it is empty.
  std::string text(const TextStyle& style) const;

 private:
  static std::string sentence_of(const std::vector<Words>& words, const std::vector<std::string>* shown);

  std::string title_;
  std::vector<Block> blocks_;
};

// A column's title where capitals would shout: "TOTAL DELAY" is "Total delay".
std::string sentence_case(std::string_view title);

}  // namespace apf
