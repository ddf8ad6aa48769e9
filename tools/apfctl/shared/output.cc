#include "shared/output.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <tuple>
#include <vector>

#include <apf/input.h>
#include <apf/report.h>

#include "shared/usage_error.h"

namespace apfctl {

namespace {

// A regular file, or one that will be: device and inode of the file or of its folder, and then its name.
using Identity = std::tuple<dev_t, ino_t, std::string>;

std::optional<Identity> identity_of(const std::string& path) {
  struct stat status {};
  const bool exists =
      is_standard_output(path) ? ::fstat(STDOUT_FILENO, &status) == 0 : ::stat(path.c_str(), &status) == 0;
  if (exists) return S_ISREG(status.st_mode) ? std::optional(Identity{status.st_dev, status.st_ino, ""}) : std::nullopt;
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (::stat(folder.c_str(), &status) != 0) return std::nullopt;
  return Identity{status.st_dev, status.st_ino, path.substr(slash == std::string::npos ? 0 : slash + 1)};
}

struct Claim {
  std::string flag, path;
  Identity identity;
};
std::vector<Claim> g_outputs, g_inputs;

const Claim* find(const std::vector<Claim>& claims, const Identity& identity) {
  for (const Claim& claim : claims)
    if (claim.identity == identity) return &claim;
  return nullptr;
}

[[noreturn]] void refuse_input(const Claim& output) {
  throw UsageError(output.flag + ": " + apf::printable(output.path) + " is also an input: write to another file");
}

}  // namespace

bool is_standard_output(const std::string& path) {
  return path.empty() || path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

void claim_output(const std::string& flag, const std::string& path) {
  const std::optional<Identity> identity = identity_of(path);
  if (!identity) return;
  const Claim claim{flag, is_standard_output(path) ? "standard output" : path, *identity};
  const Claim* const other = find(g_outputs, *identity);
  // Several outputs may follow each other on standard output.
  if (other && !(is_standard_output(path) && other->path == claim.path)) {
    throw UsageError(other->flag == flag
                         ? flag + ": two outputs write to " + apf::printable(claim.path)
                         : flag + " and " + other->flag + " write to the same file, " + apf::printable(claim.path));
  }
  if (find(g_inputs, *identity)) refuse_input(claim);
  g_outputs.push_back(claim);
}

void claim_input(const std::string& path) {
  struct stat status {};
  const bool exists = path == "-" ? ::fstat(STDIN_FILENO, &status) == 0 : ::stat(path.c_str(), &status) == 0;
  if (!exists || !S_ISREG(status.st_mode)) return;
  const Identity identity{status.st_dev, status.st_ino, ""};
  if (const Claim* const output = find(g_outputs, identity)) refuse_input(*output);
  if (!find(g_inputs, identity)) g_inputs.push_back({"", path, identity});
}

void write_stdout(std::string_view text) {
  Output out("-");
  out.write(text);
  out.close();
}

namespace {

std::size_t g_rows_on_stderr = 0;

}  // namespace

std::size_t rows_of_line(std::string_view line, std::size_t columns) {
  std::string plain;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\x1b') at = std::min(line.find('m', at), line.size() - 1);
    else plain += line[at];
  }
  return std::max<std::size_t>(1, (apf::text_width(plain) + columns - 1) / columns);
}

std::size_t rows_on_stderr() { return g_rows_on_stderr; }

void write_stderr(std::string_view given) {
  const std::string safe = apf::without_ci_commands(std::string(given));
  std::string_view text = safe;
  winsize size{};
  if (::isatty(STDERR_FILENO) == 1 && ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string_view::npos; at = end + 1)
      g_rows_on_stderr += rows_of_line(text.substr(at, end - at), size.ws_col);
  }
  while (!text.empty()) {  // there is no place to report an error
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && !apf::wait_until_ready(STDERR_FILENO, true) && errno != EINTR) return;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace apfctl
