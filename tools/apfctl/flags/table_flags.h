// Settings of replays as flags: rows of the table in apf/flag_values.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/flag_values.h>

#include "shared/command_line.h"

namespace apfctl {

class TableFlags {
 public:
  // Those of the command, each under its group.
  void declare(CommandLine& line);

  // As given, or taken; nothing where it is not.
  std::optional<std::string> find(std::string_view name) const;
  const std::vector<std::string>& all(std::string_view name) const;  // of a setting with several values
  bool given(std::string_view name) const;
  // A value that applies where the flag does not say otherwise.
  void take(std::string_view name, const std::string& value);

  // --nodes +N as a factor, by the nodes that the logs have. Throws UsageError.
  void count_nodes(const std::vector<std::string>& logs);

  // Sets what is given. Throws UsageError.
  void set(apf::ReplayOptions& options) const;

 private:
  struct Value {
    std::optional<std::string> one;
    std::vector<std::string> several;
    bool yes = false;
  };
  // CommandLine keeps the places of values.
  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace apfctl
