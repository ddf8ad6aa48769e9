// apf::sweep(), sweep_task() and merge_sweep(): the same cells through the same sums, whoever made them.
#include <apf/sweep.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <system_error>

#include <apf/error.h>
#include <apf/output.h>
#include <fmt/core.h>

#include "replay/engine/run_options.h"
#include "sweep/partial.h"
#include "sweep/run.h"
#include "sweep/sums.h"

namespace apf {

namespace {

std::string own_version() { return fmt::format("{}.{}.{}", APF_VERSION_MAJOR, APF_VERSION_MINOR, APF_VERSION_PATCH); }

void need_files(const SweepFlags& flags) {
  const bool events = flags.event_rate_limit_file.empty() || flags.replay.event_rate_limit;
  if (!events || (!flags.quota_files.empty() && !flags.replay.limits_resources()))
    throw Error("a sweep needs what the files of the flags \"" + flags.name + "\" say");
}

}  // namespace

SweepOptions sweep_options(const SweepPlan& plan, std::vector<Config> configs) {
  if (configs.size() != plan.configurations.size() * plan.flags.size())
    throw Error("a sweep needs a configuration for each set of flags");
  SweepOptions out;
  out.logs = plan.logs;
  out.seeds = plan.seeds;
  out.jitter = plan.jitter;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const SweepFlags& flags = plan.flags[i % plan.flags.size()];
    SweepOptions::Combination& combination = out.combinations.emplace_back();
    combination.configuration = plan.configurations[i / plan.flags.size()].name;
    combination.flags = flags.name;
    combination.sizes_of = flags.sizes_of;
    need_files(flags);
    combination.replay = ReplayOptions(flags.replay);
    ReplayOptions& replay = combination.replay;
    const int reads = flags.max_requests_inflight.value_or(400),
              writes = flags.max_mutating_requests_inflight.value_or(200);
    replay.log_format = plan.log_format;
    replay.version = flags.version();
    replay.server_concurrency_limit = flags.server_concurrency.value_or(reads + writes);
    replay.seats_by_log =
        !flags.server_concurrency && !flags.max_requests_inflight && !flags.max_mutating_requests_inflight;
    if (replay.in_flight) replay.in_flight = InFlightLimits{reads, writes};
    try {
      check_named_once(replay);
    } catch (const Error& error) {
      throw Error("flags '" + flags.name + "': " + error.what());
    }
  }
  if (plan.recorded) {
    const std::size_t number = plan.recorded->configuration * plan.flags.size() + plan.recorded->flags;
    const ReplayOptions& ran = out.combinations[number].replay;
    RecordedConfig recorded;
    recorded.config = configs[number];
    recorded.version = ran.version;
    recorded.seats_unless_logged = ran.server_concurrency_limit;
    if (!ran.seats_by_log) recorded.server_concurrency_limit = ran.server_concurrency_limit;
    for (SweepOptions::Combination& combination : out.combinations) combination.replay.recorded = recorded;
  }
  for (std::size_t i = 0; i < configs.size(); ++i) out.combinations[i].replay.config = std::move(configs[i]);
  return out;
}

SweepShare share_of(const SweepTask& task, std::uint64_t logs, std::uint64_t replays_of_log) {
  const auto of = static_cast<std::uint64_t>(task.of);
  const auto before = [&](std::uint64_t tasks) {
    return of <= logs ? logs * tasks / of * replays_of_log : logs * replays_of_log * tasks / of;
  };
  return {before(static_cast<std::uint64_t>(task.number) - 1), before(static_cast<std::uint64_t>(task.number))};
}

std::string sweep_file_name(const SweepTask& task) {
  const std::string of = std::to_string(task.of);
  return fmt::format("task-{:0>{}}-of-{}.json", task.number, of.size(), of);
}

SweepReport sweep(const SweepOptions& options, const SweepRows& rows) {
  SweepReport report = begin_report(options);
  SweepSums sums(report, rows);
  report.interrupted =
      !run_share(options, {0, options.replays()}, [&](SweepCell&& cell) { sums.add(std::move(cell)); });
  sums.finish();
  return report;
}

namespace {

bool remove_if_unlocked(int fd, const std::string& file, std::time_t newest) {
  constexpr std::time_t kYoung = 5;  // s; it may not be locked yet
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_mtime + kYoung < newest &&
         ::flock(fd, LOCK_EX | LOCK_NB) == 0 && ::unlink(file.c_str()) == 0;
}

// What tasks that were killed left beside `path`: the temporary files of OutputFile that nobody has locked. The one
// that was just opened is among them: it says what time it is in that folder.
void remove_left_over(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr std::size_t kLetters = 8;
  const fs::path target(path);
  const std::string stem = "." + target.filename().string() + ".";
  std::vector<std::string> found;
  std::time_t newest = 0;
  std::error_code error;
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(stem) || name.size() != stem.size() + kLetters) continue;
    struct stat status {};
    if (::lstat(at->path().c_str(), &status) == 0) newest = std::max(newest, status.st_mtime);
    found.push_back(at->path().string());
  }
  for (const std::string& file : found) {
    const int fd = ::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) continue;
    remove_if_unlocked(fd, file, newest);
    ::close(fd);
  }
}

}  // namespace

