#include "commands/sweep_task_flags.h"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <apf/error.h>
#include <apf/report.h>

namespace apfctl {

namespace {

constexpr const char* kSlurmNumber = "SLURM_ARRAY_TASK_ID";
constexpr const char* kSlurmCount = "SLURM_ARRAY_TASK_COUNT";
constexpr const char* kSlurmFirst = "SLURM_ARRAY_TASK_MIN";
constexpr const char* kSlurmStep = "SLURM_ARRAY_TASK_STEP";
constexpr const char* kKubernetesIndex = "JOB_COMPLETION_INDEX";

// [K]/N; 0: no K.
apf::SweepTask parse_task(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos || slash + 1 == text.size())
    throw UsageError("--task: '" + apf::printable(text) +
                     "' is not K/N, such as 3/8: the third of eight tasks; nor /N, if the environment has K");
  apf::SweepTask task;
  task.of = static_cast<int>(parse_int("--task", text.substr(slash + 1), 1, apf::kMostSweepTasks));
  task.number = slash == 0 ? 0 : static_cast<int>(parse_int("--task", text.substr(0, slash), 1, task.of));
  return task;
}

std::optional<std::int64_t> number_in(const char* variable, std::int64_t least = 0) {
  const char* text = std::getenv(variable);
  if (!text || !*text) return std::nullopt;
  return parse_int(variable, text, least, INT32_MAX);
}

}  // namespace

void SweepTaskFlags::declare(CommandLine& line) {
  line.heading("Tasks");
  line.option("--partial", partial, "DIR",
              "Do one task and write its result to DIR/task-K-of-N.json, for --merge, instead of a report.");
  line.option(
      "--task", task, "[K]/N",
      "With --partial: the Kth of N tasks, K from 1 to N. Without K, the place in a Slurm job array "
      "(SLURM_ARRAY_TASK_ID, _MIN, _STEP and _COUNT) or in a Kubernetes Indexed Job (JOB_COMPLETION_INDEX, from 0); "
      "a Slurm job array needs no N. By default 1/1.");
}

std::optional<SweepTaskFlags::Found> SweepTaskFlags::find() const {
  if (!partial) {
    if (task) throw UsageError("--task needs --partial DIR");
    return std::nullopt;
  }
  std::optional<int> of;
  if (task) {
    const apf::SweepTask given = parse_task(*task);
    if (given.number > 0) return Found{given, ""};
    of = given.of;
  }
  if (const std::optional<std::int64_t> number = number_in(kSlurmNumber)) {
    const std::int64_t count = number_in(kSlurmCount, 1).value_or(of.value_or(0));
    if (count == 0)
      throw UsageError(std::string(kSlurmNumber) + " is set, " + kSlurmCount + " is not: give --task K/N");
    if (of && *of != count)
      throw UsageError(
          fmt::format("{} is {}, but --task is /{}: a part of the array was submitted again; give --task K/N",
                      kSlurmCount, count, *of));
    const std::int64_t beyond = *number - number_in(kSlurmFirst).value_or(1);
    const std::int64_t step = number_in(kSlurmStep, 1).value_or(1), place = beyond / step + 1;
    if (beyond % step != 0 || place < 1 || place > count || count > apf::kMostSweepTasks)
      throw UsageError(
          fmt::format("{} is {}, which is not one of {} tasks: give --task K/N", kSlurmNumber, *number, count));
    return Found{{static_cast<int>(place), static_cast<int>(count)}, kSlurmNumber};
  }
  if (const std::optional<std::int64_t> index = number_in(kKubernetesIndex)) {
    if (!of)
      throw UsageError(std::string(kKubernetesIndex) +
                       " is set, but not how many there are: give --task /N, the job's completions");
    if (*index >= *of)
      throw UsageError(fmt::format("{} is {}, but --task is /{}: they are numbered from 0; give the job's completions",
                                   kKubernetesIndex, *index, *of));
    return Found{{static_cast<int>(*index) + 1, *of}, kKubernetesIndex};
  }
  if (of && *of > 1)
    throw UsageError(
        "--task: neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX says which of them this is: give --task K/N");
  return Found{{1, 1}, ""};
}

std::string SweepTaskFlags::path_of(const apf::SweepTask& of) const {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(*partial, error);
  if (error) throw apf::Error("cannot make the folder " + *partial + ": " + error.message());
  return (fs::path(*partial) / apf::sweep_file_name(of)).string();
}

}  // namespace apfctl
