#include "sweep_task_flags.h"

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

int count_of(std::string_view flag, std::string_view text) {
  return static_cast<int>(parse_int(flag, text, 1, apf::kMostSweepTasks));
}

// K/N
apf::SweepTask parse_task(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size())
    throw UsageError("--task: '" + apf::printable(text) + "' is not K/N, such as 3/8: the third of eight tasks");
  apf::SweepTask task;
  task.of = count_of("--task", text.substr(slash + 1));
  task.number = static_cast<int>(parse_int("--task", text.substr(0, slash), 1, task.of));
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
      "--task", task, "K/N",
      "With --partial: the Kth of N tasks, K from 1 to N. By default the place in a Slurm job array "
      "(SLURM_ARRAY_TASK_ID, _MIN, _STEP and _COUNT) or in a Kubernetes Indexed Job (JOB_COMPLETION_INDEX, from "
      "0, with --tasks), else 1/1.");
  line.option("--tasks", tasks, "N", "With --partial: the number of tasks, where the environment has the place alone.");
}

std::optional<SweepTaskFlags::Found> SweepTaskFlags::find() const {
  if (!partial) {
    if (task || tasks) throw UsageError(std::string(task ? "--task" : "--tasks") + " needs --partial DIR");
    return std::nullopt;
  }
  if (task) {
    if (tasks) throw UsageError("--task has the number of tasks: --tasks is not needed");
    return Found{parse_task(*task), ""};
  }
  std::optional<int> of;
  if (tasks) of = count_of("--tasks", *tasks);
  if (const std::optional<std::int64_t> number = number_in(kSlurmNumber)) {
    const std::int64_t count = number_in(kSlurmCount, 1).value_or(of.value_or(0));
    if (count == 0)
      throw UsageError(std::string(kSlurmNumber) + " is set, " + kSlurmCount + " is not: give --task K/N");
    if (of && *of != count)
      throw UsageError(
          fmt::format("{} is {}, but --tasks is {}: a part of the array was submitted again; give --task K/N",
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
                       " is set, but not how many there are: give --tasks N, the job's completions");
    if (*index >= *of)
      throw UsageError(fmt::format("{} is {}, but --tasks is {}: they are numbered from 0; give the job's completions",
                                   kKubernetesIndex, *index, *of));
    return Found{{static_cast<int>(*index) + 1, *of}, kKubernetesIndex};
  }
  if (of && *of > 1)
    throw UsageError(
        "--tasks: neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX says which of them this is: give --task K/N");
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
