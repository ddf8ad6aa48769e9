// Texts one after the other, in memory while they are few, then in a temporary file: compressed, so that a text of many
// like lines takes little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/temporary_file.h"

namespace apf {

class TextSpool {
 public:
  struct Place {
    std::uint64_t begin = 0, end = 0;
  };
  TextSpool();
  ~TextSpool();

  // A new text; `compressed`: it is compressed already.
  void begin(bool compressed);
  // Throws Error: the disk is full.
  void add(std::string_view text);
  Place end();
  std::uint64_t size() const { return file_.size(); }
  // All of them, when there are no more; what was compressed is zstd.
  std::string_view map();

 private:
  struct Compressor;
  TemporaryFile file_;
  std::unique_ptr<Compressor> compressor_;
  std::uint64_t begin_ = 0;
  bool compressed_ = false;
};

}  // namespace apf
