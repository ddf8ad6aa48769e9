// Where the tokens of a JSON text begin: the offsets of all brackets, commas, colons and of the first bytes of
// strings, numbers and literals, found by simdjson's first stage with the best instructions of this processor.
// The parsers of log lines walk these offsets themselves: they want a dozen fields and skip the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace apf {

class JsonIndex {
 public:
  enum class Result { ok, not_utf8, broken };  // broken: a string without its end, a control character within one

  JsonIndex();
  ~JsonIndex();
  JsonIndex(const JsonIndex&) = delete;
  JsonIndex& operator=(const JsonIndex&) = delete;

  // `text` may hold many lines: when the result is ok, no string crosses a newline and each line's tokens are as
  // if the line had been indexed alone. text[size] must be readable and neither JSON nor blank space other than a
  // newline: the offsets end in sentinels that point at it.
  Result build(const char* text, std::size_t size);

  const std::uint32_t* begin() const;
  const std::uint32_t* end() const;  // at the sentinels

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace apf
