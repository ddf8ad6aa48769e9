// read_known_server(): what each file says, and whether they agree.
#include <apf/error.h>
#include <apf/input.h>
#include <apf/limits.h>
#include <apf/logs.h>
#include <apf/server.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include "base/decimal.h"
#include "base/folder_walk.h"
#include "base/releases.h"
#include "base/scrape_line.h"
#include "config/files.h"
#include "logs/server/server_dump.h"
#include "schedule/level_state.h"
#include "setup/facts.h"

namespace apf {

namespace {

constexpr std::size_t kMostText = 64u << 20, kMostManifest = 4u << 20, kMostFiles = 2'000;

std::optional<int> whole_number(std::string_view text) {
  int out = 0;
  return read_integer(text, out) ? std::optional(out) : std::nullopt;
}

// Whether two texts mean the same: "60s" and "1m0s", "v1.34.2" and "1.34".
bool alike(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto first = KubeVersion::parse(a), second = KubeVersion::parse(b);
  if (first && second) {
    const int any = KubeVersion::kNewestPatch;
    return *first == *second && (first->patch == second->patch || first->patch == any || second->patch == any);
  }
  const auto one = parse_go_duration(a), other = parse_go_duration(b);
  return one && other && *one == *other;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// One file. False: it says nothing of a server.
class FileFacts {
 public:
  FileFacts(KnownServer& out, FactBook& book) : out_(out), book_(book) {}

  bool read(const std::string& path, bool named) {
    const std::size_t before = book_.count();
    book_.file(path);
    std::error_code error;
    const auto size = path == "-" ? 0 : std::filesystem::file_size(path, error);
    ConfigText file;
    if (error || size <= kMostText) {
      file = named ? read_text_file(path) : read_regular_file(path);
      std::string kept;
      read_text({path, std::string(inflated(file.text, path, kept))}, named);
    }
    if (book_.count() == before) read_log(path, file.text);
    return book_.count() > before || (!named && is_configuration_);
  }
  void read(const ConfigText& text) {
    book_.file(text.name);
    read_text(text, true);
  }
  // After all files: none of them says the release, and metrics of later ones are not there.
  void guess_release() {
    if (out_.version || !newest_) return;
    out_.version = KnownServer::Fact{newest_->first.str(), newest_->second};
    out_.release_is_guess = true;
  }

 private:
  void read_text(const ConfigText& file, bool named) {
    const std::string_view text = file.text;
    is_configuration_ = false;
    if (read_scrape(file, named)) return;
    if (text.size() > kMostManifest) return;
    // A server without API Priority and Fairness has no such dumps.
    if (has_any(text, {"PriorityLevelName,"}) &&
        has_any(text, {"ActiveQueues,", "PendingRequests,", "FlowSchemaName,"})) {
      book_.levels_seen(true);
      read_dump_of(file);
    }
    const bool leads = has_any(text, {"AdmissionConfiguration"}) && has_any(text, {"EventRateLimit"});
    if (leads || has_any(text, {"eventratelimit.admission.k8s.io/"})) book_.event_rate_limit(leads);
    if (!named && has_any(text, {"flowcontrol.apiserver.k8s.io/"}) && has_any(text, {"FlowSchema", "PriorityLevel"})) {
      is_configuration_ = true;
      out_.configurations.push_back(file.name);
    }
    const bool of_server =
        has_any(text, {"kube-api",          "hyperkube",          "--etcd-servers", "-requests-inflight",
                       "KUBE_API",          "APISERVER",          "apiServer",      "kubeAPIServer",
                       "kubernetesVersion", "kubernetes_version", "gitVersion",     "apiRequestConcurrency",
                       "HostedCluster",     "ControlPlane",       "ClusterVersion", "platformVersion",
                       "kindest/node",      "rancher/k3s",        "k0sproject.io",  "KubernetesConfig",
                       "kube_version",      "core.gardener.cloud"});
    read_variables(text, of_server, book_);
    if (of_server) {
      const std::size_t before = book_.count();
      // What kubectl describe prints may be YAML by chance.
      const bool is_manifest = !has_any(text, {"\nContainers:\n", " Containers:\n"}) &&
                               (!text.starts_with("I") || text.find("] FLAG: ") == std::string_view::npos);
      if (is_manifest) read_manifest_facts(file, book_);
      if (book_.count() == before) read_command_lines(text, book_);
    }
    // kubectl version
    if (const std::size_t at = text.find("Server Version: v"); at != std::string_view::npos)
      book_.version(text.substr(at + 16, text.find_first_of(" \r\n", at + 16) - at - 16));
  }

  // Of several of a kind the last one.
  void read_dump_of(const ConfigText& file) {
    ServerDump dump;
    try {
      read_dump(file.text, file.name, dump);
    } catch (const Error&) {
      return;  // 'apfctl inspect' says what is wrong with it
    }
    ServerDump& out = out_.dump;
    if (dump.has_levels) out.levels = std::move(dump.levels);
    if (dump.has_queues) out.queues = std::move(dump.queues);
    if (dump.has_requests) out.requests = std::move(dump.requests);
    out.has_levels = out.has_levels || dump.has_levels;
    out.has_queues = out.has_queues || dump.has_queues;
    out.has_requests = out.has_requests || dump.has_requests;
    // Levels are of the dump of levels, where there is one.
    if (dump.has_levels || !out.has_levels) out_.dump_from = file.name;
    if (dump.has_queues) out_.queues_from = file.name;
  }

  bool read_scrape(const ConfigText& file, bool named) {
    if (!has_any(file.text, {"apiserver_", "kubernetes_build_info"})) return false;
    ServerScrape scrape;
    const std::size_t before = book_.count();
    read_build_info(file.text);
    const bool says_release = book_.count() > before;
    if (has_any(file.text, {"apiserver_storage_objects{", "apiserver_resource_objects{"}))
      book_.objects(ObjectCounts::parse(file.text, file.name));
    try {
      scrape = parse_part_of_scrape(file.text, file.name);
    } catch (const SeveralServers&) {
      if (named) throw;  // what it says of one of them is not known to be of the server
      return book_.count() > before;
    } catch (const Error&) {
      return book_.count() > before;  // of other metrics, or of one that was picked out
    }
    if (!says_release && !scrape.version.empty()) book_.version(scrape.version);
    if (scrape.server_seats) book_.sum(std::to_string(static_cast<int>(*scrape.server_seats)));
    const bool limits =
        std::any_of(scrape.levels.begin(), scrape.levels.end(), [](const auto& l) { return l.second.nominal; });
    if (limits) book_.limits(scrape.levels);
    if (const bool work = limits || !scrape.series.empty(); work || scrape.without_levels) book_.levels_seen(work);
    if (const auto newest = newest_release_of(scrape); newest && (!newest_ || *newest < newest_->first))
      newest_.emplace(*newest, file.name);
    if (scrape.has("work_estimated_seats")) out_.scrape = scrape;
    return true;
  }

  void read_build_info(std::string_view text) {
    const std::size_t at = text.find("kubernetes_build_info{");
    ScrapeLine line;
    if (at == std::string_view::npos || !parse_scrape_line(text.substr(at, text.find('\n', at) - at), line)) return;
    const std::string_view version = line.label("git_version");
    if (KubeVersion::parse(version)) book_.version(version);
  }

  // `text`: what was read of it, which of a pipe is all that there is.
  void read_log(const std::string& path, const std::string& text) {
    LogOptions log;
    log.logs = {path};
    if (!can_be_read_again(path, {})) log.texts.emplace(path, text);
    const ServerFlags found = read_server_flags(log);
    for (const auto& [name, value] : found.flags) book_.flag(name, value);
    if (found.flags.contains("max-requests-inflight")) book_.complete();
    if (!found.version_text.empty()) book_.version(found.version_text);
    if (found.seats) book_.sum(std::to_string(*found.seats));
  }

  KnownServer& out_;
  FactBook& book_;
  bool is_configuration_ = false;
  std::optional<std::pair<KubeVersion, std::string>> newest_;  // see guess_release(); and the file
};

// Looks for the file of --admission-control-config-file beside the manifest that names it, where it is on the server
// elsewhere. What the server has no plugin for says nothing of it.
void find_event_rate_limit(KnownServer& server, FileFacts& facts) {
  const std::optional<bool> enabled = server.has_plugin("EventRateLimit");
  if (enabled == false) return server.event_rate_limit.reset();
  const KnownServer::Fact* const file = server.flag("admission-control-config-file");
  if (server.event_rate_limit || !file) return;
  const std::filesystem::path beside =
      std::filesystem::path(file->from).parent_path() / std::filesystem::path(file->value).filename();
  std::error_code error;
  if (std::filesystem::is_regular_file(beside, error)) facts.read(beside.string(), false);
}

// Without what is hidden, and links that may lead anywhere.
bool is_plain(const std::filesystem::directory_entry& entry) {
  std::error_code error;
  return !entry.path().filename().string().starts_with(".") && !entry.is_symlink(error);
}

// Of a command line that is not whole one of the two flags may be there: the other one has its default, unless the
// limits of levels say otherwise.
void add_default_flag(KnownServer& server) {
  constexpr std::pair<const char*, const char*> kDefaults[] = {{"max-requests-inflight", "400"},
                                                               {"max-mutating-requests-inflight", "200"}};
  const KnownServer::Fact* const here[] = {server.flag(kDefaults[0].first), server.flag(kDefaults[1].first)};
  if (!here[0] == !here[1] || server.sum || server.limits) return;
  const auto& [name, value] = kDefaults[here[0] ? 1 : 0];
  server.flags.emplace(name, KnownServer::Fact{value, here[here[0] ? 0 : 1]->from + " by default"});
}

// The flag, or its feature gate, switches it off where a scrape or a dump shows levels.
void check_priority_and_fairness(const KnownServer& server) {
  if (!server.levels_seen || server.levels_seen->value != "true") return;
  const KnownServer::Fact* said = server.flag("enable-priority-and-fairness");
  if (said && said->value == "false")
    throw Error(
        fmt::format("{} says --enable-priority-and-fairness=false, and {} has priority levels: they are of "
                    "different servers, or of different times",
                    said->from, server.levels_seen->from));
}

void check_seats(const KnownServer& server) {
  const KnownServer::Fact* of_reads = server.flag("max-requests-inflight");
  const auto reads = server.number("max-requests-inflight"), writes = server.number("max-mutating-requests-inflight");
  const auto parts = reads && writes ? std::optional(*reads + *writes) : std::nullopt;
  const auto sum = server.sum ? whole_number(server.sum->value) : std::nullopt;
  if (parts && sum && *parts != *sum)
    throw Error(fmt::format("{} says {} + {} seats, and {} says {}: they are of different servers", of_reads->from,
                            *reads, *writes, server.sum->from, *sum));
  if (!server.limits || !(parts || sum)) return;
  const std::optional<ScrapedSeats> shared = seats_by_limits(server.limits->levels, {}, kNewestKubeVersion);
  const int said = parts ? *parts : *sum;
  if (shared && (said < shared->least || said > shared->most))
    throw Error(fmt::format(
        "{} says {} seats, but by {} levels share {}: they are of different servers, or of "
        "different times",
        parts ? of_reads->from : server.sum->from, said, server.limits->from,
        shared->is_guess() ? fmt::format("{} to {}", shared->least, shared->most) : std::to_string(shared->number)));
}

// A folder that keeps several configurations does not say which one the server runs.
void drop_repeated(KnownServer& server) {
  const std::vector<ConfigText> texts = read_config_files(server.configurations);
  std::set<std::string> seen;
  bool repeated = false;
  for (const ConfigText& text : texts) {
    const LoadedConfig loaded = load_config({&text, 1});
    for (const FlowSchema& schema : loaded.config.flow_schemas)
      repeated = !seen.insert("FlowSchema " + schema.meta.name).second || repeated;
    for (const PriorityLevel& level : loaded.config.priority_levels)
      repeated = !seen.insert("level " + level.meta.name).second || repeated;
  }
  if (!repeated) return;
  server.passed_over.insert(server.passed_over.end(), server.configurations.begin(), server.configurations.end());
  server.configurations.clear();
}

}  // namespace

void FactBook::put(std::optional<KnownServer::Fact>& fact, const char* what, std::string_view value,
                   const std::string& by) {
  ++count_;
  if (fact && !alike(fact->value, value))
    throw Error(fmt::format("{} says {} {}, and {} says {}: they are of different servers", fact->from, what,
                            fact->value, name_, value));
  if (!fact || fact->value.size() < value.size()) fact = {std::string(value), by.empty() ? name_ : name_ + ", " + by};
}

void FactBook::flag(std::string_view name, std::string_view value, const std::string& by) {
  std::optional<KnownServer::Fact> fact;
  const auto at = out_.flags.find(name);
  if (at != out_.flags.end()) fact = at->second;
  // The server adds them up.
  std::string gates;
  if (name == "feature-gates" && fact && fact->from == name_ && fact->value.find(value) == std::string::npos) {
    gates = fact->value + "," + std::string(value);
    value = gates;
    fact.reset();
  }
  put(fact, ("--" + std::string(name)).c_str(), value, by);
  out_.flags.insert_or_assign(std::string(name), *fact);
}

void FactBook::complete(std::string_view read_only, std::string_view mutating, std::string_view min_request_timeout) {
  const std::pair<std::string_view, std::string_view> defaults[] = {{"max-requests-inflight", read_only},
                                                                    {"max-mutating-requests-inflight", mutating},
                                                                    {"request-timeout", "1m0s"},
                                                                    {"min-request-timeout", min_request_timeout}};
  ++count_;
  for (const auto& [name, value] : defaults)
    if (!out_.flags.contains(name))
      out_.flags.emplace(name, KnownServer::Fact{std::string(value), name_ + " by default"});
}

void FactBook::objects(ObjectCounts counts) {
  ++count_;
  out_.objects = std::move(counts);  // of several scrapes the last one
}

void FactBook::event_rate_limit(bool leads) {
  ++count_;
  std::optional<KnownServer::Fact>& fact = out_.event_rate_limit;
  if (fact && leads == leads_ && fact->value != name_)
    throw Error(
        fmt::format("{} and {} both configure EventRateLimit: they are of different servers", fact->value, name_));
  if (fact && leads_) return;  // it leads to this one
  fact = {name_, name_};
  leads_ = leads;
}

void FactBook::version(std::string_view text, const std::string& by) { put(out_.version, "Kubernetes", text, by); }

void FactBook::image(std::string_view name) {
  name = name.substr(0, name.find('@'));
  const std::size_t colon = name.rfind(':'), slash = name.rfind('/', colon);
  if (colon == name.npos) return;
  const std::string_view program = name.substr(slash == name.npos ? 0 : slash + 1, colon - slash - 1);
  const bool serves = program.starts_with("kube-apiserver") || program.starts_with("hyperkube") ||
                      program == "hardened-kubernetes" || program == "k3s" || program == "rke2-runtime" ||
                      name.find("kindest/node:") != name.npos;
  if (!serves || !KubeVersion::parse(name.substr(colon + 1))) return;
  version(name.substr(colon + 1), "image " + std::string(name));
}
void FactBook::sum(std::string_view number) { put(out_.sum, "the sum of seats is", number); }
void FactBook::levels_seen(bool any) {
  put(out_.levels_seen, "that API Priority and Fairness is on:", any ? "true" : "false");
}

void FactBook::limits(std::map<std::string, ServerScrape::Level> levels) {
  ++count_;
  if (const auto shared = seats_by_limits(levels, {}, kNewestKubeVersion); shared && out_.limits)
    if (const auto before = seats_by_limits(out_.limits->levels, {}, kNewestKubeVersion);
        before && (before->most < shared->least || shared->most < before->least))
      throw Error(
          fmt::format("by {} levels share {} seats, and by {} {}: they are of different servers, or of different times",
                      out_.limits->from, before->number, name_, shared->number));
  out_.limits = KnownServer::Limits{std::move(levels), name_};  // of several scrapes the last one
}

std::optional<KubeVersion> KnownServer::release() const {
  std::optional<KubeVersion> out = version ? KubeVersion::parse(version->value) : std::nullopt;
  if (const Fact* gates = flag("feature-gates"); out && gates) set_feature_gates(gates->value, *out);
  return out;
}

std::optional<KnownServer::Fact> KnownServer::priority_and_fairness() const {
  if (levels_seen) return levels_seen;
  const Fact* gates = flag("feature-gates");
  if (gates && gates->value.find("APIPriorityAndFairness=false") != std::string::npos &&
      !has(release().value_or(kOldestKubeVersion), Feature::priority_and_fairness_always_on))
    return Fact{"false", gates->from};
  const Fact* said = flag("enable-priority-and-fairness");
  return said ? std::optional(*said) : std::nullopt;
}

void KnownServer::add(const ServerFlags& log) {
  if (log.log.empty()) return;
  const auto shared = log.shared_seats();
  if (const auto known = seats({}); known && shared && (*shared < known->least || *shared > known->most))
    throw Error(fmt::format("{} says {} seats, and the log {} says {}: give files of the server that wrote the log",
                            known->from, known->number, log.log, *shared));
  if (const auto known = release(); known && log.version && *known != *log.version)
    throw Error(fmt::format("{} is of Kubernetes {}, and the log {} of {}: give files of the server that wrote the log",
                            version->from, version->value, log.log, log.version_text));
  for (const auto& [name, value] : log.flags) flags.emplace(name, Fact{value, log.log});
  if (!version && log.version) version = Fact{log.version_text, log.log};
  if (!sum && log.seats) sum = Fact{std::to_string(*log.seats), log.log};
}

std::optional<bool> KnownServer::has_plugin(std::string_view name) const {
  const Fact* const enabled = flag("enable-admission-plugins");
  if (!enabled) return std::nullopt;
  const std::string list = "," + enabled->value + ",";
  return list.find("," + std::string(name) + ",") != std::string::npos;
}

const KnownServer::Fact* KnownServer::flag(std::string_view name) const {
  const auto at = flags.find(name);
  return at == flags.end() ? nullptr : &at->second;
}

std::optional<int> KnownServer::number(std::string_view name) const {
  const Fact* fact = flag(name);
  if (!fact) return std::nullopt;
  const std::optional<int> out = whole_number(fact->value);
  if (!out || *out < 0 || *out > 10'000'000)
    throw Error(fmt::format("{}: --{}={} is not a whole number of 0 to 10,000,000", fact->from, name, fact->value));
  return out;
}

std::optional<Nanos> KnownServer::duration(std::string_view name) const {
  const Fact* fact = flag(name);
  if (!fact) return std::nullopt;
  const std::optional<Nanos> out = parse_go_duration(fact->value);
  if (!out || *out <= 0)
    throw Error(fmt::format("{}: --{}={} is not a duration above 0", fact->from, name, fact->value));
  return out;
}

std::optional<KnownServer::Seats> KnownServer::seats(const Config& config) const {
  const auto exactly = [](int number, const std::string& from) { return Seats{{number, number, number}, from}; };
  const auto reads = number("max-requests-inflight"), writes = number("max-mutating-requests-inflight");
  if (reads && writes) return exactly(*reads + *writes, flag("max-requests-inflight")->from);
  if (sum) return exactly(whole_number(sum->value).value_or(0), sum->from);
  if (!limits) return std::nullopt;
  const auto shared = seats_by_limits(limits->levels, config, release().value_or(kNewestKubeVersion));
  return shared ? std::optional(Seats{*shared, limits->from}) : std::nullopt;
}

bool KnownServer::runs(const Config& config, int seats) const {
  const auto shared =
      limits ? seats_by_limits(limits->levels, config, release().value_or(kNewestKubeVersion)) : std::nullopt;
  return shared && shared->fits && shared->least <= seats && seats <= shared->most && level_differences(config).empty();
}

KnownServer read_known_server(const std::vector<std::string>& paths, std::span<const ConfigText> texts) {
  KnownServer out;
  FactBook book(out);
  FileFacts facts(out, book);
  std::vector<std::string> silent;
  for (const ConfigText& text : texts) facts.read(text);
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      if (!facts.read(path, true)) silent.push_back(path);
      continue;
    }
    const std::size_t before = book.count() + out.configurations.size();
    for (const std::string& file : files_below(path, kMostFiles, "one server", is_plain))
      if (!facts.read(file, false)) out.passed_over.push_back(file);
    if (book.count() + out.configurations.size() == before)
      throw Error("no file in " + path + " says anything of a server");
  }
  book.settle();
  for (const std::string& path : silent)
    if (!book.is_used(path))
      throw Error(path +
                  " says nothing of a server: give a scrape of its /metrics, its log, its manifest or command line, or "
                  "what kubectl version prints");
  std::erase_if(out.passed_over, [&](const std::string& path) { return book.is_used(path); });
  facts.guess_release();
  if (!book.is_open()) add_default_flag(out);
  find_event_rate_limit(out, facts);
  drop_repeated(out);
  check_seats(out);
  check_priority_and_fairness(out);
  return out;
}

}  // namespace apf
