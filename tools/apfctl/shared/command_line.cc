#include "shared/command_line.h"

#include <fmt/core.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <fstream>

#include <apf/flag_values.h>
#include <apf/report.h>

#include "shared/flag_value.h"
#include "shared/input.h"
#include "shared/output.h"
#include "shared/program_name.h"
#include "shared/suggest.h"
#include "shared/terminal.h"

namespace apfctl {

namespace {

const std::vector<std::string> kHelpOf = {"all"};

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

}  // namespace

CommandLine::CommandLine(std::string command, std::vector<std::string> args, bool only_declare)
    : help_{std::move(command), "", "", "", {}},
      args_(std::move(args)),
      app_(std::make_unique<CLI::App>("", help_.command)),
      only_declare_(only_declare) {
  app_->set_help_flag();
  app_->allow_extras();
}

CommandLine::~CommandLine() = default;

void CommandLine::synopsis(std::string text) { help_.synopsis = std::move(text); }

void CommandLine::about(std::string question, std::string text) {
  help_.question = std::move(question);
  help_.about = std::move(text);
}

void CommandLine::example(std::string comment, std::string command) {
  help_.examples.emplace_back(std::move(comment), std::move(command));
}

CLI::Option* CommandLine::document(CLI::Option* option, const char* names, const char* metavar,
                                   const std::string& text) {
  documented_.push_back({names, metavar, text, heading_, false, {}});
  return *metavar ? option->type_name(metavar) : option;
}

void CommandLine::flag(const char* names, bool& value, const std::string& text) {
  document(app_->add_flag(names, value), names, "", text)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void CommandLine::flag(const char* names, std::optional<std::string>& value, const char* metavar,
                       const std::string& text) {
  const auto note = [&value](std::int64_t) { value = value.value_or(""); };
  document(app_->add_flag_function(names, note), names, "", text)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  documented_.back().after_equals = metavar;
  after_equals_.emplace_back(documented_.back().spellings().back(), &value);
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

void CommandLine::argument_flag(const char* names, const char* metavar, const std::string& text) {
  static std::vector<std::string> unused;
  document(app_->add_option(names, unused), names, metavar, text)->allow_extra_args(false);
  documented_.back().repeatable = true;
  for (const std::string& name : documented_.back().spellings()) argument_flags_.push_back(name);
}

void CommandLine::choices(std::string_view flag, std::span<const std::string> values) {
  for (Flag& declared : documented_) {
    if (declared.names.ends_with(flag)) declared.choices.assign(values.begin(), values.end());
  }
}

bool takes_files(std::string_view synopsis) {
  static constexpr std::string_view kFiles[] = {"FILE", "LOG", "OLD", "PLAN"};
  std::string_view rest = synopsis;
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
    if (std::find(argument_flags_.begin(), argument_flags_.end(), flag) != argument_flags_.end()) {
      const bool like_a_flag = value.size() > 1 && value.starts_with("-");
      given.push_back(like_a_flag ? "./" + value : value);
      words_.push_back({"", given.back()});
      return;
    }
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
    // "-fPATH", and "-f=PATH" as pflag takes it.
    if (it->size() > 2 && (*it)[0] == '-' && (*it)[1] != '-' && takes_value(*app_, it->substr(0, 2))) {
      give(it->substr(0, 2), it->substr((*it)[2] == '=' ? 3 : 2));
      continue;
    }
    const std::size_t equals = it->starts_with("--") ? it->find('=') : std::string::npos;
    const auto valued = std::find_if(after_equals_.begin(), after_equals_.end(), [&](const auto& flag) {
      return equals != std::string::npos && flag.first == it->substr(0, equals);
    });
    if (valued != after_equals_.end() && equals + 1 < it->size()) {
      *valued->second = it->substr(equals + 1);
      words_.push_back({valued->first, **valued->second});
      given.push_back(valued->first);
      continue;
    }
    // CLI11 takes "--allow-empty=" for "--allow-empty".
    if (equals != std::string::npos && (takes_value(*app_, it->substr(0, equals)) || equals + 1 == it->size())) {
      give(it->substr(0, equals), it->substr(equals + 1));
    } else {
      const bool flag = *it != "-" && it->starts_with("-");
      words_.push_back(flag ? Word{*it, ""} : Word{"", *it});
      given.push_back(*it);
    }
  }
  return given;
}

namespace {

// Before any of them is read: what reads standard input second would find nothing.
void check_inputs(const std::vector<CommandLine::Word>& words, bool has_files) {
  static constexpr std::string_view kInputs[] = {"-f",          "--filename", "--server",      "--log",
                                                 "--objects",   "--requests", "--batch",       "--recorded",
                                                 "--config-at", "--metrics",  "--quota-config"};
  std::vector<std::string> inputs;
  for (const CommandLine::Word& word : words) {
    const bool is_input = std::find(std::begin(kInputs), std::end(kInputs), word.flag) != std::end(kInputs);
    if ((word.flag.empty() && has_files) || is_input)
      inputs.push_back(is_input && word.value.ends_with("=-") ? "-" : word.value);
  }
  check_one_stdin({inputs});
}

}  // namespace

bool CommandLine::parse() {
  heading("Flags");
  std::optional<std::string> help;
  flag("-h,--help", help, "", "Show the usual flags; with =all: all of them.");
  if (only_declare_) return false;
  // CLI11 does not distinguish a word after "--" from an unknown flag in what it leaves over.
  const auto mark = std::find(args_.begin(), args_.end(), "--");
  const std::vector<std::string> after_mark(mark == args_.end() ? mark : mark + 1, args_.end());
  std::vector<std::string> given = split_values(std::vector<std::string>(args_.begin(), mark));
  if (help && !help->empty()) find_choice("--help", *help, kHelpOf);
  if (!after_mark.empty()) words_.push_back({"--", ""});
  for (const std::string& word : after_mark) words_.push_back({"", word});
  std::reverse(given.begin(), given.end());
  try {
    app_->parse(given);
  } catch (const CLI::ParseError& error) {
    throw UsageError(apf::printable(error.what()));
  }
  if (help) {
    write_stdout(as_typed(help->empty() ? short_help(help_, documented_) : whole_help(help_, documented_)));
    return false;
  }
  sort_remaining(after_mark);
  check_inputs(words_, takes_files(help_.synopsis));
  return true;
}

void CommandLine::sort_remaining(const std::vector<std::string>& after_mark) {
  for (const std::string& word : app_->remaining()) {
    if (word.size() > 1 && word[0] == '-') {
      const std::string flag = word.substr(0, word.find('='));
      if ((flag == "-f" || flag == "--filename") && takes_files(help_.synopsis))
        throw UsageError(fmt::format("{} is not needed here: {} takes files as arguments, '{} {} FILE'", flag,
                                     help_.command, program_name(), help_.command));
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
  if (arguments_.size() > at_most)
    throw UsageError(fmt::format("unexpected argument '{}'{}", apf::printable(arguments_[at_most]),
                                 at_most == 0 ? meant_file(*this, arguments_[at_most]) : ""));
  return arguments_;
}

namespace {

// A scrape of /metrics, or a dump.
bool is_of_server(const std::string& file) {
  std::ifstream in(file);
  std::string head(std::size_t{64} << 10, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  return head.starts_with("PriorityLevelName,") || head.find("\n# TYPE ") != head.npos ||
         head.find("\napiserver_") != head.npos;
}

}  // namespace

std::string meant_file(const CommandLine& line, const std::string& word) {
  const std::vector<std::string> known = long_names(line.flags());
  const auto has = [&](const char* flag) { return std::find(known.begin(), known.end(), flag) != known.end(); };
  if (!has("--filename") || ::access(word.c_str(), F_OK) != 0) return {};
  const bool of_server = has("--server") && is_of_server(word);
  return fmt::format("; a {} is given with {}: '{} {} {} {}'", of_server ? "server's scrape or dump" : "configuration",
                     of_server ? "--server" : "-f", program_name(), line.help().command, of_server ? "--server" : "-f",
                     apf::printable(word));
}

std::int64_t parse_int(std::string_view flag, std::string_view text, std::int64_t least, std::int64_t most) {
  return value_of(flag, [&] { return apf::parse_whole_number(text, least, most); });
}

double parse_number(std::string_view flag, std::string_view text) {
  return value_of(flag, [&] { return apf::parse_number(text); });
}

double parse_percent(std::string_view flag, std::string_view text, double most) {
  std::string_view digits = text.substr(0, text.size() - (text.ends_with('%') ? 1 : 0));
  while (digits.ends_with(' ')) digits.remove_suffix(1);  // "80 %"
  const double percent = parse_number(flag, digits);
  if (percent > most)
    throw UsageError(fmt::format("{}: '{}' is not a percentage from 0 to {}", flag, apf::printable(text), most));
  return percent;
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
