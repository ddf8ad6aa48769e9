#include "report/core/unified_diff.h"

#include <algorithm>
#include <unordered_map>

#include <apf/report_words.h>

#include <fmt/core.h>

#include "base/utf8.h"

namespace apf {

namespace {

constexpr std::size_t kContext = 3;
// Beyond so many differences in one stretch a good place to split it is taken instead of the best one: the work stays
// in proportion to the lines.
constexpr std::ptrdiff_t kMostDifferences = 256;

class Comparison {
 public:
  Comparison(std::vector<std::uint32_t> old_ids, std::vector<std::uint32_t> new_ids, LineChanges& changes)
      : old_(std::move(old_ids)), new_(std::move(new_ids)), changes_(changes) {}

  void run() { compare(0, length(old_), 0, length(new_)); }

 private:
  using Index = std::ptrdiff_t;
  struct Point {
    Index x = 0, y = 0;
  };
  static Index length(const std::vector<std::uint32_t>& ids) { return static_cast<Index>(ids.size()); }
  bool equal(Index x, Index y) const { return old_[static_cast<std::size_t>(x)] == new_[static_cast<std::size_t>(y)]; }
  void remove(Index x) { changes_.removed[static_cast<std::size_t>(x)] = true; }
  void add(Index y) { changes_.added[static_cast<std::size_t>(y)] = true; }

  void compare(Index x0, Index x1, Index y0, Index y1);
  Point split(Index x0, Index x1, Index y0, Index y1);

  std::vector<std::uint32_t> old_, new_;
  LineChanges& changes_;
  // The furthest x on each diagonal.
  static constexpr std::size_t kDiagonals = 2 * (kMostDifferences + 1) + 1;
  std::vector<Index> forward_ = std::vector<Index>(kDiagonals), backward_ = std::vector<Index>(kDiagonals);
};

// The first part of a split is compared by recursion, the rest by going on: what is deep is only the halving.
void Comparison::compare(Index x0, Index x1, Index y0, Index y1) {
  while (true) {
    while (x0 < x1 && y0 < y1 && equal(x0, y0)) ++x0, ++y0;
    while (x0 < x1 && y0 < y1 && equal(x1 - 1, y1 - 1)) --x1, --y1;
    if (x0 == x1) {
      while (y0 < y1) add(y0++);
      return;
    }
    if (y0 == y1) {
      while (x0 < x1) remove(x0++);
      return;
    }
    const Point at = split(x0, x1, y0, y1);
    compare(x0, at.x, y0, at.y);
    x0 = at.x;
    y0 = at.y;
  }
}

// A point on a shortest path from (x0, y0) to (x1, y1), not one of its ends; or one far along a path, when the shortest
// is too long to look for. Neither the first nor the last lines are equal here, and there are some on both sides.
Comparison::Point Comparison::split(Index x0, Index x1, Index y0, Index y1) {
  const Index width = x1 - x0, height = y1 - y0;
  const Index delta = width - height;
  const Index origin = kMostDifferences + 1;
  const auto forward = [&](Index k) -> Index& { return forward_[static_cast<std::size_t>(origin + k)]; };
  const auto backward = [&](Index k) -> Index& { return backward_[static_cast<std::size_t>(origin + k)]; };
  // x counts from x0; diagonal k holds x - y = k, for the way back x - y = delta + k.
  forward(1) = 0;
  backward(-1) = width;
  Point furthest;
  for (Index d = 0;; ++d) {
    for (Index k = -d; k <= d; k += 2) {
      Index x = k == -d || (k != d && forward(k - 1) < forward(k + 1)) ? forward(k + 1) : forward(k - 1) + 1;
      const Index start = x;
      if (x > width || x - k > height) {  // outside
        forward(k) = x;
        continue;
      }
      while (x < width && x - k < height && equal(x0 + x, y0 + x - k)) ++x;
      forward(k) = x;
      const Index back = k - delta;
      if (delta % 2 != 0 && back > -d && back < d && x >= backward(back)) return {x0 + start, y0 + start - k};
      if (x + x - k > furthest.x + furthest.y) furthest = {x, x - k};
    }
    for (Index k = -d; k <= d; k += 2) {
      Index x = k == d || (k != -d && backward(k - 1) < backward(k + 1)) ? backward(k - 1) : backward(k + 1) - 1;
      const Index start = x;
      const Index y = x - delta - k;
      if (x < 0 || y < 0) {
        backward(k) = x;
        continue;
      }
      while (x > 0 && x - delta - k > 0 && equal(x0 + x - 1, y0 + x - delta - k - 1)) --x;
      backward(k) = x;
      const Index front = k + delta;
      if (delta % 2 == 0 && front >= -d && front <= d && x <= forward(front))
        return {x0 + start, y0 + start - delta - k};
    }
    if (d >= kMostDifferences) return {x0 + furthest.x, y0 + furthest.y};
  }
}

std::string range(std::size_t begin, std::size_t count) {
  // An empty range is named by the line before it.
  const std::string start = std::to_string(count == 0 ? begin : begin + 1);
  return count == 1 ? start : start + "," + std::to_string(count);
}

// As git writes names, and patch reads them: in quotes with escapes where they hold quotes or what no terminal shows.
std::string file_label(char side, std::string_view name) {
  while (name.starts_with("./")) name.remove_prefix(2);
  std::string path(1, side);
  if (!name.starts_with("/")) path += '/';
  path += name;
  std::string out = "\"";
  bool special = false;
  for (std::size_t at = 0; at < path.size();) {
    const std::string_view shown =
        std::string_view(path).substr(at, std::max<std::size_t>(decode_utf8(path, at).length, 1));
    at += shown.size();
    if (shown == "\"" || shown == "\\") {
      out += '\\';
      out += shown;
      special = true;
    } else if (printable(shown) != shown) {
      for (const char c : shown) out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
      special = true;
    } else {
      out += shown;
    }
  }
  if (special) return out + "\"";
  return path.find(' ') == std::string::npos ? path : path + "\t";
}

class Hunks {
 public:
  Hunks(const std::vector<std::string_view>& old_lines, const std::vector<std::string_view>& new_lines,
        const LineChanges& changes)
      : old_(old_lines), new_(new_lines), changes_(changes) {}