bool sweep_task(const SweepOptions& options, const SweepTask& task, const std::string& path) {
  OutputFile file(path);
  remove_left_over(path);
  Sha256 sum;
  const auto write = [&](std::string line) {
    line += '\n';
    sum.add(line);
    file.write(line);
  };
  const PartialHead head{kPartialVersion, own_version(), options.digest, task, begin_report(options)};
  write(write_head(head));
  const SweepShare share = share_of(task, options.logs.size(), options.replays_of_log());
  if (!run_share(options, share, [&](SweepCell&& cell) { write(write_cell(cell)); })) return false;
  file.write(write_sum(sum) + "\n");
  file.commit();
  return true;
}

namespace {

bool same_plan(const PartialHead& a, const PartialHead& b) {
  const auto same = [](const SweepReport::Combination& x, const SweepReport::Combination& y) {
    return x.configuration == y.configuration && x.flags == y.flags && x.load == y.load;
  };
  return a.digest == b.digest && a.report.logs == b.report.logs && a.report.seeds == b.report.seeds &&
         std::equal(a.report.combinations.begin(), a.report.combinations.end(), b.report.combinations.begin(),
                    b.report.combinations.end(), same);
}

// Of "…/task-3-of-8.json", whatever is in it.
std::optional<SweepTask> task_of_name(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  SweepTask task;
  int end = 0;
  if (std::sscanf(name.c_str(), "task-%7d-of-%7d.json%n", &task.number, &task.of, &end) != 2 ||
      static_cast<std::size_t>(end) != name.size() || task.number < 1 || task.number > task.of)
    return std::nullopt;
  return task;
}

class Merge {
 public:
  Merge(const MergeOptions& options) : options_(options) {}

  void check(const std::string& path);
  SweepReport run(const SweepRows& rows);

 private:
  struct Entry {
    std::string path, sum;
  };
  struct Broken {
    std::string path, because;
    std::optional<SweepTask> task;
  };
  void check_version(const std::string& path, const PartialHead& head) const;
  void check_head(const std::string& path, const PartialHead& head);
  void find_missing();
  void refuse() const;
  bool has_wrong_file(const SweepTask& task) const {
    return std::any_of(wrong_tasks_.begin(), wrong_tasks_.end(),
                       [&](const SweepTask& t) { return t.number == task.number && t.of == task.of; });
  }
  void check_log(const SweepCell& cell, const std::string& path);
  bool interrupted() const { return options_.interrupted && *options_.interrupted; }

