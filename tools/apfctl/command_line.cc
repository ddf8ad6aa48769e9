#include "command_line.h"

#include <fmt/core.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

#include <apf/flag_values.h>
#include <apf/report.h>

#include "commands.h"
#include "flag_value.h"
#include "output.h"
#include "suggest.h"
#include "terminal.h"

namespace apfctl {

namespace {

constexpr std::size_t kHelpWidth = 80;
constexpr std::size_t kHelpIndent = 30, kUsage = 7;  // "Usage: "

// pflag takes "-o=json"; CLI11 would read the value "=json".
std::string without_short_equals(std::string arg) {
  if (arg.size() > 3 && arg[0] == '-' && arg[1] != '-' && arg[2] == '=') arg.erase(2, 1);
  return arg;
}

bool takes_value(const CLI::App& app, const std::string& word) {
  const CLI::Option* option = word.starts_with("-") ? app.get_option_no_throw(word) : nullptr;
  return option && option->get_items_expected_max() > 0;
}

std::vector<std::string> long_names(const std::vector<CommandLine::Flag>& flags) {
  std::vector<std::string> names;
  for (const CommandLine::Flag& d : flags) {
    names.push_back(d.names.substr(d.names.find("--")));
  }
  return names;
}

using Examples = std::vector<std::pair<std::string, std::string>>;

std::string help_text(std::string_view synopsis, std::string_view about, const Examples& examples,
                      const std::vector<CommandLine::Flag>& flags) {
  std::string out;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    out += fmt::format("{}  # {}\n  {}\n", i == 0 ? "Examples:\n" : "\n", examples[i].first, examples[i].second);
  }
  out += "\nUsage: ";
  for (std::string_view rest = synopsis, first = "apfctl "; !rest.empty(); first = "") {
    const std::string_view form = rest.substr(0, rest.find('\n'));  // further forms begin with blanks and the program
    rest.remove_prefix(std::min(form.size() + 1, rest.size()));
    const std::size_t blanks = form.find_first_not_of(' ');
    out += std::string(blanks, ' ') +
           apf::wrapped(fmt::format("{}{}", first, form.substr(blanks)), kHelpWidth, kUsage + 2) + "\n";
  }
  out += fmt::format("\n{}\n", apf::wrapped(about, kHelpWidth, 0));
  std::vector<std::string> headings;
  for (const CommandLine::Flag& d : flags) {
    if (std::find(headings.begin(), headings.end(), d.heading) == headings.end()) headings.push_back(d.heading);
  }
  for (const std::string& title : headings) {
    out += "\n" + title + ":\n";
    for (const CommandLine::Flag& d : flags) {
      if (d.heading != title) continue;
      const std::vector<std::string> spellings = d.spellings();
      std::string left = spellings.size() == 1 ? "      " + d.names : "  " + spellings[0] + ", " + spellings[1];
      if (!d.metavar.empty()) left += " " + d.metavar;
      if (left.size() + 2 > kHelpIndent) {
        out += left + "\n" + std::string(kHelpIndent, ' ');
      } else {
        out += left + std::string(kHelpIndent - left.size(), ' ');
      }
      out += apf::wrapped(d.text, kHelpWidth, kHelpIndent) + "\n";
    }
  }
  return out;
}

}  // namespace

CommandLine::CommandLine(std::string command, std::vector<std::string> args, bool only_declare)
    : command_(std::move(command)),
      args_(std::move(args)),
      app_(std::make_unique<CLI::App>("", command_)),
      only_declare_(only_declare) {
  app_->set_help_flag();
  app_->allow_extras();
}

CommandLine::~CommandLine() = default;

std::vector<std::string> CommandLine::Flag::spellings() const {
  const std::size_t comma = names.find(',');
  if (comma == std::string::npos) return {names};
  return {names.substr(0, comma), names.substr(comma + 1)};
}

void CommandLine::example(std::string comment, std::string command) {
  examples_.emplace_back(std::move(comment), std::move(command));
}

CLI::Option* CommandLine::document(CLI::Option* option, const char* names, const char* metavar,
                                   const std::string& text) {
  documented_.push_back({names, metavar, text, heading_, false, {}});
  return *metavar ? option->type_name(metavar) : option;
}

void CommandLine::flag(const char* names, bool& value, const std::string& text) {
  document(app_->add_flag(names, value), names, "", text)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void CommandLine::option(const char* names, std::string& value, const char* metavar, const std::string& text) {
  document(app_->add_option(names, value), names, metavar, text)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->allow_extra_args(false);
}

void CommandLine::option(const char* names, std::optional<std::string>& value, const char* metavar,
                         const std::string& text) {
  // With a callback, because CLI11 turns an empty text into an empty optional.
  document(app_->add_option_function<std::string>(names, [&value](const std::string& given) { value = given; }), names,
           metavar, text)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->allow_extra_args(false);
}

void CommandLine::list(const char* names, std::vector<std::string>& values, const char* metavar,
                       const std::string& text) {
  document(app_->add_option(names, values), names, metavar, text)->allow_extra_args(false);
  documented_.back().repeatable = true;
}

void CommandLine::choices(std::string_view flag, std::span<const std::string> values) {
  for (Flag& declared : documented_) {
    if (declared.names.ends_with(flag)) declared.choices.assign(values.begin(), values.end());
  }
}

bool CommandLine::takes_files() const {
  static constexpr std::string_view kFiles[] = {"FILE", "LOG", "OLD", "PLAN"};
  std::string_view rest = synopsis_;
  bool after_flag = false;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (word.starts_with('[')) word.remove_prefix(1);
    const std::string_view name = word.substr(0, word.find_first_of("].|"));
    if (!after_flag && std::find(std::begin(kFiles), std::end(kFiles), name) != std::end(kFiles)) return true;
    after_flag = word.starts_with('-');
  }
  return false;
}

