// A part of a report that all formats for people show alike: sentences and tables under a title.
#pragma once

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
    std::string sentence;  // or
    Table table;
    bool faint = false;
    std::vector<Words> words = {};  // which `sentence` was made of
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