  const MergeOptions& options_;
  std::optional<PartialHead> head_;  // of the first
  std::string first_;                // its name
  std::map<int, Entry> files_;       // by task
  std::vector<Broken> broken_;
  std::vector<std::string> wrong_;  // about files that do not belong to the others
  std::vector<SweepTask> wrong_tasks_;
  std::vector<SweepMissing> missing_;
  // The log that is being merged, and who was the first to have replayed it.
  std::uint64_t log_number_ = UINT64_MAX;
  CellLog log_;
  std::string log_by_;
};

void Merge::check_version(const std::string& path, const PartialHead& head) const {
  if (head.format != kPartialVersion)
    throw Error(
        fmt::format("{} is a partial result of format {}, written by apfctl {}; this is {}, which merges format "
                    "{}: run the task again",
                    path, head.format, head.version, own_version(), kPartialVersion));
  if (head.version == own_version()) return;
  throw Error(fmt::format("{} was written by apfctl {}, this is {}: merge with that version, or run the task again",
                          path, head.version, own_version()));
}

void Merge::check_head(const std::string& path, const PartialHead& head) {
  if (!head_) {
    head_ = head;
    first_ = path;
    return;
  }
  if (!same_plan(*head_, head))
    throw Error(
        fmt::format("{} is of another plan than {}: the plan, or a file that it names, was changed in between; run "
                    "all tasks of one plan",
                    path, first_));
  if (head_->task.of != head.task.of)
    throw Error(fmt::format("{} is one of {} tasks, {} one of {}: merge the tasks of one division", path, head.task.of,
                            first_, head_->task.of));
}

// What is wrong is kept, so that all of it is said at once.
void Merge::check(const std::string& path) {
  std::optional<SweepTask> task = task_of_name(path);
  try {
    PartialFile file(path);
    if (file.head().format != kPartialVersion) check_version(path, file.head());  // what follows cannot be read
    task = file.head().task;
    std::string sum = file.check();
    check_version(path, file.head());
    check_head(path, file.head());
    const auto [at, is_new] = files_.emplace(task->number, Entry{path, sum});
    if (!is_new && at->second.sum != sum)
      throw Error(fmt::format("{} and {} are both of task {} of {}, and differ: remove the wrong one", at->second.path,
                              path, task->number, task->of));
  } catch (const BrokenPartial& broken) {
    if (!broken.is_other_file || task) broken_.push_back({path, broken.because, task});
    else
      wrong_.push_back(path +
                       " is not a partial result of a sweep: name the files that apfctl sweep --partial wrote, or "
                       "their folder");
  } catch (const Error& error) {
    wrong_.push_back(error.what());
    if (task) wrong_tasks_.push_back(*task);
  }
}

void Merge::find_missing() {
  const std::uint64_t of_log = head_->report.combinations.size() * head_->report.seeds.size();
  for (int number = 1; number <= head_->task.of; ++number) {
    if (files_.contains(number)) continue;
    SweepMissing& missing = missing_.emplace_back();
    missing.task = {number, head_->task.of};
    missing.share = share_of(missing.task, head_->report.logs, of_log);
    missing.because = "there is no file of it";
    const auto broken = std::find_if(broken_.begin(), broken_.end(), [&](const Broken& b) {
      return b.task && b.task->number == number && b.task->of == head_->task.of;
    });
    if (broken == broken_.end()) continue;
    missing.file = std::move(broken->path);
    missing.because = std::move(broken->because);
    broken_.erase(broken);
  }
  // Of a task that is not known, or of one that another file is of.
  for (const Broken& broken : broken_) missing_.push_back({{0, head_->task.of}, {}, broken.path, broken.because});
}

// Throws Error for all that is in the way, if anything is.
void Merge::refuse() const {
  constexpr std::size_t kMostNamed = 10;
  std::vector<std::string> reasons = wrong_;
  std::string numbers;
  std::size_t absent = 0;
  for (const SweepMissing& missing : missing_) {
    if (options_.allow_missing) break;
    if (!missing.file.empty()) reasons.push_back(missing.file + ": " + missing.because + "; run its task again");
    else if (has_wrong_file(missing.task)) continue;  // which is named already
    else if (++absent <= kMostNamed) numbers += fmt::format("{}{}", absent > 1 ? ", " : "", missing.task.number);
  }
  if (!head_)
    for (const Broken& broken : broken_)
      reasons.push_back(broken.path + ": " + broken.because + "; run its task again");
  const std::size_t count = reasons.size();
  if (count > kMostNamed) {
    reasons.resize(kMostNamed);
    reasons.push_back(fmt::format("{} more files have faults", count - kMostNamed));
  }
  if (absent > kMostNamed) numbers += fmt::format(" and {} more", absent - kMostNamed);
  if (absent > 0)
    reasons.push_back(
        fmt::format("no partial result of {} {} of {}: run {}, or merge the others with "
                    "--allow-missing",
                    absent == 1 ? "task" : "tasks", numbers, head_->task.of, absent == 1 ? "it" : "them"));
  if (reasons.empty()) return;
  std::string out = reasons.size() > 1 ? fmt::format("{} faults: ", count + (absent > 0 ? 1 : 0)) : "";
  for (std::size_t i = 0; i < reasons.size(); ++i)
    out += reasons.size() > 1 ? fmt::format("{}({}) {}", i > 0 ? "; " : "", i + 1, reasons[i]) : reasons[i];
  throw Error(out);
}

// Tasks that share a log have replayed the same contents of it.
void Merge::check_log(const SweepCell& cell, const std::string& path) {
  const std::uint64_t number = cell.number / (head_->report.combinations.size() * head_->report.seeds.size());
  if (number != log_number_) {
    log_number_ = number;
    log_ = cell.log;
    log_by_ = path;
    return;
  }
  if (log_ == cell.log) return;
  throw Error(
      fmt::format("{} and {} are of different contents of the log {}: a file of it was changed between these tasks; "
                  "run all tasks that replay this log again, with the same files",
                  log_by_, path, log_.name));
}

SweepReport Merge::run(const SweepRows& rows) {
  if (!head_ && broken_.empty() && wrong_.empty()) throw Error("there is no partial result to merge");
  if (!head_ && wrong_.empty() && options_.allow_missing)
    throw Error(broken_.front().path + ": " + broken_.front().because + "; no other partial result is left to merge");
  if (head_) find_missing();
  refuse();
  SweepReport report = head_->report;
  report.missing = std::move(missing_);
  SweepSums sums(report, rows);
  for (const auto& [number, entry] : files_) {
    if (interrupted()) break;
    try {
      PartialFile file(entry.path);
      SweepCell cell;
      while (file.next(cell)) {
        check_log(cell, entry.path);
        sums.add(std::move(cell));
      }
    } catch (const BrokenPartial& broken) {
      throw Error(entry.path + ": " + broken.because + "; run its task again");
    }
  }
  report.interrupted = interrupted();
  sums.finish();
  return report;
}

}  // namespace

SweepReport merge_sweep(const std::vector<std::string>& files, const MergeOptions& options, const SweepRows& rows) {
  Merge merge(options);
  for (const std::string& path : files) merge.check(path);
  return merge.run(rows);
}

}  // namespace apf
