// What undoes compression, piece by piece.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace apf {

// One stream of compressed data, pushed through piece by piece.
class Inflater {
 public:
  struct Step {
    std::size_t consumed = 0, produced = 0;
    std::string fault;  // not empty: nothing can be inflated from here on
  };
  virtual ~Inflater() = default;
  virtual Step step(const char* in, std::size_t in_size, char* out, std::size_t out_size) = 0;
  // Whether the data may end here: a member or frame is complete.
  virtual bool complete() const = 0;
};

inline constexpr const char* kTrailingData = "holds other data behind its compressed data, which is left out";

// gzip, with ISA-L where the library was built with it (two to three times as fast), else with zlib. Both give the same
// bytes. Of a damaged member ISA-L may give fewer of the bytes before the fault.
std::unique_ptr<Inflater> make_gzip_inflater();

}  // namespace apf
