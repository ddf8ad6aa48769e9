// The flags and arguments of one command. A command declares them once, for the parser (CLI11) and for the help.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/time.h>

#include "shared/help.h"
#include "shared/usage_error.h"

namespace CLI {  // its headers take seconds to compile: command_line.cc alone includes them
class App;
class Option;
}  // namespace CLI

namespace apfctl {

class CommandLine {
 public:
  // `only_declare`: for completion; parse() returns false and does nothing.
  CommandLine(std::string command, std::vector<std::string> args, bool only_declare = false);
  ~CommandLine();

  // The parts of the help other than the flags: the question that the command answers, what it does, and three
  // examples.
  void synopsis(std::string text);
  void about(std::string question, std::string text);
  void example(std::string comment, std::string command);  // which runs in the root of a clone

  // The help lists the flags declared after this under the heading.
  void heading(std::string text) { heading_ = std::move(text); }
  // names: "-q,--quiet". If a flag is given more than once, the last value counts; `list` keeps all values.
  void flag(const char* names, bool& value, const std::string& text);
  // A flag that may have a value, which follows `=`. Nothing: not given; "": without a value.
  void flag(const char* names, std::optional<std::string>& value, const char* metavar, const std::string& text);
  void option(const char* names, std::string& value, const char* metavar, const std::string& text);
  void option(const char* names, std::optional<std::string>& value, const char* metavar, const std::string& text);
  void list(const char* names, std::vector<std::string>& values, const char* metavar, const std::string& text);

  // A flag whose values are arguments, as if they were given without it.
  void argument_flag(const char* names, const char* metavar, const std::string& text);

  // A flag of a similar command that this one cannot have, and a sentence that says why.
  void refuse(std::string name, std::string why) { refused_.emplace_back(std::move(name), std::move(why)); }

  // The values that a declared flag accepts (for FORMAT[=FILE]: the formats), and those that an argument accepts.
  void choices(std::string_view flag, std::span<const std::string> values);
  void argument_choices(std::vector<std::string> values) { argument_choices_ = std::move(values); }

  // False: the user asked for help, and it has been printed. Throws UsageError.
  bool parse();

  using Flag = FlagHelp;
  const std::vector<Flag>& flags() const { return documented_; }
  const std::vector<std::string>& argument_choices() const { return argument_choices_; }

  // Arguments and flags in the order given; an argument has no flag, some flags have no value;
  // "--" stands where all words behind it are arguments.
  struct Word {
    std::string flag, value;
  };
  const std::vector<Word>& words() const { return words_; }

  const HelpParts& help() const { return help_; }
  // The words that are neither flags nor values of flags, in order. Throws UsageError if there are too few or too many.
  const std::vector<std::string>& arguments(std::size_t at_least, std::size_t at_most, const char* what) const;
  static constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

 private:
  CLI::Option* document(CLI::Option* option, const char* names, const char* metavar, const std::string& text);
  std::vector<std::string> split_values(std::span<const std::string> words);
  void sort_remaining(const std::vector<std::string>& after_mark);

  HelpParts help_;
  std::string heading_ = "Flags";
  std::vector<std::string> args_, arguments_, argument_flags_;
  std::vector<Word> words_;
  std::vector<Flag> documented_;
  std::vector<std::pair<std::string, std::string>> refused_;
  std::vector<std::pair<std::string, std::optional<std::string>*>> after_equals_;  // of flags that may have a value
  std::unique_ptr<CLI::App> app_;
  std::vector<std::string> argument_choices_;
  const bool only_declare_;
};

// Whether the synopsis has FILE..., LOG... or OLD NEW.
bool takes_files(std::string_view synopsis);

// "; a configuration is given with -f: …" where a file or folder has the name of an argument; else nothing.
std::string meant_file(const CommandLine& line, const std::string& word);

// Values of flags. The UsageError that they throw names `flag`.
std::int64_t parse_int(std::string_view flag, std::string_view text, std::int64_t least, std::int64_t most);
double parse_number(std::string_view flag, std::string_view text);
double parse_percent(std::string_view flag, std::string_view text, double most);  // "80" or "80%": 80
apf::Nanos parse_duration(std::string_view flag, std::string_view text);          // a Go duration, not negative
// The position of `text` among `choices`.
std::size_t find_choice(std::string_view flag, std::string_view text, std::span<const std::string> choices);

// The words that a flag accepts, each with the value that it means.
template <typename Value>
class Choices {
 public:
  Choices(std::initializer_list<std::pair<const char*, Value>> choices) {
    for (const auto& [word, value] : choices) {
      words_.emplace_back(word);
      values_.push_back(value);
    }
  }
  const std::vector<std::string>& words() const { return words_; }
  Value parse(std::string_view flag, std::string_view text) const { return values_[find_choice(flag, text, words_)]; }

 private:
  std::vector<std::string> words_;
  std::vector<Value> values_;
};

}  // namespace apfctl