// Separates "--flag=value", notes the words in order, and checks that each flag that takes a value has one. An empty
// one comes from a variable of a script that is not set.
std::vector<std::string> CommandLine::split_values(std::span<const std::string> words) {
  std::vector<std::string> given;
  const auto give = [&](const std::string& flag, const std::string& value) {
    if (value.empty()) throw UsageError(flag + ": the value is empty; give one, or leave " + flag + " out");
    given.insert(given.end(), {flag, value});
    words_.push_back({flag, value});
  };
  for (auto it = words.begin(); it != words.end(); ++it) {
    if (takes_value(*app_, *it)) {
      const std::string& flag = *it;
      if (++it == words.end()) throw UsageError(flag + " needs a value");
      give(flag, *it);
      continue;
    }
    const std::size_t equals = it->starts_with("--") ? it->find('=') : std::string::npos;
    // CLI11 takes "--allow-empty=" for "--allow-empty".
    if (equals != std::string::npos && (takes_value(*app_, it->substr(0, equals)) || equals + 1 == it->size())) {
      give(it->substr(0, equals), it->substr(equals + 1));
    } else {
      const bool flag = *it != "-" && it->starts_with("-");
      words_.push_back(flag ? Word{*it, ""} : Word{"", *it});
      given.push_back(without_short_equals(*it));
    }
  }
  return given;
}

bool CommandLine::parse() {
  heading("Flags");
  flag("-h,--help", help_, "Show this help.");
  if (only_declare_) return false;
  // CLI11 does not distinguish a word after "--" from an unknown flag in what it leaves over.
  const auto mark = std::find(args_.begin(), args_.end(), "--");
  const std::vector<std::string> after_mark(mark == args_.end() ? mark : mark + 1, args_.end());
  std::vector<std::string> given = split_values({args_.begin(), mark});
  for (const std::string& word : after_mark) words_.push_back({"", word});
  std::reverse(given.begin(), given.end());
  try {
    app_->parse(given);
  } catch (const CLI::ParseError& error) {
    throw UsageError(apf::printable(error.what()));
  }
  if (help_) {
    write_stdout(as_typed(help_text(synopsis_, about_, examples_, documented_)));
    return false;
  }
  sort_remaining(after_mark);
  return true;
}

void CommandLine::sort_remaining(const std::vector<std::string>& after_mark) {
  for (const std::string& word : app_->remaining()) {
    if (word.size() > 1 && word[0] == '-') {
      const std::string flag = word.substr(0, word.find('='));
      if ((flag == "-f" || flag == "--filename") && takes_files())
        throw UsageError(fmt::format("{} is not needed here: {} takes files as arguments, 'apfctl {} FILE'", flag,
                                     command_, command_));
      for (const auto& [name, why] : refused_)
        if (flag == name) throw UsageError(fmt::format("{} {}", name, why));
      const std::vector<std::string> known = long_names(documented_);
      throw UsageError("unknown flag " + apf::printable(flag) + did_you_mean_flag(flag, known));
    }
    arguments_.push_back(word);
  }
  arguments_.insert(arguments_.end(), after_mark.begin(), after_mark.end());
  if (std::find(arguments_.begin(), arguments_.end(), "") != arguments_.end())
    throw UsageError("an argument is empty; give it, or leave it out");
}

const std::vector<std::string>& CommandLine::arguments(std::size_t at_least, std::size_t at_most,
                                                       const char* what) const {
  if (arguments_.size() < at_least)
    throw UsageError(fmt::format("{} is missing{}", what, reads_a_pipe() ? "; to read standard input, write -" : ""));
  if (arguments_.size() > at_most) {
    const std::vector<std::string> known = long_names(documented_);
    const bool has_filename = std::find(known.begin(), known.end(), "--filename") != known.end();
    const std::string word = apf::printable(arguments_[at_most]);
    throw UsageError(
        fmt::format("unexpected argument '{}'{}", word,
                    has_filename && at_most == 0
                        ? fmt::format("; a configuration is given with -f: 'apfctl {} -f {}'", command_, word)
                        : ""));
  }
  return arguments_;
}

std::int64_t parse_int(std::string_view flag, std::string_view text, std::int64_t least, std::int64_t most) {
  return value_of(flag, [&] { return apf::parse_whole_number(text, least, most); });
}

double parse_number(std::string_view flag, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::general);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0)) {
    throw UsageError(fmt::format("{}: '{}' is not a number (0 or greater)", flag, apf::printable(text)));
  }
  return value;
}

apf::Nanos parse_duration(std::string_view flag, std::string_view text) {
  return value_of(flag, [&] { return apf::parse_duration(text); });
}

std::size_t find_choice(std::string_view flag, std::string_view text, std::span<const std::string> choices) {
  const auto at = std::find(choices.begin(), choices.end(), text);
  if (at == choices.end()) {
    throw UsageError(fmt::format("{}: unknown value '{}'{}", flag, apf::printable(text), did_you_mean(text, choices)));
  }
  return static_cast<std::size_t>(at - choices.begin());
}

}  // namespace apfctl
