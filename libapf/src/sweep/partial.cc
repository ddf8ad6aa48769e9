#include "sweep/partial.h"

#include <cerrno>
#include <climits>
#include <cstring>

#include <apf/error.h>
#include <apf/output.h>
#include <fmt/core.h>

#include "sweep/json_fields.h"

namespace apf {

namespace {

constexpr const char* kKind = "apfctl-sweep";
constexpr std::size_t kLongestLine = std::size_t{1} << 30;
constexpr std::uint64_t kMostReplays = 1'000'000'000;

}  // namespace

std::string sweep_digest(const std::vector<std::string>& texts) {
  Sha256 sum;
  for (const std::string& text : texts) sum.add(std::to_string(text.size()) + "\n").add(text);
  return hexadecimal(sum.finish());
}

std::string write_head(const PartialHead& head) {
  JsonWriter json;
  json.begin_object().field("partial", kKind).field("format", kPartialVersion).field("apfctl", head.version);
  json.field("plan", head.digest).field("task", head.task.number).field("of", head.task.of);
  json.field("logs", head.report.logs).key("combinations").begin_array();
  for (const SweepReport::Combination& combination : head.report.combinations) {
    json.begin_object().field("configuration", combination.configuration).field("flags", combination.flags);
    if (!combination.load.empty()) json.field("load", combination.load);
    if (combination.seats > 0) json.field("sizesOf", combination.sizes_of).field("seats", combination.seats);
    json.end_object();
  }
  json.end_array().key("seeds").begin_array();
  for (const std::uint64_t seed : head.report.seeds) json.value(seed);
  json.end_array().end_object();
  return json.take();
}

std::string write_sum(Sha256& sum) {
  JsonWriter json;
  json.begin_object().field("sha256", hexadecimal(sum.finish())).end_object();
  return json.take();
}

namespace {

JsonLine first_line(const std::string& line) {
  try {
    return JsonLine(line);
  } catch (const Error&) {
    throw BrokenPartial{"it is not a partial result of a sweep", true};
  }
}

}  // namespace

PartialFile::PartialFile(std::string path) : path_(std::move(path)) {
  file_ = std::fopen(path_.c_str(), "rbe");
  if (!file_) throw BrokenPartial{std::string("it cannot be opened: ") + std::strerror(errno)};
  std::string line;
  if (!next_line(line)) throw BrokenPartial{"it is empty"};
  try {
    const JsonLine text = first_line(line);
    const JsonFields fields = text.fields();
    if (!fields.has("partial") || fields.text("partial") != kKind)
      throw BrokenPartial{"it is not a partial result of a sweep", true};
    const std::uint64_t format = fields.number("format", UINT64_MAX);
    head_.version = fields.text("apfctl");
    if (format != kPartialVersion) {
      head_.format = format;
      return;
    }
    head_.digest = fields.text("plan");
    head_.task.of = static_cast<int>(fields.number("of", kMostSweepTasks));
    head_.task.number = static_cast<int>(fields.number("task", static_cast<std::uint64_t>(head_.task.of)));
    head_.report.logs = fields.number("logs", kMostReplays);
    for (const JsonFields& combination : fields.objects("combinations")) {
      SweepReport::Combination& of = head_.report.combinations.emplace_back();
      of.configuration = combination.text("configuration");
      of.flags = combination.text("flags");
      if (combination.has("load")) of.load = combination.text("load");
      if (!combination.has("seats")) continue;
      of.sizes_of = combination.text("sizesOf");
      of.seats = static_cast<int>(combination.number("seats", INT_MAX));
    }
    head_.report.seeds = fields.numbers("seeds");
    const std::uint64_t of_log = head_.report.combinations.size() * head_.report.seeds.size();
    if (head_.task.number < 1 || of_log == 0 || head_.report.logs == 0 || of_log > kMostReplays / head_.report.logs)
      throw Error("its first line is of no task");
    head_.report.replays = head_.report.logs * of_log;
  } catch (const Error& error) {
    throw BrokenPartial{error.what()};
  }
  next_ = share().first;
}

PartialFile::~PartialFile() {
  if (file_) std::fclose(file_);
}

SweepShare PartialFile::share() const {
  return share_of(head_.task, head_.report.logs, head_.report.combinations.size() * head_.report.seeds.size());
}

// Adds each line to the sum but the last, which is it.
bool PartialFile::next_line(std::string& line) {
  line.clear();
  for (int c; (c = ::getc_unlocked(file_)) != EOF;) {
    if (c == '\n') {
      if (line.starts_with("{\"sha256\":")) {
        const std::string own = hexadecimal(sum_.finish());
        ended_ = true;
        if (line != "{\"sha256\":\"" + own + "\"}")
          throw BrokenPartial{"its checksum is wrong: it was changed or damaged"};
        if (::getc_unlocked(file_) != EOF)
          throw BrokenPartial{"something follows its checksum: it was changed or damaged"};
        digest_ = own;
        return false;
      }
      sum_.add(line).add("\n");
      return true;
    }
    line += static_cast<char>(c);
    if (line.size() > kLongestLine) throw BrokenPartial{"a line of it is longer than 1 GB"};
  }
  if (std::ferror(file_)) throw BrokenPartial{std::string("it cannot be read: ") + std::strerror(errno)};
  throw BrokenPartial{"it ends before its checksum: it is not complete"};
}

bool PartialFile::next_cell_line(std::string& line) {
  if (ended_ || !next_line(line)) {
    if (next_ != share().end) throw BrokenPartial{"it does not have all replays of its task"};
    return false;
  }
  return true;
}

bool PartialFile::next(SweepCell& cell) {
  std::string line;
  if (!next_cell_line(line)) return false;
  try {
    cell = read_cell(line);
  } catch (const Error& error) {
    throw BrokenPartial{fmt::format("replay {} of it cannot be read: {}", next_, error.what())};
  }
  if (cell.number != next_) throw BrokenPartial{fmt::format("replay {} is missing in it", next_)};
  ++next_;
  return true;
}

std::string PartialFile::check() {
  std::string line;
  while (next_cell_line(line)) ++next_;
  return digest_;
}

}  // namespace apf
