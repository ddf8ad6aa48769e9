// What one text says of a server.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/setup.h>

namespace apf {

// Adds to what is known. Throws Error where that is contradicted.
class FactBook {
 public:
  explicit FactBook(KnownServer& out) : out_(out) {}

  void file(std::string name) { name_ = std::move(name); }
  // `by`: which of several that the command line has.
  void flag(std::string_view name, std::string_view value, const std::string& by = {});
  // The whole command line was there: flags that limit requests, and are not known by then, have these defaults.
  void complete(std::string_view read_only = "400", std::string_view mutating = "200",
                std::string_view min_request_timeout = "1800");
  // `by`: what of the file says it, where it is not the release itself.
  void version(std::string_view text, const std::string& by = {});
  // Of an image of kube-apiserver ("registry.k8s.io/kube-apiserver:v1.34.2"), or of what carries one.
  void image(std::string_view name);
  void sum(std::string_view number);
  void levels_seen(bool any);
  void limits(std::map<std::string, ServerScrape::Level> levels);
  void objects(ObjectCounts counts);
  // The file configures EventRateLimit; `leads`: it is the AdmissionConfiguration that leads to a file that does.
  void event_rate_limit(bool leads);
  // The file is of a server, whatever it says.
  void mention() { ++count_; }
  // Flags that do not show may be on its command line: no flag that is missing has its default for sure.
  void open() {
    mention();
    is_open_ = true;
  }
  bool is_open() const { return is_open_; }

  struct CommandLine {
    std::vector<std::string> words;  // after the program's name
    bool is_unit = false;            // of systemd: an empty ExecStart= takes it back
    bool is_carried = false;         // of k3s and the like, which may say nothing of kube-apiserver
    std::string file = {};
  };
  // Units and lines with variables wait for settle().
  void command_line(CommandLine line);
  // Of the file, and of the unit that the file is a drop-in of.
  void drop_units();
  // $NAME of command lines of this file, or of all if it has none, as an EnvironmentFile. `is_flags`: its value counts
  // as flags of kube-apiserver, even if no command line has it.
  void variable(std::string_view name, std::string_view value, bool is_flags = false);
  void drop_variables();  // of the file
  // After all files: reads what waits.
  void settle();
  // Whether a command line has a variable of the file.
  bool is_used(std::string_view file) const;
  // How many facts there were; to find out whether a text says anything.
  std::size_t count() const { return count_; }

 private:
  void put(std::optional<KnownServer::Fact>& fact, const char* what, std::string_view value,
           const std::string& by = {});
  struct Variable {
    std::string name, value, file;
    bool is_flags = false, is_used = false;
  };
  const std::string* value_of(std::string_view name, std::string_view file);
  void read(const CommandLine& line);

  KnownServer& out_;
  std::string name_;
  std::size_t count_ = 0;
  bool is_open_ = false;
  std::vector<CommandLine> lines_;  // that wait
  std::vector<Variable> variables_;
  bool leads_ = false;  // see event_rate_limit()
};

// At blanks, NULs and backslashes.
std::vector<std::string_view> words_of(std::string_view line);
std::string_view unquoted(std::string_view text);
// Whether a variable's name may have it.
bool is_of_name(char c);
// With the values of $NAME, ${NAME} and $(NAME); those of which `value_of` knows none stay.
std::string expanded(std::string_view text, const std::function<const std::string*(std::string_view)>& value_of);
// --flag=value and --flag value of a command line. `words` after the program's name.
void read_command_words(const std::vector<std::string_view>& words, FactBook& book);
// Whether it has any of those flags.
bool has_flags(const std::vector<std::string_view>& words);
// Whether the words begin with kube-apiserver or a path to it.
bool is_apiserver(std::string_view word);
// Variables that an EnvironmentFile, a unit's Environment= or a shell script sets. `of_server`: the text is about a
// server, so that flags in a variable of an API are of kube-apiserver.
void read_variables(std::string_view text, bool of_server, FactBook& book);
// Command lines of kube-apiserver in a text such as of ps, a unit file or kubectl describe, or the flags alone, one a
// line. False: there is none.
bool read_command_lines(std::string_view text, FactBook& book);
// Manifests and what 'kubectl version' and providers' tools print, in YAML or JSON. `depth`: of texts within texts.
void read_manifest_facts(const ConfigText& text, FactBook& book, int depth = 0);

}  // namespace apf
