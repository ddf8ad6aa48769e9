#include "lsp/traffic_lens.h"

#include <chrono>
#include <filesystem>
#include <unordered_map>

#include <fmt/core.h>

#include <apf/error.h>

#include "base/joined.h"
#include "base/thousands.h"
#include "lint/project.h"
#include "lsp/names.h"

namespace apf {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kBetweenReadings{30};

std::string state_of(const std::vector<std::string>& logs) {
  std::string out;
  for (const std::string& log : logs) {
    std::error_code error;
    out += fmt::format("{}\n{}\n{}\n", log, fs::file_size(log, error),
                       fs::last_write_time(log, error).time_since_epoch().count());
  }
  return out;
}

// All that classification looks at.
std::string key_of(const RequestInfo& info, const User& user) {
  const std::string path = info.is_resource_request ? std::string() : std::string(info.path);
  std::string out = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", info.is_resource_request, info.verb, info.api_group,
                                info.resource, info.subresource, info.ns, path, user.name);
  return out + "\n" + joined(user.groups, "\n");
}

}  // namespace

TrafficLens::Logged TrafficLens::read(TrafficReader& traffic, const std::vector<std::string>& logs, std::string of) {
  Logged out{std::move(of), {}, 0};
  std::unordered_map<std::string, std::size_t> known;
  const auto take = [&](const RequestInfo* info, const User& user) {
    end_if_unwanted();
    ++out.all;
    if (!info) return;
    const auto [at, is_new] = known.try_emplace(key_of(*info, user), out.requests.size());
    if (is_new) out.requests.push_back({*info, user, 0});
    ++out.requests[at->second].count;
  };
  for (const std::string& log : logs) {
    std::error_code error;
    if (!fs::is_regular_file(log, error)) continue;
    try {
      traffic.read(log, take);
    } catch (const Error&) {
      continue;  // no log
    }
  }
  return out;
}

bool TrafficLens::may_read_again() const {
  return !read_at_ || std::chrono::steady_clock::now() - *read_at_ > kBetweenReadings;
}

bool TrafficLens::take() {
  std::optional<Logged> logged = reading_.take();
  if (logged) keep(std::move(*logged));
  return logged.has_value();
}

void TrafficLens::keep(Logged logged) {
  logged_ = std::move(logged);
  read_at_ = std::chrono::steady_clock::now();
}

std::string TrafficLens::render(Folder& folder, const LintProject& project, const std::string& path, Lines& lines,
                                bool in_background) {
  JsonWriter json;
  json.begin_array();
  const std::vector<std::string> logs =
      project.traffic_reader ? logs_of(project, folder.settings()) : std::vector<std::string>();
  const std::shared_ptr<const ConfigTree> tree = folder.tree_of(path);
  if (!logs.empty() && tree && is_known(folder) && !folder.is_broken(path)) {
    const std::string state = state_of(logs);
    const bool reads = logged_.of != state && !reading_.is_running() && may_read_again();
    if (reads && in_background)
      reading_.start([make = project.traffic_reader, logs, state] { return read(*make(), logs, state); });
    else if (reads) keep(read(*project.traffic_reader(), logs, state));
    const Classifier classifier(folder.config_of(path));
    std::map<std::string, std::uint64_t> taken;
    for (const Alike& alike : logged_.requests)
      taken[classifier.schemas()[classifier.match(alike.request, alike.user).schema].name] += alike.count;
    for (const NamePlace& name : names_in(*tree)) {
      if (!name.is_definition || name.kind != NamePlace::Kind::flow_schema || logged_.all == 0) continue;
      json.begin_object().key("range");
      lines.of(path).write(json, name.range);
      json.key("command").begin_object();
      json.field("title",
                 fmt::format("{} of {} requests", with_thousands(taken[name.name]), with_thousands(logged_.all)));
      json.field("command", "").end_object().end_object();
    }
  }
  json.end_array();
  return json.take();
}

}  // namespace apf
