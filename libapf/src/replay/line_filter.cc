#include "replay/line_filter.h"

#include <string.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace apf {

namespace {

constexpr std::size_t kPadding = 64;  // as LogChunk has it

}  // namespace

void keep_lines_with(std::initializer_list<std::string_view> words, LogChunk& chunk) {
  if (chunk.whole_documents) return;
  char* const text = chunk.buffer.data();
  const std::string_view whole(text, chunk.size);
  std::vector<std::pair<std::size_t, std::size_t>> lines;  // begin, end behind the newline
  for (const std::string_view word : words) {
    for (std::size_t at = 0; at < whole.size();) {
      const void* found = ::memmem(text + at, whole.size() - at, word.data(), word.size());
      if (!found) break;
      const auto place = static_cast<std::size_t>(static_cast<const char*>(found) - text);
      const std::size_t newline = place == 0 ? std::string_view::npos : whole.rfind('\n', place - 1);
      const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
      const std::size_t end = std::min(whole.find('\n', place), whole.size() - 1) + 1;
      lines.emplace_back(begin, end);
      at = end;
    }
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  std::size_t size = 0;
  for (const auto& [begin, end] : lines) {
    std::memmove(text + size, text + begin, end - begin);
    size += end - begin;
  }
  std::memset(text + size, 0, std::min(kPadding, chunk.buffer.size() - size));
  chunk.size = size;
}

}  // namespace apf
