// The flags and arguments of one command: declared once, they give the parser (CLI11) and the help.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <apf/time.h>

namespace apfctl {

// The command line is wrong: exit code 2 and a word on where the help is.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class CommandLine {
 public:
  CommandLine(std::string command, std::vector<std::string> args);

  // What the help says beside the flags. The first two examples stand at its top.
  void synopsis(std::string text) { synopsis_ = std::move(text); }
  void about(std::string text) { about_ = std::move(text); }
  void example(std::string comment, std::string command);

  // Flags declared from here on stand under this heading.
  void heading(std::string text) { heading_ = std::move(text); }
  // names: "-q,--quiet". The last of several values counts, but for `list`, which keeps them all.
  void flag(const char* names, bool& value, const char* text);
  void option(const char* names, std::string& value, const char* metavar, const char* text);
  void option(const char* names, std::optional<std::string>& value, const char* metavar, const char* text);
  void list(const char* names, std::vector<std::string>& values, const char* metavar, const char* text);

  // The closed set that a declared flag takes its value from (of FORMAT[=FILE]: the formats), or the arguments theirs.
  void choices(std::string_view flag, std::span<const std::string> values);
  void argument_choices(std::vector<std::string> values) { argument_choices_ = std::move(values); }

  // False: help was asked for and has been printed. Throws UsageError and CLI::ParseError.
  bool parse();

  // What completion needs: after only_declare() parse() does nothing but return false.
  struct Flag {
    std::string names, metavar, text, heading;  // "-q,--quiet"; metavar empty: it takes no value
    bool repeatable = false;
    std::vector<std::string> choices;
  };
  void only_declare() { only_declare_ = true; }
  const std::vector<Flag>& flags() const { return documented_; }
  const std::vector<std::string>& argument_choices() const { return argument_choices_; }
  bool takes_files() const;  // by the synopsis: FILE..., LOG..., OLD NEW

  // Arguments and flags with a value in the order given; an argument has no flag.
  struct Word {
    std::string flag, value;
  };
  const std::vector<Word>& words() const { return words_; }

  const std::string& command() const { return command_; }
  // What is neither a flag nor its value, in order; throws UsageError when there are fewer or more.
  const std::vector<std::string>& arguments(std::size_t at_least, std::size_t at_most, const char* what) const;

 private:
  CLI::Option* document(CLI::Option* option, const char* names, const char* metavar, const char* text);
  std::vector<std::string> long_names() const;
  bool takes_value(const std::string& word) const;
  void sort_remaining(const std::vector<std::string>& after_mark);
  std::string help() const;

  std::string command_, synopsis_, about_, heading_ = "Flags";
  std::vector<std::string> args_, arguments_;
  std::vector<Word> words_;
  std::vector<std::pair<std::string, std::string>> examples_;
  std::vector<Flag> documented_;
  std::unique_ptr<CLI::App> app_;
  std::vector<std::string> argument_choices_;
  bool help_ = false, only_declare_ = false;
};

// Values of flags; `flag` is named in the UsageError.
std::int64_t parse_int(std::string_view flag, std::string_view text, std::int64_t least, std::int64_t most);
double parse_number(std::string_view flag, std::string_view text);
apf::Nanos parse_duration(std::string_view flag, std::string_view text);  // a Go duration, not negative
std::size_t parse_choice(std::string_view flag, std::string_view text, std::span<const std::string> choices);

// `text` broken at blanks into lines of at most `width` columns, the ones after the first indented.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace apfctl