  std::string render() {
    std::string out;
    std::size_t x = 0, y = 0;
    while (true) {
      while (x < old_.size() && y < new_.size() && !changes_.removed[x] && !changes_.added[y]) ++x, ++y;
      if (x == old_.size() && y == new_.size()) return out;
      const std::size_t before = std::min(x, kContext);
      hunk(x - before, y - before, x, y, out);
    }
  }

 private:
  // Writes the hunk that begins at (x0, y0), and leaves x, y after it.
  void hunk(std::size_t x0, std::size_t y0, std::size_t& x, std::size_t& y, std::string& out) {
    std::string body;
    std::size_t at = x0;
    while (at < x) line(' ', old_[at++], body);
    while (true) {
      while (x < old_.size() && changes_.removed[x]) line('-', old_[x++], body);
      while (y < new_.size() && changes_.added[y]) line('+', new_[y++], body);
      // Equal lines up to the next change; two changes share a hunk when their contexts touch.
      std::size_t equal = 0;
      while (x + equal < old_.size() && !changes_.removed[x + equal] && !changes_.added[y + equal]) {
        if (++equal > 2 * kContext) break;
      }
      const bool at_end = x + equal == old_.size() && y + equal == new_.size();
      if (equal > 2 * kContext || at_end) equal = std::min(equal, kContext);
      for (std::size_t i = 0; i < equal; ++i) line(' ', old_[x + i], body);
      x += equal;
      y += equal;
      const bool changed = (x < old_.size() && changes_.removed[x]) || (y < new_.size() && changes_.added[y]);
      if (!changed) break;
    }
    out += "@@ -" + range(x0, x - x0) + " +" + range(y0, y - y0) + " @@\n" + body;
  }

  static void line(char sign, std::string_view text, std::string& out) {
    out += sign;
    out += text;
    if (!text.ends_with('\n')) out += "\n\\ No newline at end of file\n";
  }

  const std::vector<std::string_view>& old_;
  const std::vector<std::string_view>& new_;
  const LineChanges& changes_;
};

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::size_t length = newline == std::string_view::npos ? text.size() : newline + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

LineChanges compare_lines(const std::vector<std::string_view>& old_lines,
                          const std::vector<std::string_view>& new_lines) {
  LineChanges changes;
  changes.removed.resize(old_lines.size());
  changes.added.resize(new_lines.size());
  std::unordered_map<std::string_view, std::uint32_t> known;
  const auto identify = [&](const std::vector<std::string_view>& lines) {
    std::vector<std::uint32_t> ids;
    ids.reserve(lines.size());
    for (const std::string_view line : lines)
      ids.push_back(known.try_emplace(line, static_cast<std::uint32_t>(known.size())).first->second);
    return ids;
  };
  std::vector<std::uint32_t> old_ids = identify(old_lines), new_ids = identify(new_lines);
  Comparison(std::move(old_ids), std::move(new_ids), changes).run();
  return changes;
}

std::string unified_diff(std::string_view old_text, std::string_view new_text, std::string_view name, bool is_new) {
  if (old_text == new_text) return {};
  const std::vector<std::string_view> old_lines = split_lines(old_text), new_lines = split_lines(new_text);
  const LineChanges changes = compare_lines(old_lines, new_lines);
  return "--- " + (is_new ? std::string("/dev/null") : file_label('a', name)) + "\n+++ " + file_label('b', name) +
         "\n" + Hunks(old_lines, new_lines, changes).render();
}

}  // namespace apf
