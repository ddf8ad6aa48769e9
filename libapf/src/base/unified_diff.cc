// Myers' greedy algorithm ("An O(ND) Difference Algorithm and Its Variations", 1986) over lines.
#include <apf/unified_diff.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

namespace apf {

namespace {

constexpr std::ptrdiff_t kContext = 3;
constexpr std::ptrdiff_t kMostEdits = 4000;  // beyond that the middle is replaced as a whole

using Lines = std::vector<std::string_view>;

Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// ' ' both, '-' old, '+' new.
struct Edit {
  char kind;
  std::ptrdiff_t old_line, new_line;
};

// Removal and addition of everything between the common head and tail.
void replace_all(std::ptrdiff_t begin, std::ptrdiff_t old_end, std::ptrdiff_t new_end, std::vector<Edit>& edits) {
  for (std::ptrdiff_t i = begin; i < old_end; ++i) edits.push_back({'-', i, begin});
  for (std::ptrdiff_t i = begin; i < new_end; ++i) edits.push_back({'+', old_end, i});
}

// Edits of old[begin, old_end) to new[begin, new_end), appended in order.
void shortest_edits(const Lines& old_lines, const Lines& new_lines, std::ptrdiff_t begin, std::ptrdiff_t old_end,
                    std::ptrdiff_t new_end, std::vector<Edit>& edits) {
  const std::ptrdiff_t n = old_end - begin, m = new_end - begin, most = std::min(n + m, kMostEdits);
  // furthest[d][k + d]: how far along the old text d edits lead on diagonal k.
  std::vector<std::vector<std::ptrdiff_t>> furthest;
  const auto reach = [&](std::ptrdiff_t d, std::ptrdiff_t k) {
    const auto& row = furthest[static_cast<std::size_t>(d)];
    return k < -d || k > d ? std::ptrdiff_t{-1} : row[static_cast<std::size_t>(k + d)];
  };
  const auto down = [&](std::ptrdiff_t d, std::ptrdiff_t k) {  // the last edit was an addition
    return k == -d || (k != d && reach(d - 1, k - 1) < reach(d - 1, k + 1));
  };
  std::ptrdiff_t d = 0;
  for (bool found = false; !found; ++d) {
    if (d > most) return replace_all(begin, old_end, new_end, edits);
    furthest.emplace_back(static_cast<std::size_t>(2 * d + 1), -1);
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      std::ptrdiff_t x = d == 0 ? 0 : down(d, k) ? reach(d - 1, k + 1) : reach(d - 1, k - 1) + 1;
      while (x < n && x - k < m &&
             old_lines[static_cast<std::size_t>(begin + x)] == new_lines[static_cast<std::size_t>(begin + x - k)])
        ++x;
      furthest.back()[static_cast<std::size_t>(k + d)] = x;
      found = found || (x >= n && x - k >= m);
    }
  }
  std::vector<Edit> backwards;
  std::ptrdiff_t x = n, y = m;
  for (--d; d >= 0; --d) {
    const std::ptrdiff_t k = x - y;
    const bool added = d > 0 && down(d, k);
    const std::ptrdiff_t before_x = d == 0 ? 0 : added ? reach(d - 1, k + 1) : reach(d - 1, k - 1);
    const std::ptrdiff_t before_y = d == 0 ? 0 : before_x - (added ? k + 1 : k - 1);
    while (x > before_x && y > before_y) backwards.push_back({' ', begin + --x, begin + --y});
    if (d == 0) break;
    if (added) backwards.push_back({'+', begin + x, begin + --y});
    else backwards.push_back({'-', begin + --x, begin + y});
  }
  edits.insert(edits.end(), backwards.rbegin(), backwards.rend());
}

std::vector<Edit> edits_of(const Lines& old_lines, const Lines& new_lines) {
  const auto n = static_cast<std::ptrdiff_t>(old_lines.size()), m = static_cast<std::ptrdiff_t>(new_lines.size());
  std::ptrdiff_t head = 0, tail = 0;
  const auto old_at = [&](std::ptrdiff_t i) { return old_lines[static_cast<std::size_t>(i)]; };
  const auto new_at = [&](std::ptrdiff_t i) { return new_lines[static_cast<std::size_t>(i)]; };
  while (head < std::min(n, m) && old_at(head) == new_at(head)) ++head;
  while (tail < std::min(n, m) - head && old_at(n - 1 - tail) == new_at(m - 1 - tail)) ++tail;
  std::vector<Edit> edits;
  for (std::ptrdiff_t i = 0; i < head; ++i) edits.push_back({' ', i, i});
  shortest_edits(old_lines, new_lines, head, n - tail, m - tail, edits);
  for (std::ptrdiff_t i = 0; i < tail; ++i) edits.push_back({' ', n - tail + i, m - tail + i});
  return edits;
}

std::string range(std::ptrdiff_t first, std::ptrdiff_t count) {
  // An empty range is named by the line before it.
  if (count == 0) return fmt::format("{},0", first);
  return count == 1 ? fmt::format("{}", first + 1) : fmt::format("{},{}", first + 1, count);
}

}  // namespace

std::string unified_diff(std::string_view old_name, std::string_view new_name, std::string_view old_text,
                         std::string_view new_text) {
  if (old_text == new_text) return {};
  const Lines old_lines = split(old_text), new_lines = split(new_text);
  const std::vector<Edit> edits = edits_of(old_lines, new_lines);
  const auto count = static_cast<std::ptrdiff_t>(edits.size());
  const auto edit = [&](std::ptrdiff_t i) -> const Edit& { return edits[static_cast<std::size_t>(i)]; };
  std::string out = fmt::format("--- {}\n+++ {}\n", old_name, new_name);
  for (std::ptrdiff_t at = 0; at < count;) {
    if (edit(at).kind == ' ') {
      ++at;
      continue;
    }
    // A hunk goes on while the next change is near.
    std::ptrdiff_t last = at;
    for (std::ptrdiff_t i = at; i < count && i - last <= 2 * kContext; ++i) {
      if (edit(i).kind != ' ') last = i;
    }
    const std::ptrdiff_t begin = std::max<std::ptrdiff_t>(0, at - kContext), end = std::min(count, last + 1 + kContext);
    std::ptrdiff_t old_count = 0, new_count = 0;
    std::string body;
    for (std::ptrdiff_t i = begin; i < end; ++i) {
      const Edit& e = edit(i);
      old_count += e.kind != '+';
      new_count += e.kind != '-';
      const std::string_view line = e.kind == '+' ? new_lines[static_cast<std::size_t>(e.new_line)]
                                                  : old_lines[static_cast<std::size_t>(e.old_line)];
      body += e.kind;
      body += line;
      if (!line.ends_with('\n')) body += "\n\\ No newline at end of file\n";
    }
    out += fmt::format("@@ -{} +{} @@\n{}", range(edit(begin).old_line, old_count),
                       range(edit(begin).new_line, new_count), body);
    at = end;
  }
  return out;
}

}  // namespace apf
