#include "shared/program_name.h"

#include <string_view>

namespace apfctl {

namespace {

std::string& program() {
  static std::string name = "apfctl";
  return name;
}

}  // namespace

void name_program(const char* argv0) {
  const std::string_view path = argv0 ? argv0 : "";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  // As it is installed, and as a link that one makes by hand: a plugin of krew has that name, too.
  if (name == "kubectl-apfctl" || name == "kubectl-apf") program() = "kubectl " + std::string(name.substr(8));
}

const std::string& program_name() { return program(); }

std::string as_typed(std::string text) {
  constexpr std::string_view kWord = "apfctl ";
  if (program_name() == "apfctl") return text;
  for (std::size_t at = text.find(kWord); at != std::string::npos; at = text.find(kWord, at)) {
    const bool word = at == 0 || std::string_view(" '\n").find(text[at - 1]) != std::string_view::npos;
    if (word) text.replace(at, kWord.size() - 1, program_name());
    at += word ? program_name().size() : kWord.size();
  }
  return text;
}

}  // namespace apfctl
