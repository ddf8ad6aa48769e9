// What one text says of a server.
#pragma once

#include <string>
#include <string_view>

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
  // How many facts there were; to find out whether a text says anything.
  std::size_t count() const { return count_; }

 private:
  void put(std::optional<KnownServer::Fact>& fact, const char* what, std::string_view value,
           const std::string& by = {});
  KnownServer& out_;
  std::string name_;
  std::size_t count_ = 0;
  bool leads_ = false;  // see event_rate_limit()
};

// --flag=value and --flag value of a command line. `words` after the program's name.
void read_command_words(const std::vector<std::string_view>& words, FactBook& book);
// Whether the words begin with kube-apiserver or a path to it.
bool is_apiserver(std::string_view word);
// Command lines of kube-apiserver in a text such as of ps, a unit file and its EnvironmentFile, or kubectl describe.
// False: there is none.
bool read_command_lines(std::string_view text, FactBook& book);
// Manifests and what 'kubectl version' and providers' tools print, in YAML or JSON. `depth`: of texts within texts.
void read_manifest_facts(const ConfigText& text, FactBook& book, int depth = 0);

}  // namespace apf
