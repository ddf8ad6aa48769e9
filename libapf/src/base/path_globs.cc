#include "base/path_globs.h"

#include <algorithm>
#include <vector>

namespace apf {

namespace {

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0 && path.substr(0, end) != ".") out.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

// One name against a pattern with '*' and '?'; on a mismatch the last '*' takes one more byte.
bool name_matches(std::string_view glob, std::string_view name) {
  std::size_t g = 0, n = 0, star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      taken = n;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == name[n])) {
      ++g;
      ++n;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

}  // namespace

bool path_matches(std::string_view glob, std::string_view path) {
  std::vector<std::string_view> pattern = segments_of(glob);
  const std::vector<std::string_view> names = segments_of(path);
  if (pattern.empty()) return false;
  if (glob.substr(0, glob.size() - 1).find('/') == std::string_view::npos) pattern.insert(pattern.begin(), "**");
  // reached[n]: the pattern so far matches the first n names.
  std::vector<bool> reached(names.size() + 1, false);
  reached[0] = true;
  for (const std::string_view segment : pattern) {
    std::vector<bool> next(names.size() + 1, false);
    for (std::size_t n = 0; n <= names.size(); ++n) {
      if (segment == "**") {
        next[n] = reached[n] || (n > 0 && next[n - 1]);
      } else if (n > 0) {
        next[n] = reached[n - 1] && name_matches(segment, names[n - 1]);
      }
    }
    reached = std::move(next);
  }
  return std::find(reached.begin(), reached.end(), true) != reached.end();  // the path or a folder it is in
}

}  // namespace apf
