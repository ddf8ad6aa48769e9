#include "commands/test_jobs.h"

#include <fmt/core.h>
#include <unistd.h>

#include <apf/error.h>
#include <apf/output.h>
#include <apf/report.h>
#include <apf/request_words.h>

#include "flags/assumptions.h"
#include "flags/expectations.h"
#include "flags/named_by_files.h"
#include "flags/object_counts.h"
#include "flags/recorded_flags.h"
#include "shared/git_objects.h"
#include "shared/input.h"
#include "shared/output.h"
#include "shared/project.h"
#include "shared/sources.h"

namespace apfctl {

namespace {

std::string seat_words(const InflightFlags& inflight) {
  if (inflight.sum_given()) return fmt::format(" --server-concurrency {}", *inflight.sum_given());
  std::string out;
  if (inflight.readonly_given()) out += fmt::format(" --max-requests-inflight {}", *inflight.readonly_given());
  if (inflight.mutating_given()) out += fmt::format(" --max-mutating-requests-inflight {}", *inflight.mutating_given());
  return out;
}

// "it is 3.41s" of "workload-low.p99wait < 1s: it is 3.41s".
std::string got_of(const std::string& message) {
  constexpr std::string_view kIs = ": it is ";
  const std::size_t at = message.rfind(kIs);
  return at == std::string::npos ? message : message.substr(at + kIs.size());
}

}  // namespace

void TestJobs::refuse_git(const apf::TestFile& file) const {
  if (flags_.allow_git) return;
  std::vector<std::string> paths;
  if (flags_.config.filenames.empty() && !flags_.config.cluster.wanted) paths = file.config;
  for (const apf::ReplaySetup& setup : file.replays) paths.push_back(setup.recorded_config);
  for (const std::string& path : paths)
    if (is_in_git(path))
      throw apf::Error(file.name + ": " + path + " is in git, which a test file starts only with --allow-git");
}

// Those that the test file names.
void TestJobs::claim_files(const apf::TestFile& file) const {
  const auto claim = [&](const std::vector<std::string>& paths) {
    for (const std::string& path : paths)
      if (path != "same") claim_named(path, file.name);
  };
  if (flags_.config.filenames.empty() && !flags_.config.cluster.wanted) claim(file.config);
  claim({file.objects});
  for (const apf::ReplaySetup& setup : file.replays) {
    claim(setup.logs);
    claim({setup.objects, setup.recorded_config});
  }
}

// Flags win over the file, the file over the settings.
TestJobs::Server TestJobs::server_of(const apf::TestFile& file) const {
  Server out{flags_.config, flags_.release, flags_.inflight};
  flags_.settings.fill(out.release);
  out.release.take(file.kubernetes_version);
  if (file.builtins && out.release.builtins == apf::Builtins::all) out.release.builtins = *file.builtins;
  const apf::Preset* preset =
      file.preset.empty() || flags_.settings.preset_given() ? nullptr : apf::find_preset(file.preset);
  out.inflight.take(file.max_requests_inflight, file.max_mutating_requests_inflight, file.server_concurrency,
                    file.name);
  if (preset)
    out.inflight.take(preset->max_requests_inflight, preset->max_mutating_requests_inflight, preset->server_concurrency,
                      "preset " + preset->name);
  flags_.settings.fill(out.inflight);
  if (out.config.filenames.empty() && !out.config.cluster.wanted) out.config.filenames = file.config;
  flags_.settings.fill(out.config);
  if (preset) out.config.preset = preset;
  return out;
}

std::shared_ptr<const apf::Config> TestJobs::load(const Server& server) {
  std::string key = config_words(server.config, server.release);
  const auto known = configs_.find(key);
  if (known != configs_.end()) return known->second;
  std::optional<apf::Config> config = server.config.load(console_, server.release);
  for (apf::Remark& remark : apf::release_remarks(server.release.version))
    if (std::find(warnings_.begin(), warnings_.end(), remark) == warnings_.end())
      warnings_.push_back(std::move(remark));
  std::shared_ptr<const apf::Config> out;
  if (config) out = std::make_shared<const apf::Config>(std::move(*config));
  if (out) refuse_kep(*out);
  return configs_.emplace(std::move(key), out).first->second;
}

apf::LintProject TestJobs::lint_of(const Server& server) const {
  apf::LintProject project;
  for (const std::string& path : server.config.filenames) {
    if (!is_in_git(path)) {
      project.paths.push_back(path);
      continue;
    }
    apf::FolderContents contents;
    for (apf::ConfigText& text : read_sources({path}, contents)) project.texts.push_back(std::move(text));
  }
  project.traffic_reader = apf::log_traffic;
  project.use_settings = flags_.settings.use_settings();
  project.settings_path = flags_.settings.path();
  if (server.config.preset) project.preset = server.config.preset->name;
  project.today = today_or(flags_.today);
  project.version = server.release.version;
  project.max_requests_inflight = server.inflight.readonly_given();
  project.max_mutating_requests_inflight = server.inflight.mutating_given();
  project.server_concurrency = server.inflight.sum_given();
  return project;
}

TestJobs::Replay TestJobs::replay_of(const Loaded& loaded, const apf::ReplaySetup& setup, const Server& server) const {
  Replay out;
  out.question.allow_empty = setup.allow_empty;
  out.question.allow_disagreement = setup.allow_disagreement;
  apf::ReplayOptions& options = out.options;
  options.config = *loaded.config;
  options.version = server.release.version;
  options.server_concurrency_limit = server.inflight.server_concurrency_limit;
  options.seats_by_log = !server.inflight.given();
  options.logs = setup.logs;
  options.threads = 1;
  try {
    for (const std::string& log : setup.logs) claim_input(log);
    std::string objects = setup.objects.empty() ? loaded.file.objects : setup.objects;
    if (objects.empty()) objects = flags_.settings.objects_file();
    if (!objects.empty()) options.objects = read_object_counts(objects);
    else if (flags_.settings.known_server().objects)
      options.objects = apf::ObjectCounts(*flags_.settings.known_server().objects);
    const apf::ReplayReport names = names_of(options);
    out.expectations.emplace(setup.expect, *apf::facts_of({&names, 1}));
    out.expectations->check_names(*apf::facts_of({&names, 1}));
    RecordedFlags recorded;
    if (!setup.recorded_config.empty()) recorded.values.set("config", setup.recorded_config);
    out.question.evidence = recorded.evidence(server.inflight.given(), !objects.empty());
    if (!recorded.set(options, server.config, server.release, console_))
      out.error = apf::printable(setup.recorded_config) + " has errors";
  } catch (const apf::Error& error) {
    out.error = error.what();
  }
  return out;
}

bool TestJobs::add(const std::string& path) {
  Loaded& loaded = loaded_.emplace_back();
  const apf::ConfigText text = {path == "-" ? kStdinName : path, read_text(path)};
  std::optional<apf::User> admin;
  loaded.file = apf::read_test_file_of(text, [&](const apf::TestFile& file) {
    const Server server = server_of(file);
    admin = apf::administrator(server.release.version, server.config.preset ? server.config.preset->name : "");
    return *admin;
  });
  if (!loaded.file.faults.empty()) {
    print_findings(loaded.file.faults, std::vector<apf::ConfigText>{text}, console_);
    return false;
  }
  for (const apf::TestNote& note : loaded.file.notes) {
    const bool is_reading =
        note.remark.kind == apf::RemarkKind::type_and_name || note.remark.kind == apf::RemarkKind::subresource_read;
    const std::string words =
        apf::printable(fmt::format("{}:{}: {}", loaded.file.name, note.span.line, apf::render_text(note.remark)));
    if (!is_reading) console_.warn(words);
    else if (console_.verbose) console_.note(words);
  }
  if (admin)
    console_.note(apf::printable(fmt::format("{}: {}", loaded.file.name,
                                             text_of(*administrator_meant(std::string(apf::kAdministrator), *admin)))));
  for (const apf::TestCase& test : loaded.file.cases) {
    const auto* const of = std::get_if<apf::RequestTest>(&test.what);
    if (const std::optional<Assumption> missing = of ? name_missing(of->request.info) : std::nullopt)
      console_.note(apf::printable(fmt::format("{}:{}: {}", loaded.file.name, test.span.line, text_of(*missing))));
  }
  refuse_git(loaded.file);
  claim_files(loaded.file);
  const Server server = server_of(loaded.file);
  try {
    loaded.config = load(server);
  } catch (const apf::Error& error) {
    if (loaded.file.config_line == 0 || server.config.filenames != loaded.file.config) throw;
    throw apf::Error(fmt::format("{}:{}: config: {}", loaded.file.name, loaded.file.config_line, error.what()));
  }
  if (!loaded.config) return false;
  std::string words = server.config.origin(*loaded.config, server.release) + "; " + server.inflight.origin();
  if (std::find(servers_.begin(), servers_.end(), words) == servers_.end()) servers_.push_back(std::move(words));
  apf::TestJob& job = jobs_.emplace_back();
  job.file = &loaded.file;
  apf::TestServer& about = job.server;
  about.config = loaded.config.get();
  about.version = server.release.version;
  about.server_concurrency_limit = server.inflight.server_concurrency_limit;
  std::string objects = loaded.file.objects;
  if (objects.empty()) objects = flags_.settings.objects_file();
  if (!objects.empty()) about.objects = read_object_counts(objects);
  else if (flags_.settings.known_server().objects)
    about.objects = apf::ObjectCounts(*flags_.settings.known_server().objects);
  about.config_flags = config_words(server.config, server.release);
  about.seat_flags = seat_words(server.inflight);
  if (!loaded.file.objects.empty()) about.object_flags = " --objects " + apf::shell_word(objects);
  about.lint = lint_of(server);
  for (const apf::ReplaySetup& setup : loaded.file.replays)
    loaded.replays.emplace(&setup, replay_of(loaded, setup, server));
  about.replay = [replays = &loaded.replays](const apf::ReplaySetup& setup) {
    const Replay& replay = replays->at(&setup);
    if (!replay.error.empty()) throw apf::Error(replay.error);
    const apf::ReplayReport report = apf::replay(replay.options);
    const std::vector<apf::ExpectationResult> results =
        replay.expectations->results(*apf::facts_of({&report, 1}), replay.question.allow_empty);
    refuse_open("expect", results);
    replay.expectations->refuse_undecided(replay.question, {&report, 1});
    std::vector<apf::TestServer::Answer> out;
    for (const apf::ExpectationResult& result : results) out.push_back({result.met, got_of(result.message)});
    return out;
  };
  return true;
}

}  // namespace apfctl
