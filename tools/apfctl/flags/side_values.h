// KEY=VALUE,...: in what one server differs from the replayed one, or from the one that both sides have. The value of
// --old, --new and --recorded.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flags/options.h"
#include "shared/command_line.h"

namespace apfctl {

class SideValues {
 public:
  // `flag`: "--old". `others`: keys besides those of the release and the seats; those that end with "-at" may be given
  // several times. `text`: the help.
  void declare(CommandLine& line, const char* flag, const std::string& text, std::vector<std::string> others = {});
  // Reads what was given. Throws UsageError.
  void check();

  std::optional<std::string> find(const std::string& key) const;
  std::vector<std::string> all(const std::string& key) const;
  void set(const std::string& key, std::string value) { values_.emplace_back(key, std::move(value)); }
  bool empty() const { return values_.empty() && given_.empty(); }
  std::size_t size() const { return values_.size(); }
  bool has_seats() const;
  // "--old kubernetes-version", for messages.
  std::string name(const std::string& key) const { return flag_ + " " + key; }

  // The release and the seats take the place of those given. Throws UsageError.
  void replace(ReleaseFlags& release) const;
  void replace(InflightFlags& inflight) const;

 private:
  void read(const std::string& text);

  std::string flag_;
  std::vector<std::string> keys_, given_;
  std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace apfctl
