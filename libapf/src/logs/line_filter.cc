#include "logs/line_filter.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace apf {

namespace {

typedef signed char Bytes __attribute__((vector_size(16)));
typedef std::uint64_t Halves __attribute__((vector_size(16)));

Bytes load(const char* at) {
  Bytes out;
  std::memcpy(&out, at, sizeof out);
  return out;
}

// Where any of a few words comes first, from a place on. Of sixteen places at once it is seen whether a word's first
// and last bytes are there; few such places are none of a word.
template <std::size_t kWords>
class WordSearch {
 public:
  WordSearch(const std::array<std::string_view, kWords>& words, const char* text, std::size_t size)
      : words_(words), text_(text), size_(size) {}

  // `size` if there is none.
  std::size_t next(std::size_t at) const {
    for (; at < size_; at += sizeof(Bytes)) {
      Bytes may_be = {};
      for (const std::string_view& word : words_)
        may_be |= (load(text_ + at) == word.front()) & (load(text_ + at + word.size() - 1) == word.back());
      Halves halves;
      std::memcpy(&halves, &may_be, sizeof halves);
      if ((halves[0] | halves[1]) == 0) continue;
      for (std::size_t i = 0; i < sizeof(Bytes); ++i)
        if (may_be[i] != 0 && is_word(at + i)) return at + i;
    }
    return size_;
  }

 private:
  bool is_word(std::size_t at) const {
    const std::string_view rest(text_ + at, at < size_ ? size_ - at : 0);
    return std::any_of(words_.begin(), words_.end(), [&](std::string_view word) { return rest.starts_with(word); });
  }

  const std::array<std::string_view, kWords>& words_;
  const char* const text_;
  const std::size_t size_;
};

// Whether records hold lines as base64 or as numbers of bytes (formats/base64_text.h): their words do not show.
bool holds_encoded_lines(const LogChunk& chunk) {
  static constexpr std::array<std::string_view, 4> kBeginnings = {"\"H4sI", "\"eyJ", "\"W3s", "MESSAGE\":["};
  return *chunk.label != '\0' &&
         WordSearch<kBeginnings.size()>(kBeginnings, chunk.buffer.data(), chunk.size).next(0) < chunk.size;
}

}  // namespace

template <std::size_t kWords>
void keep_lines_with(const std::array<std::string_view, kWords>& words, LogChunk& chunk) {
  if (chunk.whole_documents || chunk.sorted || holds_encoded_lines(chunk)) return;
  char* const text = chunk.buffer.data();
  const std::string_view whole(text, chunk.size);
  const WordSearch<kWords> search(words, text, chunk.size);
  std::size_t kept = 0;
  for (std::size_t at = 0; (at = search.next(at)) < whole.size();) {
    const std::size_t newline = at == 0 ? std::string_view::npos : whole.rfind('\n', at - 1);
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    const std::size_t end = std::min(whole.find('\n', at), whole.size() - 1) + 1;
    std::memmove(text + kept, text + begin, end - begin);
    kept += end - begin;
    at = end;
  }
  std::memset(text + kept, 0, std::min(kChunkPadding, chunk.buffer.size() - kept));
  chunk.size = kept;
}

template void keep_lines_with(const std::array<std::string_view, 1>& words, LogChunk& chunk);
template void keep_lines_with(const std::array<std::string_view, 2>& words, LogChunk& chunk);

}  // namespace apf
